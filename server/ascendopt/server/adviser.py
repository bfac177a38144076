"""The engine's side of the light bulb: `python -I -m ascendopt.server.adviser`, one process for many questions.

It keeps lancedb, numpy and the structural operators out of the server, and the facts and the bank warm between
questions. One JSON object a line, answered in order:

```
-> {"id":1,"bank":""}                                                          # open the bank, so that the next is fast
-> {"id":2,"bank":"","operator":PATH,"soc":"","texts":{RELATIVE:TEXT}}
<- {"id":2,"rewrites":[{"evidence","places":[[RELATIVE,start,end]],
    "changes":[{"title","place":[RELATIVE,start,end],"edits":[[RELATIVE,start,end,TEXT]]}]}],
    "digests":{RELATIVE:SHA256},"note":""}
```

Places are byte offsets in the texts that the digests are of. The end of standard input ends the process.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import Any

_log = logging.getLogger(__name__)


def main() -> int:
    """Answer until standard input ends."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    from ascendopt.server.jobs.rewrites import Adviser

    adviser = Adviser()
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer: dict[str, Any] = adviser.answer(question)
        except Exception:
            # One operator that can't be digested must not end the process; the server's log has the reason.
            _log.exception("no advice for %s", question.get("operator"))
            answer = {"rewrites": [], "digests": {}, "note": "The search for rewrites failed; see the server's log."}
        output.write(json.dumps({"id": question["id"], **answer}) + "\n")
        output.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
