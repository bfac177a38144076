"""The engine's side of background work: `python -I -m ascendopt.server.worker`, one job a process.

A process of its own keeps numpy, optuna and the compiler driver out of the server, and can be killed with all its
children. The job is one JSON object on the first line of standard input; events go out as one JSON object a line:

```
-> {"job":"active-case","operator":PATH,"soc":"","overlay":{RELATIVE:TEXT}}
<- {"event":"done","case":{"name","soc","tiling","dtypes","block_dim","tiling_key"} | null}
-> {"job":"search","method":"tiling|refine|optimize", ... ,"budget":60,"seed":1,"folder":PATH,"bank":PATH|""}
<- {"event":"phase","phase":"baseline"}   {"event":"trial", ...}   {"event":"done","result":{..},"files":{PATH:TEXT}}
-> {"job":"rewind", ... as a search}
<- the same, {"event":"done","result":{"attempts","motifs","baseline_us","bank","modelled", ...}}
-> {"job":"verify", ... ,"files":{RELATIVE:TEXT}}
<- {"event":"phase","phase":".."}   {"event":"done","verdict":{"correct","faster","speedup","interval","reason", ...}}
<- {"event":"failed","reason":"one sentence"}   {"event":"cancelled"}
```

The lines `pause` and `resume` on standard input let a search rest, which says {"event":"paused"} when it does, and go
on. Any other line, or the end of the input, asks the job to stop.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

PAUSE, RESUME = "pause\n", "resume\n"


@dataclass(frozen=True)
class Job:
    """What to do.

    `overlay` holds the texts of the files that the editor has open, `files` what a rewrite makes of them. `bank` is the
    setting as it is; empty: the user's own bank.
    """

    kind: str
    operator: Path
    soc: str
    overlay: Mapping[str, str] = field(default_factory=dict[str, str])
    budget: int = 0
    seed: int = 0
    folder: Path = Path()
    method: str = ""
    bank: str = ""
    files: Mapping[str, str] = field(default_factory=dict[str, str])

    @staticmethod
    def from_json(line: str) -> Job:
        """Read the first line of standard input."""
        data: dict[str, Any] = json.loads(line)
        return Job(
            data["job"],
            Path(data["operator"]),
            data["soc"],
            data.get("overlay", {}),
            data.get("budget", 0),
            data.get("seed", 0),
            Path(data.get("folder", ".")),
            data.get("method", ""),
            data.get("bank", ""),
            data.get("files", {}),
        )

    def to_json(self) -> str:
        """The line that `from_json` reads."""
        return json.dumps(
            {
                "job": self.kind,
                "operator": str(self.operator),
                "soc": self.soc,
                "overlay": dict(self.overlay),
                "budget": self.budget,
                "seed": self.seed,
                "folder": str(self.folder),
                "method": self.method,
                "bank": self.bank,
                "files": dict(self.files),
            }
        )


class Channel:
    """Writes events to the server."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def send(self, event: str, **values: Any) -> None:
        """One event, one line."""
        self._stream.write(json.dumps({"event": event, **values}) + "\n")
        self._stream.flush()


def main() -> int:
    """Do the one job that standard input names."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    channel = Channel(output)
    job = Job.from_json(sys.stdin.readline())
    from ascendopt.server.jobs.orders import Orders

    orders = Orders(channel)
    threading.Thread(target=orders.follow, args=(sys.stdin,), daemon=True).start()
    from ascendopt.server.jobs.run import run_job

    run_job(job, channel, orders)
    return 0


if __name__ == "__main__":
    sys.exit(main())
