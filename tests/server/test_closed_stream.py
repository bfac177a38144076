"""A client that is gone: nothing that is sent to it keeps the server busy."""

from __future__ import annotations

from ascendopt.server.language_server import AscendServer


class _Closed:
    """A stream that takes nothing any more."""

    def __init__(self) -> None:
        self.attempts = 0

    def write(self, data: bytes) -> None:
        self.attempts += 1
        raise ValueError("write to closed file")

    def close(self) -> None:
        """Closed it is."""


def test_a_failure_to_send_is_reported_once() -> None:
    server, stream = AscendServer(), _Closed()
    server.protocol.set_writer(stream)
    server.send_status("ready", "ready")
    assert stream.attempts == 2, "the status, and the message that it could not be sent"
    server.send_status("ready", "ready")
    assert stream.attempts == 4, "the next failure is reported again"
    server.session.close()
