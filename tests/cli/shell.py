"""The command line, called in this process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ascendopt.cli import main as cli


class Shell:
    """Calls the command in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.err = ""

    def __call__(self, *arguments: object) -> int:
        code = cli.main([str(argument) for argument in arguments])
        self.out, self.err = self._capsys.readouterr()
        return code

    def json(self) -> Any:
        return json.loads(self.out)
