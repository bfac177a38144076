"""From a path to an operator."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ascendopt.analysis.findings import Span
from ascendopt.analysis.operators.files import IMPLEMENTATION, SUFFIXES, IncludePath, ParsedFiles, Texts, closure
from ascendopt.analysis.operators.model import Entry, Layout, NotAnOperator, OpDef, Operator
from ascendopt.analysis.operators.names import same_operator, whole_word
from ascendopt.analysis.operators.opdef import closing, parse_opdefs, without_comments
from ascendopt.analysis.operators.tiling_structs import parse_tiling_structs

_GLOBAL = re.compile(whole_word("__global__"))
_NAME = re.compile(r"([A-Za-z_]\w*)\s*\(")
_OPTILING = re.compile(
    whole_word("IMPL_OP_OPTILING") + r"\s*\(\s*(\w+)\s*\)[^;]{0,400}?\.\s*Tiling\s*\(\s*&?\s*([\w:]+)\s*\)"
)
_SET_TILING = re.compile(whole_word("SetTiling") + r"\s*\(\s*&?([\w:]+)\s*\)")
_TILING_FUNCTION = re.compile(whole_word("ge::graphStatus") + r"\s+(\w+)\s*\(\s*gert::TilingContext\s*\*")
_LAUNCH = re.compile(whole_word("ACLRT_LAUNCH_KERNEL") + r"\s*\(\s*\w+\s*\)")
_NOT_SIGNATURE = {"__mix__", "__schedmode__", "__launch_bounds__", "__attribute__", "alignas"}
_SKIPPED = {".git", "build", "build_out", "node_modules", ".venv", "tests", "examples", "docs"}


def discover(path: Path, overlays: dict[Path, str] | None = None, parsed: ParsedFiles | None = None) -> Operator:
    """The operator at ``path``: its folder, any file inside it, or a single kernel-launch source.

    ``overlays`` are texts of open editors that replace what is on disk; ``parsed`` remembers files between calls.
    Raises NotAnOperator with one sentence.
    """
    path = Path(os.path.normpath(path.absolute()))
    texts = Texts(overlays, parsed)
    if not path.exists() and path not in (overlays or {}):
        raise NotAnOperator(f"{path}: no such file or folder")
    root = _project_root(path)
    if root is not None:
        return _project(root, path, texts)
    if path.is_dir():
        sources = [file for file in _sources(path) if _GLOBAL.search(texts.read(file))]
        if len(sources) == 1:
            return _single(sources[0], texts, _tiling_beside(sources[0], texts))
        raise NotAnOperator(
            f"{path}: no operator here; expected op_host/ and op_kernel/, or one source with a __global__ function"
        )
    if path.suffix not in SUFFIXES:
        raise NotAnOperator(f"{path}: not a C++ or AscendC source")
    if not texts.read(path).strip():
        raise NotAnOperator(f"{path}: the file is empty, binary or unreadable")
    if not _GLOBAL.search(texts.read(path)):
        if _is_host_side(texts.read(path)):
            kernels = [file for file in _sources(path.parent) if _GLOBAL.search(texts.read(file))]
            if len(kernels) == 1:
                return _single(kernels[0], texts, path)
        raise NotAnOperator(f"{path}: no __global__ function and no op_host/ or op_kernel/ folder above it")
    return _single(path, texts, _tiling_beside(path, texts))


def find_operators(path: Path) -> Iterator[Path]:
    """Roots of all operators at or below ``path``, sorted: folders with op_kernel/ or op_host/, ``.asc`` files, and
    other sources outside of such folders that define a ``__global__`` function. In a project of several operators, as
    ``msopgen`` makes it, the kernel source of each is a root."""
    path = Path(os.path.normpath(path.absolute()))
    if path.is_file():
        yield path
        return
    for here, folders, names in os.walk(path):
        if "op_kernel" in folders or "op_host" in folders:
            folders[:] = []
            yield from _of_project(Path(here))
            continue
        folders[:] = sorted(folder for folder in folders if folder not in _SKIPPED)
        texts = Texts()
        files = (Path(here) / name for name in sorted(names) if name.endswith(IMPLEMENTATION))
        yield from (file for file in files if file.suffix == ".asc" or texts.parsed(file, parse_entries))


def _of_project(root: Path) -> Iterator[Path]:
    """``root``, or the kernel sources where each has an OpDef of its own and the folder is named after none."""
    texts = Texts()
    hosts = [file for file in _host_sources(root / "op_host") if "OP_ADD" in texts.read(file)]
    definitions = [one.name for file in hosts for one in texts.parsed(file, parse_opdefs)] if len(hosts) > 1 else []
    if len(definitions) < 2:
        yield root
        return
    sources: dict[Path, str] = {}
    for file in _kernel_sources(root / "op_kernel"):
        for entry in texts.parsed(file, parse_entries):
            if any(same_operator(name, entry.name) for name in definitions):
                sources.setdefault(file, entry.name)
    names = set(sources.values())
    is_one = len(names) < 2 or any(same_operator(name, root.name) for name in names)
    yield from [root] if is_one else sources


def _kernel_sources(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*")) if file.suffix in IMPLEMENTATION] if folder.is_dir() else []


def parse_entries(path: Path, text: str) -> list[Entry]:
    """The ``__global__`` functions that a file defines."""
    plain = without_comments(text)
    found: list[Entry] = []
    for mark in _GLOBAL.finditer(plain):
        at = mark.end()
        name = _NAME.search(plain, at)
        while name is not None and name[1] in _NOT_SIGNATURE:
            name = _NAME.search(plain, closing(plain, name.end() - 1))
        if name is None:
            continue
        end = closing(plain, name.end() - 1)
        brace = plain.find("{", end)
        if brace < 0 or plain[end + 1 : brace].strip():
            continue  # a declaration
        head = len(text[: name.start(1)].encode("utf-8", "surrogateescape"))
        span = Span(head, head + len(name[1].encode()))
        found.append(Entry(name[1], _parameters(plain[name.end() : end]), path, span))
    return found


def _parameters(text: str) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        match = re.match(r"(.*?)(\w+)$", part, re.DOTALL)
        if match is not None:
            pairs.append((" ".join(match[1].split()), match[2]))
    return tuple(pairs)


def _project_root(path: Path) -> Path | None:
    start = path if path.is_dir() else path.parent
    for folder in (start, *start.parents):
        if folder.name in ("op_host", "op_kernel"):
            continue
        if (folder / "op_kernel").is_dir() or (folder / "op_host").is_dir():
            inside = path.relative_to(folder).parts[:1]
            return folder if not inside or inside[0] in ("op_host", "op_kernel") else None
        if folder != start and folder.name not in ("op_host", "op_kernel") and (folder / ".git").exists():
            return None
    return None


def _sources(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.is_file() and file.suffix in SUFFIXES)


def _project(root: Path, path: Path, texts: Texts) -> Operator:
    kernel_folder, host_folder = root / "op_kernel", root / "op_host"
    includes = IncludePath(root, [folder for folder in (kernel_folder, host_folder, root) if folder.is_dir()])
    entries = [entry for file in _kernel_sources(kernel_folder) for entry in texts.parsed(file, parse_entries)]
    entries = _chosen_entries(entries, root, path)
    hosts = _host_sources(host_folder)
    definitions = [found for file in hosts for found in texts.parsed(file, parse_opdefs)]
    definition = _chosen_definition(definitions, entries, root)
    if not entries and definition is None:
        raise NotAnOperator(f"{root}: op_kernel/ has no __global__ function and op_host/ has no OpDef")
    name = entries[0].name if entries else root.name
    kernel_files = closure(dict.fromkeys(entry.path for entry in entries), includes, texts)
    host_files = closure(hosts, includes, texts)
    tiling = _tiling_functions(host_files, definition, name, texts)
    if not tiling:
        shared = _shared_tiling(includes, name, texts)
        host_files = closure([*hosts, *shared], includes, texts)
        tiling = _tiling_functions(host_files, definition, name, texts)
    structs = [
        struct
        for file in dict.fromkeys((*host_files, *kernel_files))
        for struct in texts.parsed(file, parse_tiling_structs)
    ]
    return Operator(
        name=name,
        root=root,
        layout=Layout.PROJECT,
        kernel_files=kernel_files,
        host_files=host_files,
        definition=definition,
        entries=tuple(entries),
        tiling_structs=tuple(structs),
        tiling_functions=tiling,
    )


def _chosen_entries(entries: list[Entry], root: Path, path: Path) -> list[Entry]:
    """One operator of the folder: the file asked for, else the folder's name, else all entries."""
    here = [entry for entry in entries if entry.path == path]
    if here:
        return here
    named = [entry for entry in entries if same_operator(entry.name, root.name)]
    return named or entries


def _host_sources(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    skipped = ("op_api", "op_graph", "config", "tests")
    return [
        file
        for file in sorted(folder.rglob("*"))
        if file.suffix in SUFFIXES
        and not file.name.startswith("aclnn")
        and not any(part in skipped for part in file.relative_to(folder).parts[:-1])
    ]


def _chosen_definition(definitions: list[OpDef], entries: list[Entry], root: Path) -> OpDef | None:
    names = [entry.name for entry in entries] or [root.name]
    for definition in definitions:
        if any(same_operator(definition.name, name) for name in names):
            return definition
    return definitions[0] if len(definitions) == 1 else None


def _tiling_functions(files: tuple[Path, ...], definition: OpDef | None, name: str, texts: Texts) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for file in files:
        for operator, function in texts.parsed(file, _registered_tilings):
            if same_operator(operator, name):
                found[function.rsplit("::", 1)[-1]] = None
    if not found and definition is not None and definition.tiling_function:
        found[definition.tiling_function] = None
    if not found and definition is None:
        # No OpDef to name it: the only function with the signature of one.
        named = {function for file in files for function in texts.parsed(file, _tiling_signatures)}
        found = dict.fromkeys(named if len(named) == 1 else ())
    return tuple(found)


def _registered_tilings(_path: Path, text: str) -> list[tuple[str, str]]:
    """Operators with the tiling functions that a file registers for them."""
    return [(match[1], match[2]) for match in _OPTILING.finditer(without_comments(text))] if "iling" in text else []


def _tiling_signatures(_path: Path, text: str) -> list[str]:
    return [match[1] for match in _TILING_FUNCTION.finditer(without_comments(text))]


def _is_host_side(text: str) -> bool:
    return bool(_TILING_FUNCTION.search(text) or _LAUNCH.search(text))


def _tiling_beside(kernel: Path, texts: Texts) -> Path | None:
    """The tiling source in the folder of a kernel that lies outside of op_kernel/, if there is exactly one."""
    found = [
        file
        for file in _sources(kernel.parent)
        if file != kernel and _is_host_side(texts.read(file)) and not _GLOBAL.search(texts.read(file))
    ]
    return found[0] if len(found) == 1 else None


def _shared_tiling(includes: IncludePath, name: str, texts: Texts) -> list[Path]:
    """Sources of the repository's common part that register a tiling function for ``name``."""
    return [
        file
        for files in includes.common_files().values()
        for file in files
        if file.suffix in IMPLEMENTATION
        and any(same_operator(match[1], name) for match in _OPTILING.finditer(texts.read(file)))
    ]


def _single(path: Path, texts: Texts, tiling: Path | None = None) -> Operator:
    text = texts.read(path)
    entries = texts.parsed(path, parse_entries)
    includes = IncludePath(path, [path.parent])
    files = closure([path], includes, texts)
    host_files = closure([tiling], includes, texts) if tiling is not None else ()
    structs = [
        struct for file in dict.fromkeys((*host_files, *files)) for struct in texts.parsed(file, parse_tiling_structs)
    ]
    plain = without_comments(text)
    return Operator(
        name=entries[0].name if entries else path.stem,
        root=path.parent if host_files else path,
        layout=Layout.BESIDE if host_files else Layout.SINGLE,
        kernel_files=files,
        host_files=host_files,
        definition=None,
        entries=tuple(entries),
        tiling_structs=tuple(structs),
        tiling_functions=tuple(match[1] for match in _SET_TILING.finditer(plain))
        or _tiling_functions(host_files, None, path.stem, texts),
    )
