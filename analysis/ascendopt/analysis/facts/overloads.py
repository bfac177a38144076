"""Which function a call means: by the number and types of arguments, specialisation and preprocessor branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.ir import Parameter
from ascendopt.analysis.facts.program import split_template
from ascendopt.analysis.facts.runtime import Binding, Object, RuntimeValue, Struct
from ascendopt.analysis.facts.templates import Unifier, last
from ascendopt.analysis.facts.types import TypeWalk
from ascendopt.analysis.facts.unit import ClassInfo, FunctionInfo
from ascendopt.analysis.values import Value

_TENSORS = ("LocalTensor", "GlobalTensor")


@dataclass(frozen=True)
class Fit:
    """A candidate, whether it surely can be called, what its template parameters stand for, and its rank: the lower,
    the more it is made for these arguments."""

    function: FunctionInfo
    is_sure: bool
    table: Mapping[str, Binding]
    rank: tuple[int, int]


@dataclass(frozen=True)
class Owner:
    """The class whose method is called, with its template parameters bound."""

    info: ClassInfo
    bindings: Mapping[str, Binding]


class OverloadWalk(TypeWalk):
    """Choice of functions."""

    @staticmethod
    def is_plain(function: FunctionInfo, owner: Owner | None) -> bool:
        """True for a function about which there is nothing to decide."""
        outside = function.owner_arguments and (owner is None or _is_specialisation(function, owner.info))
        return not (function.templates or function.guard or function.specialised or outside)

    def fit(
        self,
        function: FunctionInfo,
        values: Sequence[RuntimeValue],
        targs: tuple[str, ...],
        owner: Owner | None,
    ) -> Fit | None:
        """How ``function`` takes the arguments; None when it does not."""
        is_sure = True
        if owner is not None:
            of_class = self._is_of_class(function, owner)
            if of_class is False:
                return None
            is_sure = of_class is True
        if function.guard:
            holds = self.holds(function.guard)
            if holds is False:
                return None
            is_sure = is_sure and holds is True
        if len(targs) > len(function.templates) and not function.specialised:
            return None
        unifier = Unifier((p.name for p in function.templates if p.name), self.is_concrete)
        given: dict[str, Binding] = {}
        for parameter, text in zip(function.templates, targs, strict=False):
            if parameter.name:
                bound = given[parameter.name] = self.argument(parameter, text)
                unifier.table[parameter.name] = bound if isinstance(bound, str) else bound.text
        verdict = self._parameters_fit(function.body().parameters, values, unifier, owner)
        if verdict is False or not self._specialisation_fits(function, targs, unifier):
            return None
        table = {**self._deduced(function, unifier), **given}
        special = bool(function.specialised) + (owner is not None and _is_specialisation(function, owner.info))
        rank = (-special, len(function.templates))
        return Fit(function, is_sure and verdict is True, table, rank)

    def _parameters_fit(
        self,
        parameters: Sequence[Parameter],
        values: Sequence[RuntimeValue],
        unifier: Unifier,
        owner: Owner | None,
    ) -> bool | None:
        own: dict[str, Binding] = {name: name for name in unifier.parameters}
        verdict: bool | None = True
        for parameter, value in zip(parameters, values, strict=False):
            pattern = self.seen_from(owner, own, parameter.type)
            one = _takes(pattern, value, unifier)
            if one is False:
                return False
            verdict = verdict if one else None
        return verdict

    def seen_from(self, owner: Owner | None, own: Mapping[str, Binding], text: str) -> str:
        """A type as a function of ``owner`` with the template parameters ``own`` means it."""
        bindings = {**(owner.bindings if owner is not None else {}), **own}
        current = Object(owner.info, dict(bindings)) if owner is not None else None
        return self.in_bindings(bindings, current, lambda: self.resolve_type(text))

    def _is_of_class(self, function: FunctionInfo, owner: Owner) -> bool | None:
        """Whether a method is that of this specialisation, when it is defined for one alone."""
        if not _is_specialisation(function, owner.info):
            return True
        names = [parameter.name for parameter in owner.info.templates]
        bound = [owner.bindings.get(name, name) for name in names]
        texts = tuple(one if isinstance(one, str) else one.text for one in bound)
        free = [parameter.name for parameter in function.owner_templates]
        return Unifier(free, self.is_concrete).all(function.owner_arguments, texts)

    def _specialisation_fits(self, function: FunctionInfo, targs: tuple[str, ...], unifier: Unifier) -> bool:
        if not function.specialised:
            return True
        given = tuple(self.resolve_type(argument) for argument in targs)
        return unifier.all(function.specialised[: len(given)], given) is not False if given else True

    def _deduced(self, function: FunctionInfo, unifier: Unifier) -> dict[str, Binding]:
        found: dict[str, Binding] = {}
        for parameter in function.templates:
            text = unifier.table.get(parameter.name)
            if text is not None and "?" not in text:
                value = self.constant_text(text) if parameter.kind == "value" else None
                found[parameter.name] = value if value is not None else text
        for parameter in function.templates:
            if parameter.name and parameter.name not in found and parameter.default is not None:
                found[parameter.name] = self.in_bindings(
                    {**self.frame.bindings, **found}, None, lambda p=parameter: self.argument(p, p.default or "")
                )
        return found

    def choose(self, fits: Sequence[Fit]) -> tuple[Fit, bool] | None:
        """The candidate that fits best, and whether that is no guess."""
        if not fits:
            return None
        ordered = sorted(fits, key=lambda one: (not one.is_sure, one.rank))
        best = ordered[0]
        if len(ordered) == 1:
            return best, True
        second = ordered[1]
        return best, best.is_sure and (best.rank < second.rank or (not second.is_sure and best.rank <= second.rank))


def _is_specialisation(function: FunctionInfo, info: ClassInfo) -> bool:
    """True for a definition like ``Scale<half>::Init`` of a class that has no specialisation for ``half`` itself."""
    names = {parameter.name for parameter in function.owner_templates}
    outside = any(argument not in names for argument in function.owner_arguments)
    return outside and function.owner_arguments != info.specialised


def _takes(pattern: str, value: RuntimeValue, unifier: Unifier) -> bool | None:
    """Whether a parameter takes a value; None when the types do not say."""
    head = last(split_template(pattern)[0])
    if isinstance(value, TensorFact):
        kind = "LocalTensor" if value.memory == "local" else "GlobalTensor"
        if head not in _TENSORS:
            return unifier.one(pattern, f"{kind}<{value.element or '?'}>") if pattern in unifier.parameters else None
        if head != kind:
            return False
        return unifier.one(pattern, f"{kind}<{value.element or '?'}>")
    if isinstance(value, Value):
        return False if head in _TENSORS else None
    if isinstance(value, Object):
        return True if unifier.one(pattern, value.label) else None
    if isinstance(value, Struct):
        return True if unifier.one(pattern, value.type) else None
    return None
