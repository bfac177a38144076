"""`ascendopt device list|doctor`: what this machine can run on."""

from __future__ import annotations

import importlib
import sys

import typer

from ascendopt.cli.main import EXIT_FINDINGS, EXIT_OK
from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.target import DEFAULT_SOC, DEVICES, known_socs, open_device

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback()
def devices() -> None:
    """Devices of this machine."""


@app.command("list")
def list_devices() -> int:
    """Print the devices and the chips that the model device knows."""
    for name in DEVICES:
        sys.stdout.write(f"{name}  times are modelled; chips: {', '.join(known_socs())}\n")
    return EXIT_OK


@app.command()
def doctor() -> int:
    """Check what the devices need; says what is missing and how to get it. Exit code 1 if something is."""
    code = EXIT_OK
    for name in DEVICES:
        try:
            device = open_device(name, DEFAULT_SOC)
        except (DeviceFailure, ImportError) as failure:
            sys.stdout.write(f"{name}: not usable: {failure}\n")
            code = EXIT_FINDINGS
            continue
        try:
            capabilities = device.capabilities
            kind = "modelled" if capabilities.modelled else "measured"
            sys.stdout.write(f"{name}: ready; times are {kind}; sandbox: {capabilities.sandbox}\n")
        finally:
            device.close()
    for module in ("numpy", "optuna", "tree_sitter", "jinja2"):
        try:
            importlib.import_module(module)
        except ImportError as error:
            sys.stdout.write(f"{module}: missing: {error}\n")
            code = EXIT_FINDINGS
    return code
