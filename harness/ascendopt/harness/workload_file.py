"""Reads ``ascendopt.toml``: the workload of an operator. The format is in docs/workloads.md.

Everything that can be wrong with such a file ends in a ``WorkloadFileError``, one sentence that names the
file, the line, what is wrong and what would be right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ascendopt.analysis.toml_file import TomlFileError, read_toml
from ascendopt.harness.dtypes import DTYPES
from ascendopt.harness.dynamic_shapes import (
    RangeError,
    Sizes,
    is_range,
    parse_range,
    sample_members,
    size_of,
    sizes_text,
)
from ascendopt.harness.workload import AttrValue, Case, Sampled, TensorSpec, Workload
from ascendopt.harness.workloads import find_workload

FILE_NAME = "ascendopt.toml"
CATALOGUE = "catalogue"
SAMPLES = 8
MAX_SAMPLES = 64

_NUMBER = r"\s*-?[\d.eE+-]+\s*"
_DISTRIBUTION = re.compile(
    rf"(normal|uniform|integers|sorted|positive|special|range|constant|zeros|ones)(\({_NUMBER}(,{_NUMBER})?\))?"
    rf"|values\({_NUMBER}(,{_NUMBER})*\)"
)
_OPERATOR_KEYS = ("name",)
_CASE_KEYS = ("name", "dtypes", "inputs", "outputs", "attrs", "weight", "correctness_only", "dims", "samples", "seed")
_TENSOR_KEYS = ("name", "dtype", "shape", "shapes", "distribution", "absent", "checked")


class WorkloadFileError(TomlFileError):
    """A workload file that can't be used."""


@dataclass(frozen=True)
class WorkloadFile:
    """What an ``ascendopt.toml`` says: the workload, and the operator and chip that it is meant for.

    ``catalogue`` is the operator of the catalogue whose reference it uses (``reference = "catalogue:RmsNorm"``).
    """

    workload: Workload
    operator: str | None = None
    soc: str | None = None
    catalogue: str | None = None


def find_workload_file(operator: Path) -> Path | None:
    """The ``ascendopt.toml`` of an operator folder (or the file itself), or None."""
    if operator.name == FILE_NAME:
        return operator
    folder = operator if operator.is_dir() else operator.parent
    candidate = folder / FILE_NAME
    return candidate if candidate.is_file() else None


def read_workload_file(path: Path) -> WorkloadFile:
    """Read a workload file. Raises WorkloadFileError."""
    text, document = read_toml(path, WorkloadFileError)
    return _Reader(path, text).read(document)


def _items(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _catalogue_name(reference: str | None) -> str | None:
    prefix, _, name = (reference or "").partition(":")
    return name if prefix == CATALOGUE and name else None


class _Places:
    """Finds the line of a key: TOML parsers drop positions, so look for the text that must be there."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._headers = [
            (number, line.split("#")[0].strip())
            for number, line in enumerate(self._lines, 1)
            if re.match(r"\s*\[\[?[\w.\s\"-]+\]\]?\s*(#.*)?$", line)
        ]

    def table(self, header: str, index: int = 0) -> int | None:
        """Line of the ``index``-th header such as ``[[case]]``."""
        hits = [number for number, text in self._headers if text.replace(" ", "") == header]
        return hits[index] if index < len(hits) else None

    def key(self, start: int | None, pattern: str) -> int | None:
        """First line at or after ``start``, inside its table, that matches ``pattern``; else ``start``."""
        first = start or 1
        end = next((n for n, _ in self._headers if n > first), len(self._lines) + 1)
        for number in range(first, end):
            if re.search(pattern, self._lines[number - 1]):
                return number
        return start


class _Reader:
    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._places = _Places(text)
        self._table: int | None = None
        self._sizes: dict[str, int] = {}

    def read(self, document: Mapping[str, Any]) -> WorkloadFile:
        name = self._operator_table(document.get("operator", {})).get("name")
        self._table = None
        soc = self._text(document, "soc")
        stated = self._text(document, "reference")
        catalogue = _catalogue_name(stated)
        reference, function = self._known_reference(catalogue) if catalogue else self._reference(stated)
        raw_cases = document.get("case")
        if raw_cases is None:
            hint = " (it has 'cases'; the table is called 'case')" if "cases" in document else ""
            raise self._error(f"has no [[case]] table{hint}; add one case with inputs and outputs.", None)
        if not isinstance(raw_cases, list) or not raw_cases:
            raise self._error("'case' must be an array of tables, written as [[case]].", r"^\s*\[?case\b")
        cases: list[Case] = []
        for index, raw in enumerate(cast("list[Any]", raw_cases)):
            self._table = self._places.table("[[case]]", index)
            if not isinstance(raw, dict):
                raise self._error("'case' must be an array of tables, written as [[case]].", r"\bcase\b")
            cases.extend(self._case(cast("dict[str, Any]", raw), index))
        self._unique(cases)
        return WorkloadFile(Workload(tuple(cases), reference, self._path, function), name, soc, catalogue)

    def _error(self, reason: str, pattern: str | None, line: int | None = None) -> WorkloadFileError:
        if line is None:
            line = self._places.key(self._table, pattern) if pattern else self._table
        return WorkloadFileError(self._path, line, reason)

    def _operator_table(self, raw: Any) -> dict[str, str]:
        self._table = self._places.table("[operator]")
        if not isinstance(raw, dict):
            raise self._error("'operator' must be a table, written as [operator].", r"\boperator\b")
        table = cast("dict[str, Any]", raw)
        self._known(table, _OPERATOR_KEYS, "[operator]")
        return {key: value for key in table if (value := self._text(table, key))}

    def _text(self, table: Mapping[str, Any], key: str) -> str | None:
        value = table.get(key)
        if value is None or (isinstance(value, str) and value):
            return value
        raise self._error(f"'{key}' must be a text, as in {key} = \"...\".", rf"^\s*{re.escape(key)}\b")

    def _reference(self, name: str | None) -> tuple[Path | None, str]:
        """The file and the function in it; ``file.py:function`` names one that is not called ``reference``."""
        if name is None:
            return None, "reference"
        file, colon, function = name.rpartition(":")
        if not colon or not function.isidentifier():
            file, function = name, "reference"
        reference = self._path.parent / file
        if not reference.is_file():
            raise self._error(f"the reference '{file}' does not exist beside this file.", r"^\s*reference\b")
        return reference, function

    def _known_reference(self, name: str) -> tuple[Path, str]:
        """The reference of an operator of the catalogue."""
        found = find_workload(name)
        if found is None or found.reference is None:
            raise self._error(f"the catalogue has no reference for '{name}'.", r"^\s*reference\b")
        return found.reference, found.function

    def _known(self, table: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
        for key in table:
            if key not in keys:
                raise self._error(
                    f"unknown key '{key}' in {where}; known are {', '.join(keys)}.",
                    rf"(^|[\s,{{\"']){re.escape(key)}[\"']?\s*=",
                )

    def _unique(self, cases: Sequence[Case]) -> None:
        seen: set[str] = set()
        for case in cases:
            if case.name in seen:
                raise self._error(f"two cases are called '{case.name}'; names must differ.", None)
            seen.add(case.name)

    def _case(self, raw: dict[str, Any], index: int) -> list[Case]:
        name = raw.get("name", f"case{index + 1}")
        if not isinstance(name, str) or not name:
            raise self._error("the name of a case must be a text.", r"^\s*name\b")
        where = f"case '{name}'"
        self._known(raw, _CASE_KEYS, where)
        weight = raw.get("weight", 1.0)
        if isinstance(weight, bool) or not isinstance(weight, int | float) or weight <= 0:
            raise self._error(f"the weight of {where} must be a number above 0.", r"^\s*weight\b")
        only = raw.get("correctness_only", False)
        if not isinstance(only, bool):
            raise self._error(f"'correctness_only' of {where} must be true or false.", r"^\s*correctness_only\b")
        attrs = self._attrs(raw.get("attrs", {}), where)
        members = self._members(raw, name, where)
        cases: list[Case] = []
        for dtype in self._dtypes(raw.get("dtypes"), where):
            for member in members:
                self._sizes = dict(member.sizes) if member else {}
                inputs = self._tensors(raw, "inputs", dtype, where)
                outputs = self._tensors(raw, "outputs", dtype, where)
                full_name = (f"{name}[{member.label}]" if member else name) + (f"/{dtype}" if dtype else "")
                # Members share the weight: a case with ranges counts as much as one without.
                cases.append(Case(full_name, inputs, outputs, attrs, weight / len(members), only, member))
        return cases

    def _members(self, raw: Mapping[str, Any], name: str, where: str) -> Sequence[Sampled | None]:
        """What a case with ranges is sampled at; ``[None]`` for a case without."""
        count, seed = raw.get("samples", SAMPLES), raw.get("seed", 0)
        for key, value, low, high in (("samples", count, 3, MAX_SAMPLES), ("seed", seed, 0, 1 << 32)):
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise self._error(f"'{key}' of {where} must be a whole number from {low} to {high}.", rf"^\s*{key}\b")
        dims = self._dims(raw.get("dims", {}), where)
        texts = self._size_texts(raw, where)
        used = {word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text)}
        for dim in dims:
            if dim not in used:
                raise self._error(f"no shape of {where} uses the dimension '{dim}'.", r"^\s*dims\b")
        for text in texts:
            if is_range(text):
                dims[text] = self._range(text, where, re.escape(text))
        if not dims:
            for key in ("samples", "seed"):
                if key in raw:
                    raise self._error(f"'{key}' of {where} is for shapes with ranges; it has none.", rf"^\s*{key}\b")
            return [None]
        ranges = tuple((dim, sizes_text(sizes)) for dim, sizes in dims.items())
        members = sample_members(dims, count, seed, name)
        return [Sampled(name, ranges, tuple(member.items())) for member in members]

    def _dims(self, raw: Any, where: str) -> dict[str, Sizes]:
        if not isinstance(raw, dict):
            raise self._error(f"'dims' of {where} must be a table, as in {{ n = \"1..4096\" }}.", r"^\s*dims\b")
        dims: dict[str, Sizes] = {}
        for name, value in cast("dict[str, Any]", raw).items():
            if not name.isidentifier():
                raise self._error(f"the dimension '{name}' of {where} needs a name of letters.", r"^\s*dims\b")
            if isinstance(value, str):
                dims[name] = self._range(value, where, r"^\s*dims\b")
            elif isinstance(value, list) and value and all(type(v) is int and v >= 0 for v in cast("list[Any]", value)):
                dims[name] = tuple(sorted(set(cast("list[int]", value))))
            else:
                reason = f"the dimension '{name}' of {where} must be a range or a list of sizes"
                raise self._error(f'{reason}, as in "1..4096" or [128, 256].', r"^\s*dims\b")
        return dims

    def _range(self, text: str, where: str, pattern: str) -> Sizes:
        try:
            return parse_range(text)
        except RangeError as error:
            raise self._error(f"{error} (in {where}).", pattern) from error

    def _size_texts(self, raw: Mapping[str, Any], where: str) -> list[str]:
        """The texts in the shapes of a case, each once. What has another form is refused where tensors are read."""
        found: dict[str, None] = {}
        for tensor in (*_items(raw.get("inputs")), *_items(raw.get("outputs"))):
            table = cast("dict[str, Any]", tensor) if isinstance(tensor, dict) else {}
            for shape in (table.get("shape"), *_items(table.get("shapes"))):
                texts = [size for size in _items(shape) if isinstance(size, str)]
                found |= dict.fromkeys(texts)
                twice = next((text for text in texts if is_range(text) and texts.count(text) > 1), None)
                if twice is not None:
                    reason = f"the range '{twice}' stands twice in a shape of {where}"
                    raise self._error(f"{reason}; name both under 'dims' to say whether they agree.", re.escape(twice))
        return list(found)

    def _dtypes(self, raw: Any, where: str) -> Sequence[str | None]:
        if raw is None:
            return [None]
        if not isinstance(raw, list) or not raw:
            raise self._error(f"'dtypes' of {where} must be a list of dtype names.", r"^\s*dtypes\b")
        return [self._dtype(value, where, r"^\s*dtypes\b") for value in cast("list[Any]", raw)]

    def _dtype(self, value: Any, where: str, pattern: str) -> str:
        if value not in DTYPES:
            raise self._error(f"unknown dtype {value!r} in {where}; known are {', '.join(sorted(DTYPES))}.", pattern)
        return cast("str", value)

    def _attrs(self, raw: Any, where: str) -> dict[str, AttrValue]:
        if not isinstance(raw, dict):
            raise self._error(f"'attrs' of {where} must be a table, as in {{ dim = -1 }}.", r"^\s*attrs\b")
        attrs: dict[str, AttrValue] = {}
        for key, value in cast("dict[str, Any]", raw).items():
            if isinstance(value, list):
                items = cast("list[Any]", value)
                if not all(isinstance(item, int | float) for item in items):
                    raise self._error(f"attribute '{key}' of {where} may list numbers only.", r"^\s*attrs\b")
                attrs[key] = tuple(items)
            elif isinstance(value, bool | int | float | str):
                attrs[key] = value
            else:
                raise self._error(
                    f"attribute '{key}' of {where} must be a boolean, number, text or list of numbers.",
                    r"^\s*attrs\b",
                )
        return attrs

    def _tensors(self, raw: Mapping[str, Any], key: str, dtype: str | None, where: str) -> tuple[TensorSpec, ...]:
        value = raw.get(key)
        if not isinstance(value, list) or (key == "outputs" and not value):
            raise self._error(f"{where} needs '{key}', a list of {{ name, dtype, shape }} tables.", rf"^\s*{key}\b")
        return tuple(self._tensor(item, key, dtype, where) for item in cast("list[Any]", value))

    def _tensor(self, raw: Any, key: str, dtype: str | None, where: str) -> TensorSpec:
        start = rf"^\s*{key}\b"
        if not isinstance(raw, dict):
            raise self._error(f"each of the {key} of {where} must be a table {{ name, dtype, shape }}.", start)
        table = cast("dict[str, Any]", raw)
        self._known(table, _TENSOR_KEYS, f"the {key} of {where}")
        name = table.get("name")
        if not isinstance(name, str) or not name:
            raise self._error(f"one of the {key} of {where} has no name.", start)
        here = rf"name\s*=\s*[\"']{re.escape(name)}[\"']"
        which = f"'{name}' of {where}"
        if "dtype" in table:
            dtype = self._dtype(table["dtype"], which, here)
        if dtype is None:
            raise self._error(f"{which} has no dtype, and the case has no 'dtypes'.", here)
        distribution = table.get("distribution", "normal")
        if not isinstance(distribution, str) or not _DISTRIBUTION.fullmatch(distribution):
            raise self._error(
                f"unknown distribution {distribution!r} for {which}; use normal, normal(mean, std), "
                "uniform(low, high), integers(low, high), sorted(low, high), positive, special, range(start, step), "
                "values(a, b, ..), constant(value), zeros or ones.",
                here,
            )
        checked = table.get("checked", True)
        if not isinstance(checked, bool) or (key == "inputs" and not checked):
            raise self._error(f"'checked' of {which} must be true or false, and only outputs may have it.", here)
        is_list = "shapes" in table
        return TensorSpec(name, dtype, self._shapes(table, which, here), is_list, distribution, checked)

    def _shapes(self, table: Mapping[str, Any], which: str, here: str) -> tuple[tuple[int, ...], ...]:
        given = [key for key in ("shape", "shapes", "absent") if key in table]
        if len(given) != 1:
            said = f"has {' and '.join(given)}" if given else "has no shape"
            raise self._error(f"{which} {said}; give one of shape = [..], shapes = [[..], ..] or absent = true.", here)
        if given == ["absent"]:
            if table["absent"] is not True:
                raise self._error(f"'absent' of {which} may only be true.", here)
            return ()
        if given == ["shape"]:
            return (self._shape(table["shape"], which, here),)
        shapes = table["shapes"]
        if not isinstance(shapes, list) or not shapes:
            raise self._error(f"'shapes' of {which} must be a list of shapes, as in [[16, 8], [7]].", here)
        return tuple(self._shape(shape, which, here) for shape in cast("list[Any]", shapes))

    def _size(self, raw: Any, which: str, here: str) -> Any:
        """A text becomes the size that it has for the member being read."""
        if not isinstance(raw, str):
            return raw
        try:
            return size_of(raw, self._sizes)
        except RangeError as error:
            raise self._error(f"{error} (in the shape of {which}).", here) from error

    def _shape(self, raw: Any, which: str, here: str) -> tuple[int, ...]:
        dims = [self._size(size, which, here) for size in cast("list[Any]", raw)] if isinstance(raw, list) else None
        if dims is None or not all(isinstance(d, int) and not isinstance(d, bool) and d >= 0 for d in dims):
            raise self._error(f"the shape {raw!r} of {which} must be a list of whole numbers >= 0.", here)
        elements = 1
        for dim in dims:
            elements *= dim
        if elements > 1 << 33:
            raise self._error(f"the shape {raw!r} of {which} has more than 2^33 elements.", here)
        return tuple(dims)
