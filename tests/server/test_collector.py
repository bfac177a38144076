"""The cycle collector is off while analyses run and comes back by itself."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from weakref import ref

import pytest

from ascendopt.server.collector import Collector


class Knot:
    """Holds itself: only the collector can free it."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def collector_is_on_again() -> Iterator[None]:
    for thread in threading.enumerate():  # the sessions of other tests, whose collectors are yet to come back
        if isinstance(thread, threading.Timer):
            thread.join(10)
    gc.enable()
    yield
    gc.enable()


def wait_until_enabled() -> bool:
    end = time.monotonic() + 10
    while not gc.isenabled() and time.monotonic() < end:
        time.sleep(0.01)
    return gc.isenabled()


def test_it_rests_during_analyses_and_between_them_and_collects_when_idle() -> None:
    collector = Collector(idle_seconds=0.3)
    knot = ref(Knot())
    for _ in range(2):
        with collector.paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert knot() is not None
    assert wait_until_enabled()
    end = time.monotonic() + 10
    while knot() is not None and time.monotonic() < end:
        time.sleep(0.01)
    assert knot() is None


def test_it_comes_back_after_a_failure() -> None:
    collector = Collector(idle_seconds=0.01)
    with pytest.raises(ValueError, match="broken"), collector.paused():
        raise ValueError("broken")
    assert wait_until_enabled()


ADDS_UP = """
from weakref import ref
from ascendopt.server.collector import Collector
class Knot:
    def __init__(self):
        self.me = self
with Collector(idle_seconds=60, most_objects=1000).paused():
    knots = [ref(Knot()) for _ in range(2000)]
print(sum(knot() is not None for knot in knots))
"""


def test_what_adds_up_is_collected_without_a_pause() -> None:
    # A process of its own: the timer of a session of another test may collect at any time in this one.
    ran = subprocess.run([sys.executable, "-c", ADDS_UP], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "0\n"


def test_one_that_was_off_stays_off() -> None:
    gc.disable()
    with Collector(idle_seconds=0.01).paused():
        pass
    time.sleep(0.05)
    assert not gc.isenabled()
