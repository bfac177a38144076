"""The order in which an executor with several workers gives what they say."""

from __future__ import annotations

from collections.abc import Callable, Generator

from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.evaluation import Evaluation

# How long a cancel may go unnoticed.
STEP_S = 0.1


def in_order(
    count: int,
    done: dict[int, Evaluation],
    advance: Callable[[float], None],
    busy: Callable[[], bool],
    token: CancelToken,
) -> Generator[Evaluation]:
    """The evaluations numbered 0 to ``count`` - 1, each taken out of ``done`` once ``advance`` has put it there.

    ``advance`` gives work to who has none and waits for answers, at most the seconds that it is told. The run rests
    only while nobody is ``busy``: what was begun ends first. Raises Cancelled.
    """
    for wanted in range(count):
        advance(0.0)
        while wanted not in done:
            if token.cancelled or not busy():
                token.check()
            advance(STEP_S)
        yield done.pop(wanted)
