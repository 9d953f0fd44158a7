"""Streams of rows: generators with known drift, real data sets, and a user's own data."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_checkerboard_gaussian": "Checkerboard GaussianClasses",
        "_drifting": "Drifting",
        "_agrawal_sine_mixed": "Agrawal AssetNegotiation Mixed Sine",
        "_generated": "GeneratedStream",
        "_rot_sin_rbf_hyperplane": "Hyperplane RBF ROT SIN",
        "_own_data": "CSVStream ParquetStream from_arrays from_csv from_frame from_parquet",
        "_sea_cir_sta": "CIR SEA STA",
        "_real": "ClassSchedule Laser RealStream load paper_schedule",
        "_recorded": "RandomRows RecordedStream",
        "_random_tree_waveform": "RandomTree Waveform",
        "_stream": "Batch Stream check_seed",
        "_stream_names": "S1_STREAMS STREAMS StreamEntry make_stream s1_stream",
        "_led_poker": "LED PokerHands poker_label",
        "_wrappers": "ClassImbalance ClassRuns IrrelevantFeatures LabelNoise MissingValues",
    },
)
