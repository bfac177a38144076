"""The facts of an operator as JSON, described in docs/facts.md; ``SCHEMA`` counts incompatible changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ascendopt.analysis.facts.declared import Site
from ascendopt.analysis.findings import Span
from ascendopt.analysis.operators import OpDef, Port
from ascendopt.analysis.summary import Buffer, CaseNumbers, Copy, Field, Launch, Quantity, Queue, Run, Summary
from ascendopt.analysis.summary.ub_use import UbUse
from ascendopt.analysis.symptoms import Symptom
from ascendopt.cli.places import Places, shown
from ascendopt.harness.search.tunables import Tunable

SCHEMA = 1


def facts_json(summary: Summary, tunables: Sequence[Tunable], notes: Iterable[str]) -> dict[str, object]:
    """The document for one operator."""
    return _Writer(summary).document(tunables, notes)


class _Writer:
    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._places = Places({})

    def document(self, tunables: Sequence[Tunable], notes: Iterable[str]) -> dict[str, object]:
        summary, operator, chip = self._summary, self._summary.facts.operator, self._summary.chip
        return {
            "schema": SCHEMA,
            "operator": operator.name,
            "root": shown(operator.root),
            "layout": operator.layout.value,
            "notes": list(notes),
            "chip": {
                "name": chip.name,
                "family": chip.family,
                "ub_bytes": chip.ub_bytes,
                "usable_ub_bytes": chip.usable_ub_bytes,
                "vector_cores": chip.vector_cores,
                "cube_cores": chip.aic_cores,
            },
            "files": {
                "kernel": list(map(shown, operator.kernel_files)),
                "host": list(map(shown, operator.host_files)),
            },
            "definition": None if operator.definition is None else self._definition(operator.definition),
            "queues": [self._queue(one) for one in summary.queues],
            "runs": [self._run(one) for one in summary.runs],
            "tiling": [self._field(one) for one in summary.fields],
            "launch": {
                "block_dim": self._launches("SetBlockDim"),
                "tiling_key": self._launches("SetTilingKey"),
                "workspace": self._launches("workspace"),
            },
            "tiling_keys": list(summary.keys),
            "tunables": [self._tunable(one) for one in tunables],
            "symptoms": [self._symptom(one) for one in summary.symptoms],
            "cases": [self._case(one) for one in summary.cases],
        }

    def _definition(self, definition: OpDef) -> dict[str, object]:
        return {
            "name": definition.name,
            "inputs": list(map(_port, definition.inputs)),
            "outputs": list(map(_port, definition.outputs)),
            "attrs": [
                {"name": one.name, "type": one.type, "default": one.default, "required": one.required}
                for one in definition.attrs
            ],
            "socs": list(definition.socs),
            "tiling_function": definition.tiling_function,
        }

    def _queue(self, queue: Queue) -> dict[str, object]:
        return {
            "name": queue.name,
            "kind": queue.kind,
            "positions": list(queue.positions),
            "depth": queue.depth,
            "count": queue.count,
            "owner": queue.owner,
            "place": self._place(queue.site),
        }

    def _run(self, run: Run) -> dict[str, object]:
        instance = run.instance
        return {
            "label": instance.label,
            "entry": instance.entry,
            "is_entry": not instance.is_synthetic,
            "tiling_key": instance.key,
            "dtypes": dict(instance.dtypes),
            "template_arguments": dict(instance.bindings),
            "complete": instance.complete,
            "place": self._place(instance.site),
            "ub": None
            if run.ub is None
            else {
                **_use(run.ub),
                "total": _quantity(run.ub_bytes),
                "by_case": {name: _use(use) for name, use in run.ub_by_case.items()},
            },
            "buffers": [self._buffer(one) for one in run.buffers],
            "copies": [self._copy(one) for one in run.copies],
        }

    def _buffer(self, buffer: Buffer) -> dict[str, object]:
        return {
            "queue": buffer.queue,
            "kind": buffer.kind,
            "positions": list(buffer.positions),
            "in_ub": buffer.in_ub,
            "num": _quantity(buffer.num),
            "length": _quantity(buffer.length),
            "bytes": _quantity(buffer.bytes),
            "place": self._place(buffer.site),
        }

    def _copy(self, copy: Copy) -> dict[str, object]:
        return {
            "api": copy.api,
            "direction": copy.direction,
            "element": copy.element,
            "local": copy.local,
            "argument": copy.argument,
            "bytes": _quantity(copy.bytes),
            "bursts": _quantity(copy.bursts),
            "burst_bytes": _quantity(copy.burst_bytes),
            "rounds": _quantity(copy.rounds),
            "loop_depth": copy.loop_depth,
            "place": self._place(copy.site),
        }

    def _field(self, field: Field) -> dict[str, object]:
        declared = None
        if field.struct is not None and field.declared is not None:
            declared = self._at(field.struct.path, Span(*field.declared))
        sets = [
            {
                "struct": one.struct,
                "text": one.text,
                "value": _quantity(one.value),
                "conditional": one.conditional,
                "place": self._place(one.site),
                "origin": None if one.origin is None else self._place(one.origin),
            }
            for one in field.sets
        ]
        return {
            "name": field.name,
            "type": field.type,
            "length": field.length,
            "struct": field.struct.name if field.struct is not None else None,
            "declared": declared,
            "set": sets,
            "read": [self._place(site) for site in field.reads],
            "by_case": {name: list(v) if isinstance(v, tuple) else v for name, v in field.by_case.items()},
        }

    def _launches(self, name: str) -> list[dict[str, object]]:
        return [self._launch(one) for one in self._summary.launches if one.name == name]

    def _launch(self, launch: Launch) -> dict[str, object]:
        return {
            "text": launch.text,
            "value": _quantity(launch.value),
            "conditional": launch.conditional,
            "place": self._place(launch.site),
        }

    def _tunable(self, tunable: Tunable) -> dict[str, object]:
        places: list[dict[str, object]] = []
        for site in tunable.sites:
            places.append(self._at(Path(site.path), Span(site.start, site.end)))
        return {
            "name": tunable.name,
            "value": tunable.value,
            "role": tunable.role,
            "domain": list(tunable.domain),
            "marked": tunable.marked,
            "places": places,
        }

    def _symptom(self, symptom: Symptom) -> dict[str, object]:
        return {
            "kind": symptom.kind.value,
            "pipe": symptom.pipe,
            "text": symptom.text,
            "evidence": dict(symptom.evidence),
            "places": [{**self._at(one.path, one.span), "message": one.message} for one in symptom.places],
        }

    def _case(self, numbers: CaseNumbers) -> dict[str, object]:
        case = numbers.case
        return {
            "name": case.name,
            "dtypes": dict(case.dtypes),
            "block_dim": case.block_dim,
            "tiling_key": case.tiling_key,
            "tiling": {name: list(v) if isinstance(v, tuple) else v for name, v in case.tiling.items()},
            "symptoms": [self._symptom(one) for one in numbers.symptoms],
        }

    def _place(self, site: Site) -> dict[str, object]:
        return {**self._at(site.path, site.span), "function": site.function}

    def _at(self, path: Path, span: Span) -> dict[str, object]:
        region = self._places.region(path, span)
        return {"file": shown(path), "line": region.line, "column": region.column}


def _port(port: Port) -> dict[str, object]:
    return {"name": port.name, "kind": port.kind, "dtypes": list(port.dtypes)}


def _use(use: UbUse) -> dict[str, object]:
    return {"bytes": use.bytes, "exact": use.complete, "limit": use.limit}


def _quantity(quantity: Quantity | None) -> Mapping[str, object] | None:
    if quantity is None:
        return None
    return {
        "text": quantity.text,
        "host_text": quantity.host_text,
        "value": quantity.value,
        "low": quantity.low,
        "high": quantity.high,
        "multiple_of": quantity.multiple_of,
        "by_case": dict(quantity.by_case or {}),
    }
