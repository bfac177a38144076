"""`ascendopt device list|doctor`: what this machine can run on."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from ascendopt.analysis.chips import DEFAULT_SOC
from ascendopt.cli.main import EXIT_FINDINGS, EXIT_OK
from ascendopt.cli.options import Operator, Soc
from ascendopt.cli.progress import preparation
from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.registry import list_devices as known_devices
from ascendopt.harness.target import open_device

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback()
def devices() -> None:
    """Devices of this machine."""


@app.command("list")
def list_devices() -> int:
    """Print every device, whether it can be used here, and its chips."""
    for info in known_devices():
        state = "usable" if info.usable else "not usable"
        kind = "modelled" if info.modelled else "measured"
        sys.stdout.write(f"{info.name}: {state} ({info.detail}); times are {kind}; chips: {', '.join(info.chips)}\n")
    return EXIT_OK


@app.command()
def doctor() -> int:
    """Start every device and say what is missing and how to get it. Exit code 1 if something is."""
    code = EXIT_OK
    for info in known_devices():
        if not info.usable:
            sys.stdout.write(f"{info.name}: not usable: {info.detail}\n")
            code = EXIT_FINDINGS
            continue
        try:
            with preparation() as progress:
                device = open_device(info.name, DEFAULT_SOC, progress)
        except DeviceFailure as failure:
            sys.stdout.write(f"{info.name}: not usable: {failure}\n")
            code = EXIT_FINDINGS
            continue
        try:
            kind = "modelled" if info.modelled else "measured"
            sandbox = device.capabilities.sandbox
            sys.stdout.write(f"{info.name}: ready; {info.detail}; times are {kind}; sandbox: {sandbox}\n")
            if info.modelled:
                _print_accuracy()
        except DeviceFailure as failure:
            sys.stdout.write(f"{info.name}: not usable: {failure}\n")
            code = EXIT_FINDINGS
        finally:
            device.close()
    return code


def _print_accuracy() -> None:
    """What the last run of `make measurements` found, and constants of the user's own."""
    from ascendopt.harness.devices.model.chip_facts import ACCURACY, calibrated_timing, modelled_chips

    found = json.loads(ACCURACY.read_text(encoding="utf-8"))
    write = sys.stdout.write
    write(f"  modelled against published times, by kernels of our own with their parameters ({found['date']}):\n")
    write(f"  {'family':18} {'points':>6} {'median':>7} {'p90':>7} {'right order':>12} {'in 95 %':>8}\n")
    for row in found["families"]:
        order, covered = f"{row['right_order']}/{row['pairs']}", f"{row['covered']}/{row['points']}"
        write(
            f"  {row['family']:18} {row['points']:6} {row['median']:7.1%} {row['p90']:7.1%} {order:>12} {covered:>8}\n"
        )
    for chip in modelled_chips():
        if calibrated_timing(chip).is_file():
            write(f"  {chip} is timed with constants of your own: {calibrated_timing(chip)}\n")


@app.command()
def calibrate(
    export: Annotated[Path, typer.Argument(help="msprof op_summary CSV")],
    operator: Operator,
    soc: Soc = None,
    out: Annotated[Path | None, typer.Option("--out", help="write the constants here, not to the cache")] = None,
) -> int:
    """Refit constants of the timing model to measured times of OPERATOR's workload.

    Rows are matched by operator type and input shapes. The device uses the new constants from then on; delete the file
    to go back. Exit code 2 when the export is wrong; nothing is written then.
    """
    from ascendopt.cli.calibrate import calibrate as refit

    return refit(export, operator, soc, out)
