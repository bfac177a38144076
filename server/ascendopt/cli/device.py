"""`ascendopt device list|doctor`: what this machine can run on."""

from __future__ import annotations

import sys

import typer

from ascendopt.cli.main import EXIT_FINDINGS, EXIT_OK
from ascendopt.cli.progress import preparation
from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.registry import list_devices as known_devices
from ascendopt.harness.target import DEFAULT_SOC, open_device

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
        except DeviceFailure as failure:
            sys.stdout.write(f"{info.name}: not usable: {failure}\n")
            code = EXIT_FINDINGS
        finally:
            device.close()
    return code
