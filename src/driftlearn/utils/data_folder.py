"""The user's folder for results and models."""

import os
from pathlib import Path


def data_folder() -> Path:
    """Return the folder ``driftlearn`` in the user's data folder."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "driftlearn"
