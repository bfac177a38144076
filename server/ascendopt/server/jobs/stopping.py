"""From the server's wish to stop to the engine's token."""

from __future__ import annotations

import threading

from ascendopt.harness.episode import CancelToken


def token_of(stop: threading.Event) -> CancelToken:
    """A token that is cancelled once `stop` is set."""
    token = CancelToken()

    def wait() -> None:
        stop.wait()
        token.cancel()

    threading.Thread(target=wait, daemon=True).start()
    return token
