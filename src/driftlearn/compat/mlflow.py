"""Save and load learners, encoders and pipelines as MLflow models.

A model folder contains a file written by `driftlearn.io` and has two flavors: ``driftlearn``, which
`load_model` loads for further training, and ``python_function``, which makes predictions in all
MLflow tools, such as ``mlflow models serve``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from driftlearn import io as persist
from driftlearn.utils.arguments import choose
from driftlearn.utils.optional import needed
from driftlearn.utils.version import __version__

__all__ = ["load_model", "log_model", "save_model"]

FLAVOR = "driftlearn"
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
    """Save a model to a folder in MLflow format.

    Parameters
    ----------
    model : learner or pipeline
        Fitted model.
    path : path
        Folder to create.
    input_example : frame or array, optional
        A few rows, from which the signature is inferred.
    signature : mlflow.models.ModelSignature, optional
        Signature of inputs and outputs, instead of the inferred one.
    allow : str or iterable of str, default=()
        Packages besides driftlearn whose classes the model contains. They are stored for the flavor
        ``python_function``, but must be passed to `load_model` again.
    pip_requirements : list of str, optional
        Requirements; by default the installed versions of driftlearn, NumPy and scikit-learn.
    metadata : dict, optional
        Additional metadata of the MLflow model.
    mlflow_model : mlflow.models.Model, optional
        Model description to extend, which is passed by MLflow.
    """
    mlflow = needed("mlflow")
    allow = (allow,) if isinstance(allow, str) else tuple(allow)
    described = mlflow.models.Model() if mlflow_model is None else mlflow_model
    described.add_flavor(FLAVOR, driftlearn_version=__version__, kind=type(model).__name__)
    if signature is None and input_example is not None:
        predictions = _Predictor(model).predict(input_example)
        signature = mlflow.models.infer_signature(input_example, predictions)
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
    """Save a model as an artifact of the active run or of a new run.

    Parameters
    ----------
    model : learner or pipeline
        Fitted model.
    name : str
        Name of the artifact.
    **how
        Parameters of `save_model` and of ``mlflow.models.Model.log``, such as
        ``registered_model_name``.

    Returns
    -------
    mlflow.models.model.ModelInfo
        Description, with the ``model_uri`` for `load_model`.
    """
    mlflow = needed("mlflow")
    this = sys.modules[__name__]
    return mlflow.models.Model.log(artifact_path=None, name=name, flavor=this, model=model, **how)


def load_model(model_uri: str, *, allow: str | Iterable[str] = ()) -> Any:
    """Load a model, ready for further training.

    Parameters
    ----------
    model_uri : str
        Folder, or URI such as ``runs:/<run>/model``.
    allow : str or iterable of str, default=()
        Packages besides driftlearn whose classes may be loaded. Allow a package only for models
        from trusted sources.

    Returns
    -------
    learner or pipeline
    """
    mlflow = needed("mlflow")
    folder = Path(mlflow.artifacts.download_artifacts(artifact_uri=str(model_uri)))
    flavors = mlflow.models.Model.load(str(folder)).flavors
    if FLAVOR not in flavors:
        raise ValueError(
            f"{model_uri} is not a driftlearn model. Its flavors are {', '.join(flavors)}."
        )
    return persist.load(folder / flavors["python_function"]["data"], allow=allow)


def _load_pyfunc(path: str, model_config: dict[str, Any] | None = None) -> _Predictor:
    """Return the predictor for ``mlflow.pyfunc.load_model``."""
    return _Predictor(persist.load(path, allow=(model_config or {}).get("allow", ())))


class _Predictor:
    """Model with the interface of ``python_function``."""

    def __init__(self, model: Any):
        self.model = model

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Return labels, or probabilities with ``params={"predict_method": "predict_proba"}``."""
        method = (params or {}).get("predict_method", "predict")
        choose("predict_method", method, dict.fromkeys(METHODS))
        if hasattr(model_input, "to_numpy") and not hasattr(self.model, "feature_names_in_"):
            model_input = model_input.to_numpy()
        return getattr(self.model, method)(model_input)
