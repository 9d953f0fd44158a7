"""Description of the machine: processor, memory and operating system."""

import os
import platform
import re
from contextlib import suppress
from pathlib import Path


def machine_card() -> dict[str, str]:
    """Return the properties of this machine that affect timings, without its host name.

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
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        if found := re.search(r"^model name\s*:(.*)", text, re.MULTILINE):
            return found[1].strip()
    return platform.processor() or "unknown"


def _memory() -> str:
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not available on all systems
        return "unknown"
    return f"{total / 2**30:.1f} GB"
