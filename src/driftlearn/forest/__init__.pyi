# Written by `make stubs`.
from driftlearn.forest import adaptive_random_forest as adaptive_random_forest
from driftlearn.forest import streaming_random_patches as streaming_random_patches
from driftlearn.forest.adaptive_random_forest import AdaptiveRandomForestClassifier as AdaptiveRandomForestClassifier
from driftlearn.forest.streaming_random_patches import StreamingRandomPatchesClassifier as StreamingRandomPatchesClassifier

__all__ = ['AdaptiveRandomForestClassifier', 'StreamingRandomPatchesClassifier']
