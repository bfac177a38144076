"""The native server's answers as the values of ``devices.base``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ascendopt.harness.devices.base import DeviceFailure, Roofline, TilingResult, TilingValue, Timing, Violation
from ascendopt.harness.devices.model.portable_names import relative_file
from ascendopt.harness.devices.model.symbols import Symbols
from ascendopt.harness.devices.model.tiling_header import TilingStruct, decode, struct_for
from ascendopt.harness.workload import TensorSpec

_MAX_LOG = 8000
_ARGUMENT = re.compile(r"\bargument (\d+)\b")


class AnswerReader:
    """Reads answers about one kernel object.

    Its addresses become lines of the operator's files, ``argument 1`` becomes the second of ``names``.
    """

    def __init__(self, operator: Path, symbols: Symbols, shared: Path, names: Sequence[str] = ()) -> None:
        self._names = names
        self._operator = operator
        self._symbols = symbols
        self._shared = shared

    def check(self, answer: Mapping[str, Any]) -> None:
        """Raise the DeviceFailure that an answer with ``ok`` false stands for."""
        if answer.get("ok") is True:
            return
        reason = str(answer.get("reason") or "the device gave no reason")
        file, line = self._place(answer)
        log = "\n".join(str(answer[key]) for key in ("log", "output") if answer.get(key))
        reason = _sentence(self._named(reason))
        raise DeviceFailure(str(answer.get("stage", "run")), reason, file, line, log[:_MAX_LOG])

    def violations(self, answer: Mapping[str, Any]) -> tuple[Violation, ...]:
        """The violations of an answer, with their places."""
        found: list[Violation] = []
        for entry in cast("Sequence[Mapping[str, Any]]", answer.get("violations", ())):
            file, line = self._place(entry)
            need = f" (missing {entry['need']} synchronisation)" if entry.get("need") else ""
            message = str(entry["message"])
            if need and entry["need"] in message:
                need = ""
            found.append(
                Violation(
                    code=entry["code"],
                    severity=entry["severity"],
                    message=self._named(message) + need,
                    file=file,
                    line=line,
                    api=entry.get("api") or None,
                    core=entry.get("core"),
                    count=entry.get("count", 1),
                )
            )
        return tuple(found)

    def _named(self, text: str) -> str:
        return _ARGUMENT.sub(
            lambda match: self._names[int(match[1])] if int(match[1]) < len(self._names) else match[0], text
        )

    def place(self, site: int) -> tuple[str, int] | None:
        """File in the operator and line of a call site."""
        found = self._symbols.place(self._shared, [site])
        return (relative_file(found[0], self._operator) or found[0], found[1]) if found else None

    def _place(self, entry: Mapping[str, Any]) -> tuple[str | None, int | None]:
        sites = entry.get("sites") or [entry.get("address")]
        place = self._symbols.place(self._shared, [site for site in sites if isinstance(site, int)])
        if place is None:
            return None, None
        return relative_file(place[0], self._operator), place[1]


def read_tiling(answer: Mapping[str, Any], structs: Sequence[TilingStruct], op: str) -> TilingResult:
    """The tiling part of an answer, its bytes decoded. Raises DeviceFailure when they do not fit the struct."""
    raw = bytes.fromhex(answer["tiling"])
    key = int(answer["tiling_key"])
    struct = struct_for(structs, op, key)
    values: Mapping[str, TilingValue] = {}
    if struct is not None and raw:
        try:
            values = decode(raw, struct, structs)
        except ValueError as error:
            raise DeviceFailure("tile", _sentence(str(error))) from error
    return TilingResult(
        values, raw, key, int(answer["block_dim"]), int(answer["workspace"]), str(answer.get("log", ""))[:_MAX_LOG]
    )


def read_outputs(answer: Mapping[str, Any], names: Sequence[str]) -> tuple[TensorSpec, ...]:
    """The outputs of an ``infer`` answer under the ``names`` of the operator definition."""
    entries = cast("Sequence[Mapping[str, Any]]", answer["outputs"])
    return tuple(
        TensorSpec(name, entry["dtype"], tuple(tuple(shape) for shape in entry["shapes"]), entry["list"])
        for name, entry in zip(names, entries, strict=True)
    )


def _roofline(entry: Mapping[str, Any]) -> Roofline:
    resources = {"hbm": entry["hbm_us"], "l2": entry["l2_us"], **entry["pipes_us"]}
    return Roofline(resources, entry["read_bytes"], entry["write_bytes"], entry["hbm_bytes"])


def read_timing(answer: Mapping[str, Any], note: str = "") -> Timing:
    """The timing part of an answer."""
    notes = [text for text in (note, str(answer.get("timing_note", ""))) if text]
    return Timing(
        latency_us=answer["latency_us"],
        launch_us=answer["launch_us"],
        launch_samples_us=tuple(answer["launch_samples_us"]),
        roofline=_roofline(answer["roofline"]),
        samples_us=tuple(answer["samples_us"]),
        pipes_us=answer["pipes_us"],
        bound=answer["bound"],
        modelled=True,
        guessed_share=answer["guessed_share"],
        note="; ".join(notes),
    )


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."
