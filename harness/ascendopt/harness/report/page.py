"""Self-contained HTML: no script, no network, light and dark. Whatever is put into a template is escaped."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


def render_page(template: str, filters: Mapping[str, Callable[..., str]], **values: object) -> str:
    """Render one of the templates of the report or the bench; they share ``parts.html.j2``."""
    loader = ChoiceLoader([PackageLoader("ascendopt.harness.report"), PackageLoader("ascendopt.harness.bench")])
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update({"printable": printable, **filters})
    return environment.get_template(template).render(**values)


def printable(text: str) -> str:
    """``text`` without the bytes of other encodings that sources may hold."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
