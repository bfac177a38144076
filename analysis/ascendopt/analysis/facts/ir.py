"""Intermediate form of function bodies: what the walker executes.

Positions are byte offsets relative to the start of the function definition, so a function whose text did not
change keeps its form when the text above it moves. Types are texts as written, qualifiers and spaces dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ascendopt.analysis.facts.places import Region


@dataclass(slots=True, eq=False)
class Expr:
    """An expression; ``start`` and ``end`` are relative byte offsets."""

    start: int
    end: int


@dataclass(slots=True, eq=False)
class Num(Expr):
    """An integer or character literal; ``value`` is None for floating point and strings."""

    value: int | None


@dataclass(slots=True, eq=False)
class Name(Expr):
    """A name without its namespace qualifiers (``scope`` keeps them); template arguments as texts."""

    name: str
    targs: tuple[str, ...] = ()
    scope: str = ""


@dataclass(slots=True, eq=False)
class Member(Expr):
    """``base.name`` or ``base->name``; ``this`` is the Name ``this``. ``name_start`` is where the name
    begins."""

    base: Expr
    name: str
    targs: tuple[str, ...] = ()
    name_start: int = 0


@dataclass(slots=True, eq=False)
class Index(Expr):
    """``base[index]``."""

    base: Expr
    index: Expr


@dataclass(slots=True, eq=False)
class Call(Expr):
    """``callee(args)``."""

    callee: Expr
    args: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Unary(Expr):
    """``op operand``; ``++`` and ``--`` (before or after) are assignments instead."""

    op: str
    operand: Expr


@dataclass(slots=True, eq=False)
class Binary(Expr):
    """``left op right``."""

    op: str
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class Ternary(Expr):
    """``condition ? then : otherwise``."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(slots=True, eq=False)
class Cast(Expr):
    """A conversion in any spelling."""

    type: str
    operand: Expr


@dataclass(slots=True, eq=False)
class SizeOf(Expr):
    """``sizeof`` of a type or a name (``text``)."""

    text: str


@dataclass(slots=True, eq=False)
class Braces(Expr):
    """``{a, b}`` or ``Type{a, b}``; ``fields`` are designators, empty when positional."""

    type: str
    items: tuple[Expr, ...]
    fields: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Assign(Expr):
    """``target op value`` with ``op`` one of ``=``, ``+=`` ...; ``++x`` is ``x += 1``."""

    op: str
    target: Expr
    value: Expr


@dataclass(slots=True, eq=False)
class Lambda(Expr):
    """A lambda; parameters as (type, name)."""

    parameters: tuple[tuple[str, str], ...]
    body: tuple[Stmt, ...]


@dataclass(slots=True, eq=False)
class Opaque(Expr):
    """Something that is not understood; ``parts`` are evaluated for their calls."""

    parts: tuple[Expr, ...] = ()


@dataclass(slots=True, eq=False)
class Stmt:
    """A statement."""

    start: int
    end: int


@dataclass(slots=True, eq=False)
class ExprStmt(Stmt):
    """An expression for its effect."""

    expr: Expr


@dataclass(slots=True, eq=False)
class Decl(Stmt):
    """One declared variable. ``init`` is the initialiser, ``args`` those of ``T x(a, b)`` (None: no
    parentheses); ``array`` is the length expression; ``indirect`` is ``&``, ``*`` or empty."""

    type: str
    name: str
    init: Expr | None
    args: tuple[Expr, ...] | None
    array: Expr | None
    indirect: str
    name_start: int
    is_static: bool = False


@dataclass(slots=True, eq=False)
class If(Stmt):
    """``condition`` None: a preprocessor branch; ``directive`` is its condition when it asks for dtypes. ``link`` is
    the region of a link of an entry's else-if chain (see ``Piece``), and ``length`` one that changes when the whole
    link has another length."""

    condition: Expr | None
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]
    link: Region | None = None
    length: Region | None = None
    is_constexpr: bool = False
    directive: str = ""


@dataclass(slots=True, eq=False)
class Loop(Stmt):
    """Any loop. ``init`` runs once before; ``test_first`` is False for ``do``; ``assigned`` and ``called``
    are the names that condition, update and body assign and call, ``passed`` the plain arguments of those
    calls as (function, position, name)."""

    init: tuple[Stmt, ...]
    condition: Expr | None
    update: Expr | None
    body: tuple[Stmt, ...]
    header_end: int
    test_first: bool
    assigned: frozenset[str]
    called: frozenset[str]
    passed: frozenset[tuple[str, int, str]]


@dataclass(slots=True, eq=False)
class Switch(Stmt):
    """``cases`` are (label, statements); label None is ``default``."""

    value: Expr
    cases: tuple[tuple[Expr | None, tuple[Stmt, ...]], ...]


@dataclass(slots=True, eq=False)
class Using(Stmt):
    """``using name = type;`` or ``typedef type name;`` inside a function."""

    name: str
    type: str


@dataclass(slots=True, eq=False)
class Exit(Stmt):
    """``return``, ``break`` or ``continue``."""

    kind: str
    value: Expr | None


@dataclass(slots=True, eq=False)
class Block(Stmt):
    """A braced block: a scope of its own."""

    body: tuple[Stmt, ...]


@dataclass(slots=True, eq=False)
class Piece(Stmt):
    """A part of an entry with a region of its own, to which the positions inside are relative: one link of an
    else-if chain, one arm, or a statement behind the first chain. ``is_scope`` for an arm."""

    region: Region
    data: bytes
    body: tuple[Stmt, ...]
    is_scope: bool


@dataclass(slots=True, eq=False)
class Parameter:
    """A function parameter; ``indirect`` is ``&``, ``*`` or empty, ``default`` its default argument."""

    type: str
    name: str
    indirect: str = ""
    default: Expr | None = None
    is_const: bool = False


@dataclass(slots=True, eq=False)
class Body:
    """A lowered function definition: parameters, statements, member initialisers, names that it assigns,
    calls and passes."""

    parameters: tuple[Parameter, ...]
    statements: tuple[Stmt, ...]
    initialisers: tuple[tuple[str, tuple[Expr, ...]], ...]
    assigned: frozenset[str]
    called: frozenset[str]
    declared_types: frozenset[str]
    passed: frozenset[tuple[str, int, str]] = frozenset()
    returns: str = ""
    """The type of what it gives, as written; empty where it states none."""
    required: int = field(init=False)
    """How many parameters have no default argument."""

    def __post_init__(self) -> None:
        self.required = sum(parameter.default is None for parameter in self.parameters)

    def accepts(self, count: int) -> bool:
        """True when the function can be called with ``count`` arguments."""
        return self.required <= count <= len(self.parameters)
