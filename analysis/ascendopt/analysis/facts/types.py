"""Types in the current frame: aliases, template parameters, specialisations, traits.

A type that is not known stays a text that names no type (``T``, ``DTYPE_X``): it is equal to itself and undecided
against everything else, so a condition on it is undecided too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from ascendopt.analysis.facts.expansions import parsed_expression
from ascendopt.analysis.facts.program import split_template
from ascendopt.analysis.facts.runtime import Binding, Frame, Object
from ascendopt.analysis.facts.state import WalkState
from ascendopt.analysis.facts.templates import Unifier, last, scope_of
from ascendopt.analysis.facts.traits import CHOSEN, NAMED_TYPES, SAME, chosen_type, is_trait, trait_value
from ascendopt.analysis.facts.unit import Alternative, ClassInfo, TemplateParam
from ascendopt.analysis.operators.names import TYPE_ALIASES, TYPE_BYTES
from ascendopt.analysis.values import Value, number, symbol

_DEEPEST = 12
# Most types that are asked for; nobody declares one of these names.
_BUILT_IN = frozenset(name for name in TYPE_BYTES if name not in TYPE_ALIASES)
_IDENTIFIER = re.compile(r"(?<![\w:])[A-Za-z_]\w*(?!\w|::)")
ChosenT = TypeVar("ChosenT", bound=Alternative)
T = TypeVar("T")


class TypeWalk(WalkState):
    """Resolution of types."""

    # ------------------------------------------------------------------ what a text means

    def resolve_type(self, text: str, depth: int = 0) -> str:
        """A type with aliases, template parameters and dtype macros replaced; template arguments included."""
        if text in _BUILT_IN:
            return text
        known = self.frame.types.get(text)
        if known is None:
            known = self.frame.types[text] = self._resolved(text, depth)
        return known

    def _resolved(self, text: str, depth: int) -> str:
        """A lone name means the same in every frame with these template parameters; what has arguments or a scope may
        name a local of this one."""
        if not text.isidentifier():
            if text in self.resolving:
                return text  # a parameter stands for a text with its own name in it
            self.resolving.add(text)
            try:
                return self._resolve(text, depth)
            finally:
                self.resolving.remove(text)
        frame = self.frame
        owner = frame.function.owner if frame.function is not None else ""
        shared = self.types_seen_from(owner, frame.self_object, frame.bindings)
        known = shared.get(text)
        if known is None:
            known = shared[text] = self._resolve(text, depth)
        return known

    def types_seen_from(self, owner: str, current: Object | None, bindings: dict[str, Binding]) -> dict[str, str]:
        """What was resolved where template parameters mean ``bindings``, inside a method of the class ``owner``."""
        key = (
            owner,
            (id(current.info), *current.bindings.items()) if current is not None else None,
            (*bindings.items(),),
        )
        known = self.types_seen.get(key)
        if known is None:
            known = self.types_seen[key] = {}
        return known

    def _resolve(self, text: str, depth: int) -> str:
        if depth > _DEEPEST or not text:
            return text
        if text.endswith("*"):
            return f"{self.resolve_type(text[:-1], depth + 1)}*"
        scope, name = scope_of(text)
        if scope:
            return self._nested(text, scope, name, depth)
        head, arguments = split_template(text)
        if arguments:
            return self._instantiated(head, arguments, depth)
        bound = self.binding(text)
        if bound is not None:
            return bound if isinstance(bound, str) else bound.text
        if text in self.dtypes:
            self.dtypes_used.add(text)
            return self.dtypes[text]
        alias = self._alias(text, depth)
        return alias if alias is not None else TYPE_ALIASES.get(text, text)

    def _instantiated(self, head: str, arguments: tuple[str, ...], depth: int) -> str:
        """``head<arguments>``."""
        bound = self.binding(head)
        if isinstance(bound, str):
            head = bound
        resolved = tuple(self.resolve_type(argument, depth + 1) for argument in arguments)
        chosen = chosen_type(head, resolved, self.constant_text)
        if chosen is not None:
            return chosen
        template = self.alternative(self.program.aliases.get(head) or ())
        if template is not None and template.templates:
            table = self.bound(template.templates, resolved)
            return self.in_bindings(table, None, lambda: self.resolve_type(template.type, depth + 1))
        return f"{head}<{','.join(resolved)}>"

    def _nested(self, text: str, scope: str, name: str, depth: int) -> str:
        """``scope::name``: a type of a class, or a name in a namespace."""
        head, arguments = split_template(scope)
        owner = self.resolve_type(scope, depth + 1)
        if name == "type" and last(head) in CHOSEN and split_template(owner)[0] != head:
            return owner
        found = self.chosen_class(owner)
        if found is not None:
            info, bindings, is_certain = found
            plain, inner = split_template(name)
            if not is_certain:
                return f"{owner}::{name}"
            alias = self.in_class_of(info, bindings, lambda: self._class_alias(plain, depth))
            if alias is not None:
                return alias
        elif not arguments and owner == scope:  # a namespace
            inner = self.resolve_type(name, depth + 1)
            if inner != name or last(name) in self.program.classes:
                return inner
        return f"{owner}::{name}" if found is not None or owner != scope else text

    def _alias(self, text: str, depth: int) -> str | None:
        found = self._class_alias(text, depth)
        if found is not None:
            return found
        alias = self.alternative(self.program.aliases.get(text) or ())
        if alias is not None and alias.type != text and not alias.templates:
            return self.in_bindings({}, None, lambda: self.resolve_type(alias.type, depth + 1))
        macro = self.program.macros.get(text) if alias is None else None
        if macro is not None and macro.parameters is None and macro.body not in ("", text):
            body = macro.body
            if body.replace("_", "a").replace("::", "a").isalnum() and not body[:1].isdigit():
                return self.resolve_type(body, depth + 1)
        return None

    def _class_alias(self, text: str, depth: int) -> str | None:
        """An alias of the current object's class or its bases, resolved in the class that declares it."""
        current = self.frame.self_object
        chain = self.hierarchy(current) if current is not None else []
        owner = self.frame.function.owner if self.frame.function is not None else ""
        at = next((index for index, (info, _) in enumerate(chain) if info.name == owner), 0)
        for info, bindings in chain[at:]:
            named = info.aliases.get(text)
            if named is not None and named != text:
                return self.in_class_of(info, bindings, lambda named=named: self.resolve_type(named, depth + 1))
        return None

    def binding(self, name: str) -> Binding | None:
        """What a template parameter is bound to in this frame."""
        if name in self.frame.bindings:
            return self.frame.bindings[name]
        current = self.frame.self_object
        return current.bindings.get(name) if current is not None else None

    def in_bindings(self, bindings: dict[str, Binding], current: Object | None, action: Callable[[], T]) -> T:
        """``action`` where template parameters mean ``bindings`` and nothing else."""
        outer = self.frame
        types = self.types_seen_from("", current, bindings)  # there are no locals in here
        self.frame = Frame(
            None, outer.path, outer.region, current, dict(bindings), fixed=outer.place(0, 0), types=types
        )
        try:
            return action()
        finally:
            self.frame = outer

    def in_class_of(self, info: ClassInfo, bindings: dict[str, Binding], action: Callable[[], T]) -> T:
        """``action`` as seen from inside a class."""
        return self.in_bindings(bindings, Object(info, dict(bindings)), action)

    # ------------------------------------------------------------------ what is known

    def is_concrete(self, resolved: str) -> bool:
        """True when a resolved text surely names one type or value."""
        names = _IDENTIFIER.findall(resolved)
        return "?" not in resolved and all(
            name in TYPE_BYTES or name in NAMED_TYPES or name in self.program.classes or name in self.program.functions
            for name in names
        )

    def same_type(self, left: str, right: str) -> Value:
        """Whether two resolved types are one; a symbol that says so while that is not decided."""
        verdict = Unifier((), self.is_concrete).same(left, right)
        return number(int(verdict)) if verdict is not None else symbol(f"?same({left},{right})", 0, 1)

    def size_of(self, text: str) -> Value:
        """``sizeof(text)``; a symbol between 1 and 8 when the type is free."""
        resolved = self.resolve_type(text)
        size = TYPE_BYTES.get(resolved)
        if size is not None:
            return number(size)
        if resolved.endswith("*"):
            return number(8)
        variable = self.frame.locals.get(text)
        if isinstance(variable, Value) or text in self.frame.locals:
            return self.unknown(f"sizeof({text})", 1)
        return symbol(f"sizeof({resolved})", 1, 8 if resolved.isidentifier() else None)

    def holds(self, guard: str) -> bool | None:
        """Whether a preprocessor condition is true; None when that is not decided."""
        raise NotImplementedError

    def alternative(self, candidates: Iterable[ChosenT]) -> ChosenT | None:
        """The declaration that the preprocessor leaves; None when there is none, or when it is not decided which."""
        left: ChosenT | None = None
        for candidate in candidates:
            holds = self.holds(candidate.guard) if candidate.guard else True
            if holds:
                return candidate if left is None else None
            if holds is None:
                if left is not None:
                    return None
                left = candidate
        return left

    # ------------------------------------------------------------------ classes

    def class_named(self, text: str) -> tuple[ClassInfo, dict[str, Binding]] | None:
        """The user class that a resolved type names, with its template parameters bound."""
        found = self.chosen_class(text)
        return found[:2] if found is not None else None

    def chosen_class(self, text: str) -> tuple[ClassInfo, dict[str, Binding], bool] | None:
        """The class, its bindings, and whether it surely is this specialisation."""
        head, arguments = split_template(last(text))
        declared = self.program.classes.get(head)
        if not declared:
            return None
        candidates = [info for info in declared if not info.guard or self.holds(info.guard) is not False]
        primary = next((info for info in candidates if not info.specialised), None)
        if primary is not None:
            arguments = self.with_defaults(primary.templates, arguments)
        is_certain = not (primary is not None and primary.guard and self.holds(primary.guard) is None)
        best: tuple[int, ClassInfo, Unifier] | None = None
        for info in candidates:
            if not info.specialised:
                continue
            unifier = Unifier((parameter.name for parameter in info.templates), self.is_concrete)
            patterns = self.patterns(info.specialised, info.templates)
            verdict = unifier.all(patterns, arguments)
            if verdict is None:
                is_certain = False
            elif verdict and (best is None or len(info.templates) < best[0]):
                best = (len(info.templates), info, unifier)
        if best is not None:
            return best[1], self.typed(best[1].templates, best[2].table), is_certain
        info = primary or (candidates or declared)[0]
        return info, self.bound(info.templates, arguments), is_certain and primary is not None

    def patterns(self, texts: Sequence[str], free: Sequence[TemplateParam]) -> tuple[str, ...]:
        """Patterns with everything resolved but the parameters."""
        kept: dict[str, Binding] = {parameter.name: parameter.name for parameter in free if parameter.name}
        return self.in_bindings(kept, None, lambda: tuple(self._argument_text(text) for text in texts))

    def _argument_text(self, text: str) -> str:
        """One spelling for a template argument: a resolved type or a number."""
        value = self.constant_text(text) if not text.isidentifier() or self.binding(text) is None else None
        return value.text if value is not None else self.resolve_type(text)

    def with_defaults(self, templates: tuple[TemplateParam, ...], arguments: tuple[str, ...]) -> tuple[str, ...]:
        """Template arguments, resolved, with the defaults of those that are left out."""
        if len(arguments) >= len(templates):
            return tuple(self._argument_text(argument) for argument in arguments)
        table = self.bound(templates, arguments)
        found: list[str] = []
        for index, parameter in enumerate(templates):
            value = table.get(parameter.name) if parameter.name else None
            if value is None:
                given = arguments[index] if index < len(arguments) else parameter.default
                if given is None:
                    break
                value = self._argument_text(given)
            found.append(value if isinstance(value, str) else value.text)
        return tuple(found)

    def typed(self, templates: tuple[TemplateParam, ...], table: dict[str, str]) -> dict[str, Binding]:
        """What a match of patterns says of template parameters: types as texts, values as numbers."""
        return {
            parameter.name: table[parameter.name]
            if parameter.kind == "type"
            else self.constant_text(table[parameter.name]) or table[parameter.name]
            for parameter in templates
            if parameter.name in table
        }

    def bound(self, templates: tuple[TemplateParam, ...], arguments: tuple[str, ...]) -> dict[str, Binding]:
        """Template parameters and what they stand for; free ones are left out."""
        table: dict[str, Binding] = {}
        for index, parameter in enumerate(templates):
            if not parameter.name:
                continue
            if index < len(arguments):
                table[parameter.name] = self.argument(parameter, arguments[index])
            elif parameter.default is not None:
                text = parameter.default
                made = self.in_bindings(
                    {**self.frame.bindings, **table}, None, lambda p=parameter, t=text: self.argument(p, t)
                )
                table[parameter.name] = made
        return table

    def argument(self, parameter: TemplateParam, text: str) -> Binding:
        """What a template argument stands for in the current frame."""
        if parameter.kind == "type":
            return self.resolve_type(text)
        value = self.constant_text(text)
        return value if value is not None else self.resolve_type(text)

    def constant_text(self, text: str) -> Value | None:
        """Integer value of a template argument's text, None when it is not an integer."""
        if text in ("true", "false"):
            return number(int(text == "true"))
        if text.isidentifier() and not isinstance(self.binding(text), Value) and not self._is_constant(text):
            return None
        expr = parsed_expression(text)
        value = self.quietly(expr) if expr is not None else None
        return value if isinstance(value, Value) and value.is_known else None

    def _is_constant(self, name: str) -> bool:
        if name in self.program.constants or name in self.program.macros or name in self.frame.locals:
            return True
        current = self.frame.self_object
        return current is not None and any(name in info.fields for info, _ in self.hierarchy(current))

    def hierarchy(self, current: Object) -> list[tuple[ClassInfo, dict[str, Binding]]]:
        """The object's class and its base classes, each with its bindings, derived first."""
        if current.chain is not None:
            return current.chain
        found: list[tuple[ClassInfo, dict[str, Binding]]] = [(current.info, current.bindings)]
        current.chain = found
        for info, bindings in found:
            for base in info.bases:
                if len(found) > _DEEPEST:
                    break
                resolved = self.in_bindings(bindings, None, lambda base=base: self.resolve_type(base))
                inner = self.chosen_class(resolved)
                if inner is None or any(inner[0] is known for known, _ in found):
                    continue
                table = dict(inner[1])
                for parameter in inner[0].templates:  # a free parameter hides the derived class's of the same name
                    if parameter.kind == "type" and parameter.name:
                        table.setdefault(parameter.name, parameter.name)
                current.bindings.update({k: v for k, v in table.items() if k not in current.bindings})
                current.is_certain = current.is_certain and inner[2]
                found.append((inner[0], table))
        return found

    # ------------------------------------------------------------------ traits

    def trait(self, scope: str, name: str, arguments: tuple[str, ...]) -> Value | None:
        """``scope::value`` or ``name<arguments>`` (``is_same_v``) of the standard library and of the API; None when
        it is none of these. One that is not decided is a symbol."""
        head, inner = (name.removesuffix("_v"), arguments) if arguments else split_template(scope)
        head = last(head)
        if not is_trait(head) or head in self.program.classes:
            return None
        resolved = tuple(self._argument_text(argument) for argument in inner)
        if head in SAME:
            return self.same_type(*resolved) if len(resolved) == 2 else None
        value = trait_value(head, resolved, self.constant_text)
        return value if value is not None else symbol(f"?same({head}<{','.join(resolved)}>)", 0, 1)

    def inherited_value(self, info: ClassInfo, bindings: dict[str, Binding]) -> Value | None:
        """``value`` of a class that has it from ``true_type``, ``integral_constant`` or a trait."""
        for declared, own in self.hierarchy(Object(info, dict(bindings))):
            for base in declared.bases:
                resolved = self.in_bindings(own, None, lambda base=base: self.resolve_type(base))
                value = self.trait(resolved, "value", ())
                if value is not None:
                    return value
        return None


__all__ = ["TypeWalk"]
