"""The cycle collector is off while analyses run and comes back by itself."""

from __future__ import annotations

import gc
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


def test_what_adds_up_is_collected_without_a_pause() -> None:
    # -1: also right after a collection that a session of another test had been waiting for in its thread. That one may
    # have seen one knot alive, in the making, and moved it out of the young generation.
    collector = Collector(idle_seconds=60, most_objects=-1)
    with collector.paused():
        knots = [ref(Knot()) for _ in range(2000)]
    assert sum(knot() is not None for knot in knots) <= 1


def test_one_that_was_off_stays_off() -> None:
    gc.disable()
    with Collector(idle_seconds=0.01).paused():
        pass
    time.sleep(0.05)
    assert not gc.isenabled()
