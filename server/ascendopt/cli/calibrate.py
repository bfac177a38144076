"""`ascendopt device calibrate`: constants of the timing model refitted to the user's own msprof export."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ascendopt.cli.main import EXIT_OK, UserError
from ascendopt.cli.progress import preparation
from ascendopt.harness.devices.base import BuildOptions, DeviceFailure
from ascendopt.harness.devices.model.built import ModelBuilt
from ascendopt.harness.devices.model.calibration import (
    CalibrationError,
    Fit,
    changed,
    load_constants,
    match,
    read_export,
    refit,
)
from ascendopt.harness.devices.model.chip_facts import calibrated_timing, shipped_timing
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.opening import Devices
from ascendopt.harness.operator_copy import Scratch
from ascendopt.harness.workload import Case


def calibrate(export: Path, operator: Path, soc: str | None, out: Path | None) -> int:
    """Refit, print the errors before and after, write the file. Raises UserError; nothing is written then."""
    try:
        rows = read_export(export)
    except CalibrationError as error:
        raise UserError(str(error)) from error
    with Devices("model") as devices, tempfile.TemporaryDirectory() as folder:
        with preparation() as building:
            target, device = devices.open(operator, soc, None, building)
        assert isinstance(device, ModelDevice)
        constants = load_constants(shipped_timing(device.chip.name))
        with Scratch(target.sources) as scratch:
            try:
                built = device.build(scratch.materialise(None), BuildOptions(target.soc))
                assert isinstance(built, ModelBuilt)
                found = match(rows, built.definition.name, target.workload.cases)
            except (CalibrationError, DeviceFailure) as error:
                raise UserError(f"{export}: {error}") from error
            model = _Model(device, built, [case for case, _ in found], constants, Path(folder))
            fit = refit(constants, [time for _, time in found], model)
    where = out or calibrated_timing(device.chip.name)
    note = f"refitted to {len(found)} measured times of {built.definition.name}"
    _write(where, json.dumps(changed(constants, fit.values, note, fit.uncertainty), indent=1) + "\n")
    _print(found, fit, constants["constants"])
    sys.stdout.write(f"Written to {where}.\n")
    return EXIT_OK


class _Model:
    """Times of cases under changed constants; each set has a file of its own, for the server keeps what it read."""

    def __init__(
        self, device: ModelDevice, built: ModelBuilt, cases: Sequence[Case], constants: Mapping[str, Any], folder: Path
    ) -> None:
        self._device, self._built, self._cases = device, built, cases
        self._constants, self._folder, self._sets = constants, folder, 0

    def __call__(self, values: Mapping[str, float]) -> list[float]:
        self._sets += 1
        path = self._folder / f"{self._sets}.json"
        path.write_text(json.dumps(changed(self._constants, values, "")), encoding="utf-8")
        self._device.options = replace(self._device.options, timing=path, samples=0)
        times: list[float] = []
        for profile in self._built.profile_many([(case, None) for case in self._cases]):
            if isinstance(profile, DeviceFailure):
                raise UserError(f"a measured case does not run on the model device: {profile}")
            times.append(profile.timing.latency_us)
        return times


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from error


def _print(found: Sequence[tuple[Case, float]], fit: Fit, old: Mapping[str, Any]) -> None:
    write = sys.stdout.write
    write(f"{'case':24} {'measured us':>12} {'modelled before':>18} {'after':>18}\n")
    for (case, measured), before, after in zip(found, fit.before_us, fit.after_us, strict=True):
        write(
            f"{case.name:24} {measured:12.2f} {before:9.2f} ({before / measured - 1:+6.1%}) "
            f"{after:9.2f} ({after / measured - 1:+6.1%})\n"
        )
    for name, value in fit.values.items():
        write(f"{name}: {old[name]['value']:.4g} -> {value:.4g} {old[name]['unit']}\n")
    if not fit.values:
        write("No constant moved.\n")
