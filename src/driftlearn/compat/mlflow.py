"""Learners, encoders and pipelines as models of MLflow.

A model folder holds a file of `driftlearn.io` and has two flavours: ``driftlearn``, which
`load_model` gives back as it was, ready to go on learning; and ``python_function``, which predicts
wherever MLflow can, ``mlflow models serve`` among them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from driftlearn import io as persist
from driftlearn.utils.optional import needed
from driftlearn.utils.version import __version__

__all__ = ["load_model", "log_model", "save_model"]

FLAVOUR = "driftlearn"
FILE = "model.npz"
METHODS = ("predict", "predict_proba")


def save_model(
    model: Any,
    path: Any,
    *,
    input_example: Any = None,
    signature: Any = None,
    allow: str | Iterable[str] = (),
    pip_requirements: Any = None,
    metadata: dict[str, Any] | None = None,
    mlflow_model: Any = None,
) -> None:
    """Save a model to a folder that MLflow reads.

    Parameters
    ----------
    model : learner or pipeline
        Fitted.
    path : path
        The folder, which must not exist.
    input_example : frame or array, optional
        A few rows; the signature is derived from them and the model's labels.
    signature : mlflow.models.ModelSignature, optional
        What goes in and comes out, instead.
    allow : str or iterable of str, default=()
        Packages, besides driftlearn, whose classes the model holds. The names are written down
        for the flavour ``python_function``; `load_model` must be told them again.
    pip_requirements : list of str, optional
        By default driftlearn, NumPy and scikit-learn in the versions installed here.
    metadata : dict, optional
        Whatever else is to be written down.
    mlflow_model : mlflow.models.Model, optional
        The description to be completed; MLflow gives it.
    """
    mlflow = needed("mlflow")
    allow = (allow,) if isinstance(allow, str) else tuple(allow)
    described = mlflow.models.Model() if mlflow_model is None else mlflow_model
    described.add_flavor(FLAVOUR, driftlearn_version=__version__, kind=type(model).__name__)
    if signature is None and input_example is not None:
        said = _Predictor(model).predict(input_example)
        signature = mlflow.models.infer_signature(input_example, said)
    if pip_requirements is None:
        ours = [f"driftlearn=={__version__}"]
        pip_requirements = ours + [f"{name}=={version(name)}" for name in ("numpy", "scikit-learn")]
    with TemporaryDirectory() as folder:
        file = Path(folder) / FILE
        persist.save(model, file, allow=allow)
        mlflow.pyfunc.save_model(
            path,
            loader_module=__name__,
            data_path=str(file),
            mlflow_model=described,
            signature=signature,
            input_example=input_example,
            pip_requirements=pip_requirements,
            metadata=metadata,
            model_config={"allow": list(allow)},
        )


def log_model(model: Any, name: str = "model", **how: Any) -> Any:
    """Save a model as an artifact of the active run, or of a new one.

    Parameters
    ----------
    model : learner or pipeline
        Fitted.
    name : str
        The name of the artifact.
    **how
        What `save_model` takes, and what ``mlflow.models.Model.log`` does, such as
        ``registered_model_name``.

    Returns
    -------
    mlflow.models.model.ModelInfo
        Its ``model_uri`` is what `load_model` takes.
    """
    mlflow = needed("mlflow")
    this = sys.modules[__name__]
    return mlflow.models.Model.log(artifact_path=None, name=name, flavor=this, model=model, **how)


def load_model(model_uri: str, *, allow: str | Iterable[str] = ()) -> Any:
    """Load a model that goes on learning as if nothing had happened.

    Parameters
    ----------
    model_uri : str
        A folder, or an address such as ``runs:/<run>/model``.
    allow : str or iterable of str, default=()
        Packages, besides driftlearn, whose classes may be loaded. Name a package only for models
        from people you trust.

    Returns
    -------
    learner or pipeline
    """
    mlflow = needed("mlflow")
    folder = Path(mlflow.artifacts.download_artifacts(artifact_uri=str(model_uri)))
    flavours = mlflow.models.Model.load(str(folder)).flavors
    if FLAVOUR not in flavours:
        raise ValueError(
            f"{model_uri} is no model of driftlearn's: it has the flavours {', '.join(flavours)}"
        )
    return persist.load(folder / flavours["python_function"]["data"], allow=allow)


def _load_pyfunc(path: str, model_config: dict[str, Any] | None = None) -> _Predictor:
    """Return what ``mlflow.pyfunc.load_model`` asks for predictions."""
    return _Predictor(persist.load(path, allow=(model_config or {}).get("allow", ())))


class _Predictor:
    """A model behind the interface of ``python_function``."""

    def __init__(self, model: Any):
        self.model = model

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Return labels, or probabilities with ``params={"predict_method": "predict_proba"}``."""
        method = (params or {}).get("predict_method", "predict")
        if method not in METHODS:
            raise ValueError(f"predict_method is one of {', '.join(METHODS)}; got {method!r:.50}")
        if hasattr(model_input, "to_numpy") and not hasattr(self.model, "feature_names_in_"):
            model_input = model_input.to_numpy()
        return getattr(self.model, method)(model_input)
