# Written by `make stubs`.
from driftlearn.bench.papers import claim as claim
from driftlearn.bench.papers import drawing as drawing
from driftlearn.bench.papers import experiment as experiment
from driftlearn.bench.papers import outcome as outcome
from driftlearn.bench.papers import page as page
from driftlearn.bench.papers import paper as paper
from driftlearn.bench.papers import s0 as s0
from driftlearn.bench.papers import s1 as s1
from driftlearn.bench.papers import s2 as s2
from driftlearn.bench.papers import s3 as s3
from driftlearn.bench.papers import s4 as s4
from driftlearn.bench.papers import setting as setting
from driftlearn.bench.papers import show as show
from driftlearn.bench.papers import verdict_page as verdict_page
from driftlearn.bench.papers.claim import Claim as Claim
from driftlearn.bench.papers._experiments import EXPERIMENTS as EXPERIMENTS
from driftlearn.bench.papers.claim import Evidence as Evidence
from driftlearn.bench.papers.experiment import Experiment as Experiment
from driftlearn.bench.papers.outcome import Outcome as Outcome
from driftlearn.bench.papers.paper import PAPERS as PAPERS
from driftlearn.bench.papers.paper import Paper as Paper
from driftlearn.bench.papers.setting import Setting as Setting
from driftlearn.bench.papers.paper import find as find
from driftlearn.bench.papers.paper import items as items
from driftlearn.bench.papers.paper import published as published
from driftlearn.bench.papers.claim import within as within

__all__ = ['Claim', 'EXPERIMENTS', 'Evidence', 'Experiment', 'Outcome', 'PAPERS', 'Paper', 'Setting', 'find', 'items', 'published', 'within']
