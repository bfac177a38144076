"""Writes ``ascendopt.toml`` files that people go on with: cases that differ in their dtype alone share a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from ascendopt.harness.dtypes import DTYPES
from ascendopt.harness.workload import Case, TensorSpec
from ascendopt.harness.workload_file import CATALOGUE, WorkloadFile


def workload_text(folder: Path, content: WorkloadFile, comments: Sequence[str] = ()) -> str:
    """``content`` as the text of a workload file in ``folder`` that reads back to equal values, in the same order.

    The reference is written relative to ``folder``. ``comments`` are lines for its head.
    """
    lines = [f"# {_one_line(comment)}".rstrip() for comment in comments]
    lines += [*([""] if lines else []), *_fields(folder, content)]
    if content.operator is not None:
        lines += ["", "[operator]", f"name = {_toml(content.operator)}"]
    for cases in _groups(content.workload.cases):
        lines += ["", *_case_lines(cases)]
    return "\n".join(lines) + "\n"


def _fields(folder: Path, content: WorkloadFile) -> Iterator[str]:
    if content.soc is not None:
        yield f"soc = {_toml(content.soc)}"
    reference, function = content.workload.reference, content.workload.function
    if content.catalogue is not None:
        yield f"reference = {_toml(f'{CATALOGUE}:{content.catalogue}')}"
    elif reference is not None:
        resolved, base = reference.resolve(), folder.resolve()
        relative = resolved.relative_to(base) if resolved.is_relative_to(base) else resolved
        yield f"reference = {_toml(relative.as_posix() + (f':{function}' if function != 'reference' else ''))}"


def _groups(cases: Sequence[Case]) -> Iterator[Sequence[Case]]:
    """Neighbours that one table with ``dtypes`` says, in order."""
    start = 0
    for end in range(1, len(cases) + 1):
        if end == len(cases) or not _together(cases[start], cases[end]):
            yield cases[start:end]
            start = end


def _together(first: Case, other: Case) -> bool:
    one, two = _shared_dtype(first), _shared_dtype(other)
    return one is not None and two is not None and _with_dtype(first, one, two) == other


def _shared_dtype(case: Case) -> str | None:
    """The dtype at the end of the name of a case, ``large/float16``."""
    base, slash, dtype = case.name.rpartition("/")
    return dtype if base and slash and dtype in DTYPES else None


def _with_dtype(case: Case, before: str, after: str) -> Case:
    def change(specs: Sequence[TensorSpec]) -> tuple[TensorSpec, ...]:
        return tuple(replace(spec, dtype=after) if spec.dtype == before else spec for spec in specs)

    name = f"{case.name.rpartition('/')[0]}/{after}"
    return replace(case, name=name, inputs=change(case.inputs), outputs=change(case.outputs))


def _case_lines(cases: Sequence[Case]) -> list[str]:
    case = cases[0]
    dtypes = [dtype for each in cases if (dtype := _shared_dtype(each)) is not None]
    shared = dtypes[0] if dtypes else None
    name = case.name.rpartition("/")[0] if shared else case.name
    lines = ["[[case]]", f"name = {_toml(name)}"]
    if shared:
        lines.append(f"dtypes = {_toml(tuple(dtypes))}")
    for key, specs in (("inputs", case.inputs), ("outputs", case.outputs)):
        lines.append(f"{key} = [")
        lines += [f"  {_tensor_text(spec, shared)}," for spec in specs]
        lines.append("]")
    if case.attrs:
        inner = ", ".join(f"{_key(name)} = {_toml(value)}" for name, value in case.attrs.items())
        lines.append(f"attrs = {{ {inner} }}")
    if case.weight != 1.0:
        lines.append(f"weight = {case.weight!r}")
    if case.correctness_only:
        lines.append("correctness_only = true")
    return lines


def _one_line(comment: str) -> str:
    """TOML comments end with the line and may hold no control characters."""
    return re.sub(r"[\x00-\x1f\x7f]+", " ", comment)


def _tensor_text(spec: TensorSpec, shared: str | None) -> str:
    parts = [f"name = {_toml(spec.name)}"]
    if spec.dtype != shared:
        parts.append(f"dtype = {_toml(spec.dtype)}")
    if not spec.shapes:
        parts.append("absent = true")
    elif spec.is_list:
        parts.append(f"shapes = {_toml(spec.shapes)}")
    else:
        parts.append(f"shape = {_toml(spec.shape)}")
    if not spec.checked:
        parts.append("checked = false")
    if spec.distribution != "normal":
        parts.append(f"distribution = {_toml(spec.distribution)}")
    return f"{{ {', '.join(parts)} }}"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        escaped = re.sub(r"[\x00-\x1f\x7f]", lambda m: f"\\u{ord(m.group()):04x}", escaped)
        return f'"{escaped}"'
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(item) for item in cast('tuple[object, ...]', value))}]"
    return repr(value)
