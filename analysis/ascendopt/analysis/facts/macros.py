"""Function-like macros of the program: as statements, and as expressions."""

from __future__ import annotations

from ascendopt.analysis.facts.expansions import parsed_expression, substitute_macro
from ascendopt.analysis.facts.ir import Call, Expr, Name
from ascendopt.analysis.facts.names import NameWalk
from ascendopt.analysis.facts.program import split_arguments
from ascendopt.analysis.facts.runtime import RuntimeValue
from ascendopt.analysis.facts.state import DEEPEST
from ascendopt.analysis.values import Value


class MacroWalk(NameWalk):
    """Expansion of macros."""

    def expand_macro(self, expr: Call) -> bool:
        """Walk the statements of a function-like macro of the program; False when it is not one."""
        callee = expr.callee
        if not isinstance(callee, Name) or callee.name not in self.program.macros or len(self.frames) > DEEPEST:
            return False
        if self.on_special(expr, callee.name) is not None:
            return True
        statements = self.program.expansion(callee.name, self.macro_arguments(expr))
        if statements is None:
            return False
        outer = self.frame.fixed
        self.frame.fixed = self.frame.place(expr.start, expr.end)
        self.expanding.append(callee.name)
        if self.expanding.count(callee.name) < 3:
            self.run(statements)
        self.expanding.pop()
        self.frame.fixed = outer
        return True

    def macro_arguments(self, expr: Call) -> tuple[str, ...]:
        """Source texts of a macro call's arguments."""
        if self.frame.fixed is not None:
            return tuple(self.expanded_text(argument) for argument in expr.args)
        return split_arguments(self.frame.text(expr.callee.end, expr.end).strip()[1:-1])

    def expanded_text(self, expr: Expr) -> str:
        """Text of an argument inside a macro expansion, as far as names and numbers go."""
        if isinstance(expr, Name):
            arguments = f"<{', '.join(expr.targs)}>" if expr.targs else ""
            return f"{expr.name}{arguments}"
        value = self.quietly(expr)
        return value.text if isinstance(value, Value) else ""

    def macro_call(self, expr: Call, name: str) -> RuntimeValue:
        """A function-like macro used as an expression."""
        macro = self.program.macros[name]
        if self.expanding.count(name) > 2:
            return None
        inner = parsed_expression(substitute_macro(macro, self.macro_arguments(expr)))
        if inner is None:
            self.expand_macro(expr)
            return None
        outer = self.frame.fixed
        self.frame.fixed = self.frame.place(expr.start, expr.end)
        self.expanding.append(name)
        value = self.evaluate(inner)
        self.expanding.pop()
        self.frame.fixed = outer
        return value

    # ------------------------------------------------------------------ filled in by the layers above

    def on_special(self, expr: Call, name: str) -> tuple[RuntimeValue] | None:
        """Calls that mean something whatever the program defines (tiling macros); None for all others."""
        raise NotImplementedError
