"""The worker process: opens a device and the gates, then answers one candidate after the other."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from contextlib import closing
from multiprocessing.connection import Connection
from types import FrameType

from ascendopt.harness.executors.base import GateSetup
from ascendopt.harness.operator_copy import Scratch

# After this long without an end of its own accord it ends anyway.
_GRACE_S = 5.0


def main(connection: int, lifeline: int) -> None:
    """Serve ``connection`` until it closes, or until the other end of the pipe ``lifeline`` does.

    First comes what opens device and gates, answered by None; then candidates with their baseline, each answered by
    its evaluation. An exception is an answer too.
    """
    # SystemExit in the main thread: whatever it computes cleans up behind itself.
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_watch, args=(lifeline,), daemon=True).start()
    _serve(Connection(connection))


def _serve(connection: Connection) -> None:
    try:
        setup, open_device = connection.recv()
        assert isinstance(setup, GateSetup)
        with closing(open_device()) as device, Scratch(setup.sources) as scratch:
            gates = setup.evaluator(device, scratch)
            connection.send(None)
            while True:
                candidate, baseline = connection.recv()
                connection.send(gates.candidate(candidate, baseline))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except Exception as error:
        connection.send(_sendable(error))


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))  # what has no positional arguments can't be rebuilt
    except Exception:
        return RuntimeError(f"{type(error).__name__} in a worker: {error}")
    return error


def _end(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)


def _watch(lifeline: int) -> None:
    os.read(lifeline, 1)  # nobody writes: this is its end
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE_S)
    os._exit(1)
