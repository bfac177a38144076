"""Waiting for changes of sources and configurations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ascendopt.analysis.config import FILE_NAME, PROJECT_FILE
from ascendopt.analysis.operators.files import SUFFIXES
from ascendopt.cli.places import shown


def changes(
    paths: Sequence[Path], extra: Iterable[Path], read: Callable[[], Mapping[Path, bytes]]
) -> Iterator[tuple[str, ...]]:
    """The names of what changed, each time that something did. Ends with KeyboardInterrupt.

    ``paths`` are files and folders that were asked for, ``extra`` single files, ``read`` gives what the last check
    read, which may lie elsewhere: shared headers. An editor often replaces a file: its folder is watched.
    """
    import watchfiles

    single = {path.resolve() for path in extra}

    def matters(_change: object, name: str) -> bool:
        path = Path(name)
        return path.suffix in SUFFIXES or path.name in (FILE_NAME, PROJECT_FILE) or path in single

    while True:
        folders = _folders((*paths, *single, *read()))
        started = False
        for changed in watchfiles.watch(
            *folders, watch_filter=matters, step=20, rust_timeout=500, yield_on_timeout=True, raise_interrupt=True
        ):
            names = {shown(Path(name)) for _, name in changed}
            if not started:  # what changed between the check and the start of the watch
                names |= {shown(path) for path, data in read().items() if _differs(path, data)}
                started = True
            if names:
                yield tuple(sorted(names))
            if _folders((*paths, *single, *read())) != folders:
                break


def _differs(path: Path, data: bytes) -> bool:
    try:
        return path.read_bytes() != data
    except OSError:
        return True


def _folders(paths: Iterable[Path]) -> list[Path]:
    """The folders to watch: each one once, none inside another."""
    found = sorted({path if path.is_dir() else path.parent for path in (one.resolve() for one in paths)})
    kept: list[Path] = []
    for folder in found:
        if folder.is_dir() and not any(folder.is_relative_to(other) for other in kept):
            kept.append(folder)
    return kept
