"""The fake device as a worker opens it: named functions, so that they can be sent to another process.

CORE_MIN says what the device does: see ``misbehave``.
"""

from __future__ import annotations

import os
import signal
import time
from functools import partial

from harness.fake_device import Constants, FakeDevice

from ascendopt.harness.devices.base import DeviceFailure

SLOW, BROKEN, DEADLY, ENDLESS, SLUGGISH = 2001, 2002, 2003, 2004, 2005


def misbehave(constants: Constants) -> DeviceFailure | None:
    """A build that takes 0.4 s or 2 s, fails, kills its process or hangs, by the constant MIN_CORE_LENGTH."""
    core = constants["MIN_CORE_LENGTH"]
    if core == SLOW:
        time.sleep(0.4)
    if core == SLUGGISH:
        time.sleep(2.0)
    if core == DEADLY:
        os.kill(os.getpid(), signal.SIGKILL)
    if core == ENDLESS:
        time.sleep(600)
    return DeviceFailure("compile", "it does not compile.") if core == BROKEN else None


open_toy_device = partial(FakeDevice, failure=misbehave)


def no_device() -> FakeDevice:
    """A device that is not there."""
    raise DeviceFailure("compile", "there is no compiler here.")
