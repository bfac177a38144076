"""What isolation this machine allows an ordinary user, found out by trying it once per process."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class SandboxLevel:
    """An isolation that works here: its name for reports and the command prefix that gives it."""

    name: str
    prefix: tuple[str, ...]


_BASE = "process limits"
# A user namespace makes the others possible without privileges. The pid namespace ends every descendant with
# its first process, also one that left the process group; the network namespace has no interface up.
_UNSHARE = ("--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child=KILL")


def _works(command: tuple[str, ...]) -> bool:
    try:
        done = subprocess.run([*command, "true"], stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


@lru_cache(maxsize=1)
def probe_level() -> SandboxLevel:
    """The strongest level that works: seccomp in containers and some AppArmor profiles forbid namespaces."""
    candidates: list[SandboxLevel] = []
    if unshare := shutil.which("unshare"):
        candidates.append(SandboxLevel(f"{_BASE}, no network, own process namespace", (unshare, *_UNSHARE, "--")))
        candidates.append(SandboxLevel(f"{_BASE}, no network", (unshare, "--user", "--map-root-user", "--net", "--")))
    if bwrap := shutil.which("bwrap"):
        bind = ("--dev-bind", "/", "/", "--unshare-net", "--unshare-pid", "--die-with-parent")
        candidates.append(SandboxLevel(f"{_BASE}, no network, own process namespace (bwrap)", (bwrap, *bind, "--")))
    for level in candidates:
        if _works(level.prefix):
            return level
    return SandboxLevel(_BASE, ())
