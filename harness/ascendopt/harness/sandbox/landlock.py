"""Landlock for a Python process that is about to load code that is not trusted.

The kernel keeps the process, and all that it starts, to the files that are granted; source: landlock(7). System call
numbers are the same on all architectures since Linux 5.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVS = 38

# Rights by bit: execute 0, write file 1, read file 2, read folder 3, then removing and making of all kinds up to 12,
# refer 13 (from version 2), truncate 14 (from 3), device ioctl 15 (from 5). A file has fewer than a folder.
_READ = 0b1101
_FILE = 0b1100000000000111
_RIGHTS_OF = {1: 13, 2: 14, 3: 15, 4: 15}
_ALL_RIGHTS = 16
# TCP bind and connect, from version 4.
_NETWORK = 0b11


def restrict(reads: Iterable[Path], writes: Iterable[Path]) -> bool:
    """Leave this process reading and executing below ``reads`` and everything below ``writes``, and no TCP.

    Paths that do not exist are passed over. False, and nothing has changed, where the system has no Landlock.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)
    if version < 1:
        return False
    handled = (1 << _RIGHTS_OF.get(version, _ALL_RIGHTS)) - 1
    attributes = struct.pack("<QQ", handled, _NETWORK) if version >= 4 else struct.pack("<Q", handled)
    ruleset = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        return False
    try:
        for paths, rights in ((reads, _READ), (writes, handled)):
            for path in paths:
                _grant(libc, ruleset, path, rights & handled)
        return libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 and libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def _grant(libc: ctypes.CDLL, ruleset: int, path: Path, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rule = struct.pack("<Qi", rights if path.is_dir() else rights & _FILE, place)
        libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(place)
