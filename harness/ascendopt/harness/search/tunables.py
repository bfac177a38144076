"""Finds the numbers in host and kernel code that a tiling search may change.

Found by name and use, or marked by the author: ``// ascendopt: tune`` (domain chosen here), ``// ascendopt:
tune[1,2,4]`` or ``// ascendopt: tune[256..8192:256]`` on the line of the number or the line above. ``//
ascendopt: fixed`` keeps a number out. Constants of one name and value in several files are one tunable:
host and kernel have to change together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tree_sitter import Node

from ascendopt.harness.search.domains import BUFFERS, SHARES, domain_for, role_of
from ascendopt.harness.search.expressions import EXPRESSION, find_choices
from ascendopt.harness.search.host_code import Replacement, head_of, is_host, parsed, replaced, text_of

_MARKER = re.compile(r"//.*?\bascendopt:\s*(tune|fixed)\b\s*(?:\[([^\]]*)\])?")
_ADORNMENT = re.compile(rb"\b(__\w+__|__aicore__|__gm__|__ubuf__|__global__)\b")
_DEFINE = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+\(?[ \t]*(\d+)[uUlL]*[ \t]*\)?[ \t]*(?://.*|/\*.*)?\r?$",
    re.M,
)
_INTEGER = re.compile(r"(0[xX][0-9a-fA-F']+|[0-9][0-9']*)([uUlL]*)")
_INTEGER_TYPE = re.compile(r"\b(u?int(8|16|32|64)?_t|size_t|int|unsigned|long|auto|short)\b")
_MAX_DOMAIN = 256
_BLOCK_DIM_CALL = "SetBlockDim"


@dataclass(frozen=True)
class Site:
    """One place of a number: the bytes ``[start, end)`` of ``path`` hold the literal; ``suffix`` is kept."""

    path: str
    start: int
    end: int
    suffix: str = ""


@dataclass(frozen=True)
class Tunable:
    """A number with the values that it may take. ``domain`` is ascending and holds ``value``.

    With ``alternatives`` it is an expression (role ``expression``), and its values are indices of theirs; that of the
    author is 0.
    """

    name: str
    value: int
    role: str
    domain: tuple[int, ...]
    sites: tuple[Site, ...]
    line: int
    marked: bool = False
    alternatives: tuple[str, ...] = ()

    def text(self, value: int, suffix: str = "") -> str:
        """What stands at its sites for ``value``: the number, or the expression with that index."""
        return self.alternatives[value] if self.alternatives else f"{value}{suffix}"

    @property
    def path(self) -> str:
        """The file of the first site."""
        return self.sites[0].path


class TunableError(ValueError):
    """A marker that makes no sense. The message is one sentence with file and line."""


@dataclass(frozen=True)
class _Number:
    """A literal (or product of literals) with the name that it initialises."""

    name: str
    value: int
    start: int
    end: int
    suffix: str
    constant: bool
    scope: str


@dataclass(frozen=True)
class _Marker:
    kind: str
    domain: tuple[int, ...] | None


@dataclass(frozen=True)
class _Markers:
    """The marker comments of a file, by line; a line counts from 1."""

    lines: Sequence[str]
    found: Mapping[int, _Marker]

    @staticmethod
    def read(path: str, source: bytes) -> _Markers:
        """Raises TunableError for a domain that is none."""
        lines = source.decode("utf-8", "replace").split("\n")
        found: dict[int, _Marker] = {}
        for number, line in enumerate(lines, 1):
            match = _MARKER.search(line)
            if match is None:
                continue
            domain = None
            if match.group(2) is not None:
                domain = _marked_domain(match.group(2))
                if domain is None:
                    raise TunableError(
                        f"{path}:{number}: 'tune[{match.group(2)}]' is no list of whole numbers; "
                        "write tune[1,2,4] or tune[256..8192:256]."
                    )
            found[number] = _Marker(match.group(1), domain)
        return _Markers(lines, found)

    def at(self, line: int) -> _Marker | None:
        """That of ``line`` itself, else of a comment above it."""
        above = line > 1 and self.lines[line - 2].strip().startswith("//")
        return self.found.get(line) or (self.found.get(line - 1) if above else None)


def find_tunables(texts: Mapping[str, str]) -> list[Tunable]:
    """Numbers and expressions of an operator's files that may be changed, in a stable order.

    ``texts`` maps paths to whole texts. Raises TunableError for a marker that can't be used.
    """
    numbers = find_numbers(texts)
    return _unique_names([*numbers, *_expressions(texts, numbers)])


def find_numbers(texts: Mapping[str, str]) -> list[Tunable]:
    """The numbers alone."""
    found: dict[tuple[str, int], list[Tunable]] = {}
    identifiers = _identifier_counts(texts.values())
    for path in sorted(texts):
        source = texts[path].encode("utf-8", "surrogateescape")
        for tunable in _in_file(path, source, identifiers):
            found.setdefault((tunable.name, tunable.value), []).append(tunable)
    return _unique_names(_linked(group) for group in found.values())


def _expressions(texts: Mapping[str, str], numbers: Sequence[Tunable]) -> Iterator[Tunable]:
    """The expressions of host files that may be replaced and hold no number that is tuned itself."""
    taken = [site for tunable in numbers for site in tunable.sites]
    for path in filter(is_host, sorted(texts)):
        source = texts[path].encode("utf-8", "surrogateescape")
        markers = _Markers.read(path, source)
        for choice in find_choices(source):
            inside = any(site.path == path and choice.start <= site.start < choice.end for site in taken)
            marker = markers.at(choice.line)
            if inside or (marker is not None and marker.kind == "fixed"):
                continue
            domain = tuple(range(len(choice.alternatives)))
            site = Site(path, choice.start, choice.end)
            yield Tunable(choice.name, 0, EXPRESSION, domain, (site,), choice.line, False, choice.alternatives)


def apply_values(texts: Mapping[str, str], tunables: Sequence[Tunable], values: Mapping[str, int]) -> dict[str, str]:
    """The new texts of the files that change when tunables take ``values``; all other bytes stay."""
    edits: dict[str, list[Replacement]] = {}
    for tunable in tunables:
        value = values.get(tunable.name, tunable.value)
        if value != tunable.value:
            for site in tunable.sites:
                text = tunable.text(value, site.suffix)
                edits.setdefault(site.path, []).append(Replacement(site.start, site.end, text))
    return {path: replaced(texts[path], changes) for path, changes in edits.items()}


def _linked(group: Sequence[Tunable]) -> Tunable:
    """One tunable for all constants of a name and value."""
    first = group[0]
    domain = next((t.domain for t in group if t.marked), first.domain)
    sites = tuple(site for tunable in group for site in tunable.sites)
    marked = any(tunable.marked for tunable in group)
    host_only = all(site.path.startswith("op_host/") for site in sites)
    role = SHARES if first.role == BUFFERS and host_only else first.role
    return Tunable(first.name, first.value, role, domain, sites, first.line, marked)


def _unique_names(tunables: Iterable[Tunable]) -> list[Tunable]:
    seen: dict[str, int] = {}
    result: list[Tunable] = []
    for tunable in sorted(tunables, key=lambda t: (t.path, t.sites[0].start)):
        count = seen.get(tunable.name, 0)
        seen[tunable.name] = count + 1
        name = f"{tunable.name}#{count + 1}" if count else tunable.name
        result.append(replace(tunable, name=name))
    return result


def _identifier_counts(texts: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for text in texts:
        for word in re.findall(r"[A-Za-z_]\w*", re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)):
            counts[word] = counts.get(word, 0) + 1
    return counts


def _in_file(path: str, source: bytes, identifiers: Mapping[str, int]) -> list[Tunable]:
    markers = _Markers.read(path, source)
    masked = _ADORNMENT.sub(lambda match: b" " * len(match.group()), source)
    numbers = [*_defines(source), *_walk(parsed(masked), source)]
    bounds = set(re.findall(r"\[\s*([A-Za-z_]\w*)\s*[\]*+-]", source.decode("utf-8", "replace")))
    result: list[Tunable] = []
    taken: set[int] = set()
    for number in sorted(numbers, key=lambda n: n.start):
        line = source.count(b"\n", 0, number.start) + 1
        marker = markers.at(line)
        if number.start in taken or (marker and marker.kind == "fixed"):
            continue
        role = role_of(number.name, number.value, number.constant, host=is_host(path))
        if marker is None and (role is None or number.name in bounds or not _used(number.name, identifiers)):
            continue
        role = role or "marked"
        domain = marker.domain if marker and marker.domain else domain_for(role, number.value)
        domain = tuple(sorted({*domain, number.value}))
        if len(domain) < 2:
            continue
        taken.add(number.start)
        site = Site(path, number.start, number.end, number.suffix)
        result.append(Tunable(number.name, number.value, role, domain, (site,), line, marker is not None))
    return result


def _used(name: str, identifiers: Mapping[str, int]) -> bool:
    """Whether a name occurs a second time; the argument of a call needs no second place."""
    return name == _BLOCK_DIM_CALL or identifiers.get(name, 0) > 1


def _marked_domain(text: str) -> tuple[int, ...] | None:
    span = re.fullmatch(r"\s*(\d+)\s*\.\.\s*(\d+)\s*(?::\s*(\d+)\s*)?", text)
    if span:
        low, high, step = int(span.group(1)), int(span.group(2)), int(span.group(3) or 1)
        if step < 1 or low > high or (high - low) // step >= _MAX_DOMAIN:
            return None
        return tuple(range(low, high + 1, step))
    try:
        values = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        return None
    return values if all(value >= 0 for value in values) else None


def _defines(source: bytes) -> list[_Number]:
    return [
        _Number(match.group(1).decode(), int(match.group(2)), match.start(2), match.end(2), "", True, "")
        for match in _DEFINE.finditer(source)
    ]


def _walk(root: Node, source: bytes) -> list[_Number]:
    numbers: list[_Number] = []
    stack: list[tuple[Node, str]] = [(root, "")]
    while stack:
        node, scope = stack.pop()
        if node.type in ("function_definition", "class_specifier"):
            head = head_of(node, source)
            if head is None:
                continue
            scope = head
        if node.type == "init_declarator":
            numbers += _declared(node, source, scope)
        elif node.type == "field_declaration":
            numbers += _field(node, source, scope)
        elif node.type == "assignment_expression":
            numbers += _assigned(node, source, scope)
        elif node.type == "call_expression":
            numbers += _block_dim(node, source, scope)
        stack.extend((child, scope) for child in reversed(node.children))
    return numbers


def _declared(node: Node, source: bytes, scope: str) -> list[_Number]:
    name, value, parent = (
        node.child_by_field_name("declarator"),
        node.child_by_field_name("value"),
        node.parent,
    )
    if name is None or value is None or parent is None or name.type != "identifier":
        return []
    head = source[parent.start_byte : node.start_byte].decode("utf-8", "replace")
    if not _INTEGER_TYPE.search(head):
        return []
    return _numbers(text_of(name, source), value, source, bool(re.search(r"\bconst(expr)?\b", head)), scope)


def _field(node: Node, source: bytes, scope: str) -> list[_Number]:
    name, value = node.child_by_field_name("declarator"), node.child_by_field_name("default_value")
    head = text_of(node, source).split("=")[0]
    if name is None or value is None or "const" not in head or not _INTEGER_TYPE.search(head):
        return []
    return _numbers(text_of(name, source), value, source, True, scope)


def _assigned(node: Node, source: bytes, scope: str) -> list[_Number]:
    left, right, sign = (node.child_by_field_name(field) for field in ("left", "right", "operator"))
    if left is None or right is None or sign is None or text_of(sign, source) != "=":
        return []
    name = re.split(r"->|\.", text_of(left, source))[-1]
    return _numbers(name, right, source, False, scope) if name.isidentifier() else []


def _block_dim(node: Node, source: bytes, scope: str) -> list[_Number]:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or not text_of(function, source).endswith(_BLOCK_DIM_CALL):
        return []
    inner = arguments.named_children
    return _numbers(_BLOCK_DIM_CALL, inner[0], source, False, scope) if len(inner) == 1 else []


def _numbers(name: str, value: Node, source: bytes, constant: bool, scope: str) -> list[_Number]:
    """The literals that a name is set to: one, or one per arm of a conditional."""
    while value.type == "parenthesized_expression" and value.named_child_count == 1:
        value = value.named_children[0]
    if value.type == "conditional_expression":
        arms = [value.child_by_field_name(field) for field in ("consequence", "alternative")]
        return [n for arm in arms if arm is not None for n in _numbers(name, arm, source, constant, scope)]
    parsed = _literal(text_of(value, source)) if value.type in ("number_literal", "binary_expression") else None
    if parsed is None:
        return []
    return [_Number(name, parsed[0], value.start_byte, value.end_byte, parsed[1], constant, scope)]


def _literal(text: str) -> tuple[int, str] | None:
    """Value and suffix of an integer literal or of a product of them (``16 * 1024``)."""
    product, suffix = 1, ""
    for part in text.split("*"):
        match = _INTEGER.fullmatch(part.strip())
        if match is None:
            return None
        digits = match.group(1).replace("'", "")
        octal = len(digits) > 1 and digits.startswith("0") and digits.isdigit()
        product *= int(digits, 8) if octal else int(digits, 0)
        suffix = match.group(2) or suffix
    return product, suffix
