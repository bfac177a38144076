"""What the server tells a job on its standard input."""

from __future__ import annotations

import threading
from typing import TextIO

from ascendopt.harness.cancelling import CancelToken
from ascendopt.server.worker import PAUSE, RESUME, Channel


class Orders:
    """What the server asks of the job while it runs. `stop` is set, and `token` cancelled, when the job is to end."""

    def __init__(self, channel: Channel) -> None:
        self.stop = threading.Event()
        self.token = CancelToken(on_pause=lambda: channel.send("paused"))

    def follow(self, stream: TextIO) -> None:
        """Read orders until the one to stop."""
        for line in stream:
            if line == PAUSE:
                self.token.pause()
            elif line == RESUME:
                self.token.resume()
            else:
                break
        self.stop.set()
        self.token.cancel()
