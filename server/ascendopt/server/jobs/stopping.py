"""From the server's wish to stop to the end of a job that no token interrupts."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager

from ascendopt.harness.cancelling import Cancelled


@contextmanager
def interrupted_on(stop: threading.Event) -> Generator[None, None, None]:
    """What runs in here, in the main thread, is interrupted once `stop` is set; it cleans up. Raises Cancelled."""
    ended = threading.Event()

    def interrupt() -> None:
        stop.wait()
        main = threading.main_thread().ident
        if not ended.is_set() and main is not None:
            # A signal to the thread itself: it may be waiting for a compiler or a device.
            signal.pthread_kill(main, signal.SIGINT)

    # A server that was started in the background of a shell hands down that the signal is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        yield
    except KeyboardInterrupt:
        raise Cancelled from None
    finally:
        ended.set()
