"""What facts are about: places, declared pipes, queues and functions, and the operands of calls."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ascendopt.analysis.facts.places import Place
from ascendopt.analysis.findings import Span
from ascendopt.analysis.values import Value


@dataclass(slots=True, unsafe_hash=True)
class Site:
    """A place in a file. ``function`` is the qualified name of the enclosing function, or ``""``."""

    path: Path
    place: Place
    function: str = ""

    @property
    def span(self) -> Span:
        """The byte range."""
        return self.place.span


@dataclass(frozen=True)
class PipeFact:
    """A ``TPipe`` object. ``where`` is ``member``, ``local`` or ``global``; pointers and references are not
    objects and are not listed. ``owner`` is the class of a member or the function of a local."""

    name: str
    where: str
    owner: str
    site: Site


@dataclass(frozen=True)
class QueueFact:
    """A declared ``TQue``, ``TQueBind`` or ``TBuf``.

    ``positions``: ``("VECIN",)``, for TQueBind source and destination; TBuf defaults to ``("VECCALC",)``.
    ``depth`` is None for TBuf and when the template argument is not understood. ``count`` is the array length
    of ``TQue<...> q[n]`` (1 for a plain object, None if not constant). ``owner`` as in ``PipeFact``.
    """

    name: str
    kind: str
    positions: tuple[str, ...]
    depth: Value | None
    owner: str
    site: Site
    count: int | None = 1

    def __hash__(self) -> int:
        return hash(
            (self.name, self.owner)
        )  # tables are keyed by queues: depth and place cost more than they tell apart

    @property
    def is_buffer(self) -> bool:
        """True for TBuf (no queue semantics)."""
        return self.kind == "TBuf"


@dataclass(frozen=True)
class TemplateParam:
    """``typename T`` has kind ``type``; ``int32_t N`` or ``bool B`` has kind ``value``; anything else
    ``other``."""

    name: str
    kind: str
    default: str | None = None


@dataclass(frozen=True)
class FunctionFact:
    """A function definition. ``name`` is qualified (``KernelAdd::CopyIn``); ``is_entry`` means
    ``__global__``."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    templates: tuple[TemplateParam, ...]
    site: Site
    name_span: Span
    is_entry: bool = False

    @property
    def short_name(self) -> str:
        """The name without its class."""
        return self.name.rsplit("::", 1)[-1]


@dataclass(slots=True, unsafe_hash=True)
class TensorFact:
    """A tensor operand as far as it is known.

    ``memory``: ``local`` (UB, L1, L0) or ``global``. ``element``: dtype name (``half``, ``float``,
    ``int32_t``, ``bfloat16_t`` ...) or None. ``element_bytes`` is a constant Value when the type is known,
    else symbolic. ``queue`` is the queue or TBuf it came from (None when unknown), ``position`` its
    TPosition. ``offset`` is the distance from the start of its buffer in *bytes* (Value; None if unknown).
    ``handle`` identifies the tensor that AllocTensor/DeQue/Get returned: two TensorFacts with the same handle
    alias one buffer. ``name`` is the source name (``xLocal``, ``xGm``). ``length`` is the element count of
    ``Get(n)`` or SetGlobalBuffer, if stated. ``origin`` is the entry's argument that a global tensor lies in, and
    ``offset`` then counts from there.
    """

    memory: str
    element: str | None
    element_bytes: Value
    name: str
    queue: QueueFact | None = None
    position: str | None = None
    offset: Value | None = None
    handle: int | None = None
    length: Value | None = None
    origin: str | None = None

    def named(self, name: str) -> TensorFact:
        """The same tensor under another name."""
        return self._copy(name, self.offset, self.length)

    def at(self, offset: Value | None, length: Value | None) -> TensorFact:
        """A part of the tensor: its offset in bytes from the start of the buffer, and its elements."""
        return self._copy(self.name, offset, length)

    def _copy(self, name: str, offset: Value | None, length: Value | None) -> TensorFact:
        """What ``dataclasses.replace`` would give: walks make so many that its checks show."""
        return TensorFact(
            self.memory,
            self.element,
            self.element_bytes,
            name,
            self.queue,
            self.position,
            offset,
            self.handle,
            length,
            self.origin,
        )

    @property
    def buffer(self) -> object:
        """What lies in one buffer has this in common: the TBuf, else the tensor's ``handle``. None when not known."""
        if self.queue is not None and self.queue.is_buffer and self.queue.count == 1:
            return self.queue
        return self.handle


@dataclass(slots=True, unsafe_hash=True)
class Argument:
    """One argument of a call. ``value`` for integers, ``tensor`` for tensors, ``fields`` for parameter
    structs (``DataCopyParams{1, n, 0, 0}`` -> ``blockCount``, ``blockLen`` ...; missing keys are not known) and
    arrays (``[0]``, ``[1]`` ...; inside of structs ``elementLengths[0]``).
    ``named`` is the value of an enumeration of the API, ``CMPMODE::GT``, however it came here. ``text`` is the source
    text."""

    text: str
    place: Place
    value: Value | None = None
    tensor: TensorFact | None = None
    fields: tuple[tuple[str, Value], ...] = ()
    struct: str | None = None
    dtype: str | None = None
    assigned: tuple[tuple[str, Place], ...] = ()
    named: str | None = None

    @property
    def enumerator(self) -> str:
        """The name of the enumeration's value alone, ``GT``; the last name of the text where it is none."""
        return (self.named or self.text.strip()).rpartition("::")[2]

    @property
    def span(self) -> Span:
        """The byte range of the argument."""
        return self.place.span

    def field(self, name: str) -> Value | None:
        """Value of one field of a parameter struct, or None."""
        for key, value in self.fields:
            if key == name:
                return value
        return None

    def set_at(self, name: str) -> Place | None:
        """Where one field of a parameter struct was last assigned (``p.blockLen = n``), or None."""
        return dict(self.assigned).get(name)
