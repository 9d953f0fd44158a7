"""What a run was made on: processor, memory, system."""

import os
import platform
from pathlib import Path


def machine_card() -> dict[str, str]:
    """Return what a reader of timings must know about this machine, without its name.

    Examples
    --------
    >>> sorted(machine_card())
    ['cores', 'memory', 'processor', 'python', 'system']
    """
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _processor() -> str:
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _memory() -> str:
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system can tell
        return "unknown"
    return f"{total / 2**30:.1f} GB"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
