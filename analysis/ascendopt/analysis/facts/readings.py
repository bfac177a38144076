"""Which documented form a call has, so that rules ask for `repeatTime` and not for the fifth argument."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ascendopt.analysis.apis.table import Page, Parameter, pages
from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.facts.model import Instance

# Names that the pages use for the number of elements of the simple form.
COUNTS = ("count", "calCount", "dataSize", "calcCount")
REPEATS = ("repeatTime", "repeatTimes", "repeat")
# The pages show the newer structure; the older one has the same fields, narrower.
_OLDER_STRUCTS = {"DataCopyParams": "DataCopyExtParams", "DataCopyPadParams": "DataCopyPadExtParams"}
_DESTINATIONS = ("dst", "dstTensor", "dstLocal")


@dataclass(frozen=True)
class Operand:
    """A tensor operand: its parameter and its argument."""

    parameter: Parameter
    argument: Argument

    @property
    def dtype(self) -> str | None:
        """The element type as the source has it (``half``), or None."""
        return self.argument.tensor.element if self.argument.tensor is not None else None

    @property
    def is_destination(self) -> bool:
        """True for what is written."""
        return self.parameter.name.startswith(_DESTINATIONS)


@dataclass(frozen=True, eq=False)
class Reading:
    """A call together with the form of it that fits best."""

    call: ApiCall
    page: Page
    parameters: tuple[Parameter, ...]

    def argument(self, *names: str) -> Argument | None:
        """The argument under the first of ``names`` that the form has."""
        known = self._by_name
        for name in names:
            if name in known:
                return known[name]
        return None

    @cached_property
    def _by_name(self) -> Mapping[str, Argument]:
        pairs = list(zip(self.parameters, self.call.args, strict=False))
        return {parameter.name: argument for parameter, argument in reversed(pairs)}  # the first of a name counts

    @property
    def count(self) -> Argument | None:
        """Number of elements in the simple form."""
        return self.argument(*COUNTS)

    @property
    def repeats(self) -> Argument | None:
        """Number of repeats in the mask-and-repeat form."""
        return self.argument(*REPEATS)

    @property
    def mask(self) -> Argument | None:
        """The mask in the mask-and-repeat form: elements of a repeat, or the name of an array of bits."""
        return self.argument("mask")

    @property
    def strides(self) -> Argument | None:
        """The structure with the strides in the mask-and-repeat form."""
        return self.argument("repeatParams", "repeatParam")

    @cached_property
    def operands(self) -> tuple[Operand, ...]:
        """The tensors, in order."""
        pairs = zip(self.parameters, self.call.args, strict=False)
        return tuple(Operand(p, a) for p, a in pairs if p.kind in ("local", "global") or a.tensor is not None)

    @property
    def destination(self) -> Operand | None:
        """The tensor that is written."""
        return next((operand for operand in self.operands if operand.is_destination), None)

    @property
    def sources(self) -> tuple[Operand, ...]:
        """The tensors that are read; scratch is neither source nor destination."""
        return tuple(o for o in self.operands if not o.is_destination and "tmp" not in o.parameter.name.lower())

    @cached_property
    def elements(self) -> Mapping[str, str]:
        """The dtypes that the operands give to the template parameters: ``T`` -> ``half``."""
        found: dict[str, str] = {}
        for operand in self.operands:
            if operand.parameter.element and operand.dtype:
                found.setdefault(operand.parameter.element, operand.dtype)
        return found


def read_call(call: ApiCall) -> Reading | None:
    """The documented form of ``call``; None for a name that is not documented or arguments that fit no form."""
    best: Reading | None = None
    most = -1
    for page in pages(call.name):
        for parameters in page.signatures:
            score = _fit(parameters, call.args)
            if score is not None and score > most:
                best, most = Reading(call, page, parameters), score
    return best


def readings(instance: Instance) -> Iterator[Reading]:
    """Every call of ``instance`` that is documented, in program order, but for those that are perhaps not compiled."""
    return iter(instance.derived("readings", lambda: tuple(_read_all(instance))))


def _read_all(instance: Instance) -> Iterator[Reading]:
    for call in instance.of(ApiCall):
        if call.is_certain and call.receiver is None and not call.receiver_text:
            reading = read_call(call)
            if reading is not None:
                yield reading


def _fit(parameters: tuple[Parameter, ...], arguments: tuple[Argument, ...]) -> int | None:
    """How well the arguments fit: None if not at all, else the number of arguments whose kind is sure."""
    missing = parameters[len(arguments) :]
    if len(arguments) > len(parameters) or not all(parameter.may_be_left_out for parameter in missing):
        return None
    score = 0
    for parameter, argument in zip(parameters, arguments, strict=False):
        sure = _agrees(parameter, argument)
        if sure is None:
            return None
        score += sure
    return score


def _agrees(parameter: Parameter, argument: Argument) -> bool | None:
    """True: surely this kind; False: perhaps; None: surely not."""
    tensor = argument.tensor
    if tensor is not None:
        if parameter.kind in ("local", "global"):
            return True if parameter.kind == tensor.memory else None
        return False if parameter.kind == "other" else None
    if parameter.kind in ("local", "global"):
        return None if argument.value is not None or argument.struct is not None else False
    if parameter.kind == "struct":
        return _is_struct(parameter, argument)
    if parameter.kind == "enum":
        return f"{parameter.element}::" in (argument.named or argument.text)
    return argument.value is not None


def _is_struct(parameter: Parameter, argument: Argument) -> bool | None:
    if argument.struct is None:
        return None if argument.value is not None else False
    wanted = parameter.element or argument.struct
    return True if argument.struct in wanted or _OLDER_STRUCTS.get(argument.struct, wanted + "?") in wanted else None
