"""Finds the goldens of the public operator repositories, and what they need to be imported and called."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

_IN_ITS_FOLDER = "tests/assets/golden.py"
# Their code runs only on some inputs, or without harm where a module is missing.
_CONDITIONAL = (ast.If, ast.Try, ast.For, ast.While)


def find_goldens(checkouts: Iterable[Path]) -> dict[str, Path]:
    """Operator folder -> its golden. Of two with one name the first checkout's counts, then the one less deep."""
    found: dict[str, Path] = {}
    for checkout in checkouts:
        for file in sorted(checkout.rglob(_IN_ITS_FOLDER), key=lambda path: (len(path.parts), path)):
            found.setdefault(file.parents[2].name, file)
    return found


def needed_modules(golden: Path, operator: str) -> frozenset[str]:
    """Top-level modules that the file imports when it is loaded or when its kernel golden of ``operator`` is called.

    Imports under a condition are left out: the call may not come through them. Raises SyntaxError.
    """
    tree = ast.parse(golden.read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    modules = set(_imports(node for node in tree.body if not isinstance(node, ast.FunctionDef)))
    waiting = [kernel_function(tree, operator)]
    seen: set[str | None] = {None}
    while waiting:
        name = waiting.pop()
        if name in seen or name not in functions:
            continue
        seen.add(name)
        body = functions[name].body
        modules.update(_imports(body))
        waiting += [node.id for node in _unconditional(body) if isinstance(node, ast.Name)]
    return frozenset(modules)


def kernel_function(tree: ast.Module, operator: str) -> str | None:
    """The function that ``__golden__ = {"kernel": {operator: function}}`` names."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(to, ast.Name) and to.id == "__golden__" for to in node.targets
        ):
            try:
                return ast.literal_eval(node.value).get("kernel", {}).get(operator)
            except (ValueError, AttributeError):
                return None
    return None


def _imports(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in _unconditional(body):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def _unconditional(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes but those under a condition or in a nested function."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*_CONDITIONAL, ast.FunctionDef, ast.Lambda)):
            continue
        yield node
        waiting += ast.iter_child_nodes(node)
