"""An operator's sources as bytes, and scratch copies of it with a candidate's edits in place.

The user's files are only ever read here. Copies keep the surroundings of the operator (up to the repository
root, or the folder above) as links, because operators include shared headers from there.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import TracebackType

from ascendopt.harness.candidate import Candidate, texts_key
from ascendopt.harness.private_folders import PrivateFolder

SOURCE_SUFFIXES = frozenset({".asc", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc"})
SOURCE_FOLDERS = ("op_host", "op_kernel")
MAX_LEVELS = 6
MAX_NEIGHBOURS = 500
MAX_SOURCE_BYTES = 8 << 20


class OperatorError(ValueError):
    """The path is not an operator that can be used. The message is one sentence for the user."""


@dataclass(frozen=True)
class OperatorSources:
    """The source texts of one operator.

    ``root`` is its folder; ``target`` what a device builds (the folder, or the single source file);
    ``texts`` maps a POSIX path relative to ``root`` to the text, decoded with surrogateescape so that bytes
    of any encoding survive unchanged.
    """

    root: Path
    target: Path
    texts: Mapping[str, str]

    @property
    def name(self) -> str:
        """Name of the folder, or of the single file without its suffix."""
        return self.root.name if self.target == self.root else self.target.stem

    @property
    def digest(self) -> str:
        """SHA-256 over paths and texts."""
        return Candidate(self.texts, "original").key

    def host_files(self) -> list[str]:
        """Relative paths of the host side (the single file when there is only one)."""
        return [path for path in sorted(self.texts) if not path.startswith("op_kernel/")]

    def kernel_files(self) -> list[str]:
        """Relative paths of the kernel side (the single file when there is only one)."""
        return [path for path in sorted(self.texts) if not path.startswith("op_host/")]

    def applied(self, candidate: Candidate) -> dict[str, str]:
        """The texts of the files that ``candidate`` changes; empty when it changes nothing."""
        return {path: text for path, text in candidate.files.items() if self.texts.get(path) != text}


def read_operator(path: Path) -> OperatorSources:
    """Read the operator at ``path``: a folder, a single source file, or its ``ascendopt.toml``.

    Raises OperatorError.
    """
    if path.name == "ascendopt.toml" and path.is_file():
        path = path.parent
    if not path.exists():
        raise OperatorError(f"{path} does not exist; give the folder of an operator.")
    path = path.resolve()
    if path.is_file():
        if path.suffix not in SOURCE_SUFFIXES:
            raise OperatorError(f"{path} is no operator; give a folder with op_host/ and op_kernel/, or a .asc file.")
        text = _read(path)
        if "<<<" not in text or "__global__" not in text:
            raise OperatorError(
                f"{path} launches no kernel (no __global__ function with <<<>>>); give the operator's folder."
            )
        return OperatorSources(path.parent, path, {path.name: text})
    missing = [name for name in SOURCE_FOLDERS if not (path / name).is_dir()]
    if missing:
        raise OperatorError(f"{path} holds no operator: it has no {' and no '.join(f'{m}/' for m in missing)}.")
    texts: dict[str, str] = {}
    for name in SOURCE_FOLDERS:
        found = sorted(p for p in (path / name).rglob("*") if p.suffix in SOURCE_SUFFIXES and p.is_file())
        if not found:
            raise OperatorError(f"{path} holds no operator: {name}/ has no C++ source.")
        texts |= {p.relative_to(path).as_posix(): _read(p) for p in found}
    return OperatorSources(path, path, texts)


def _read(path: Path) -> str:
    if path.stat().st_size > MAX_SOURCE_BYTES:
        raise OperatorError(f"{path} is larger than {MAX_SOURCE_BYTES >> 20} MB; that is no operator source.")
    data = path.read_bytes()
    if b"\0" in data:
        raise OperatorError(f"{path} is a binary file, not C++ source.")
    if not data.strip():
        raise OperatorError(f"{path} is empty; an operator needs its source.")
    return data.decode("utf-8", "surrogateescape")


class Scratch:
    """A private folder with copies of one operator. Use as a context manager; it removes everything."""

    def __init__(self, sources: OperatorSources) -> None:
        self._sources = sources
        self._private = PrivateFolder()
        self._folder = self._private.path
        self._shared: dict[Path, Path] = {}

    @property
    def folder(self) -> Path:
        """The folder that holds all copies; it must not appear in anything that is kept."""
        return self._folder

    @property
    def digest(self) -> str:
        """SHA-256 over the operator's paths and texts."""
        return self._sources.digest

    def __enter__(self) -> Scratch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._private.close()

    def materialise(self, candidate: Candidate | None) -> Path:
        """Write the operator with ``candidate``'s texts and return what a device builds.

        Raises OperatorError when a path of the candidate leaves the operator's folder.
        """
        top = self._folder / (candidate.key[:16] if candidate else "original")
        if top.exists():
            shutil.rmtree(top)
        return self._write_copy(top, candidate.files if candidate else {})

    def materialise_shared(self, files: Mapping[str, str]) -> Path:
        """The same for texts that many candidates share: written once, there until the end."""
        top = self._folder / f"shared-{texts_key(files)[:16]}"
        if top not in self._shared:
            self._shared[top] = self._write_copy(top, files)
        return self._shared[top]

    def _write_copy(self, top: Path, edits: Mapping[str, str]) -> Path:
        root = self._surroundings(top)
        for relative, text in {**self._sources.texts, **edits}.items():
            parts = PurePosixPath(relative)
            if parts.is_absolute() or ".." in parts.parts:
                raise OperatorError(f"the candidate writes outside of the operator's folder: {relative}.")
            target = root / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode("utf-8", "surrogateescape"))
        single = self._sources.target != self._sources.root
        return root / self._sources.target.name if single else root

    def discard(self, candidate: Candidate) -> None:
        """Remove a copy that is no longer needed."""
        shutil.rmtree(self._folder / candidate.key[:16], ignore_errors=True)

    def scrub(self, text: str) -> str:
        """``text`` without the paths of this scratch folder."""
        if str(self._folder) not in text:
            return text
        for entry in [*self._folder.iterdir()]:
            inner = self._inner(entry)
            text = text.replace(f"{inner}/", "").replace(str(inner), self._sources.name)
        return text.replace(f"{self._folder}/", "")

    def _inner(self, top: Path) -> Path:
        return top.joinpath(
            *[parent.name for parent in reversed(ancestors(self._sources.root))], self._sources.root.name
        )

    def _surroundings(self, top: Path) -> Path:
        """Make ``top/<ancestors>/<operator>`` with links for the neighbours at each level."""
        here = top
        chain = [*reversed(ancestors(self._sources.root)), self._sources.root]
        for index, original in enumerate(chain):
            here = here / original.name
            here.mkdir(parents=True, exist_ok=True)
            below = chain[index + 1].name if index + 1 < len(chain) else None
            for entry in _entries(original):
                is_source = below is None and entry.name in (*SOURCE_FOLDERS, self._sources.target.name)
                if entry.name != below and not is_source:
                    (here / entry.name).symlink_to(entry)
        return here


def ancestors(root: Path) -> list[Path]:
    """The folders above an operator's ``root`` from which it can include, the nearest first."""
    chain: list[Path] = []
    for parent in root.parents:
        if parent == parent.parent or len(chain) == MAX_LEVELS or parent == Path.home():
            break
        chain.append(parent)
        if (parent / ".git").exists():
            return chain
    # No repository: only the parent's neighbours can be meant by a relative include.
    return chain[:1]


def _entries(folder: Path) -> list[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    if len(entries) > MAX_NEIGHBOURS:
        return []  # a folder like /tmp: nothing of the operator's lives there
    return [entry for entry in entries if not entry.name.startswith(".")]


def text_digest(text: str) -> str:
    """SHA-256 of a text that may hold surrogate escapes."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
