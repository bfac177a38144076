"""Register code of 950 is not analysed.

## What it says
A file is written in the register programming model of Ascend 950 (functions of vectors or threads, ``RegTensor``,
``MicroAPI``), or lies in a folder for that architecture such as ``arch35``. No rule speaks about it.

## Why
The calls of this model work on registers with rules of their own. The analysis knows those that work on UB: what it
said here would be a guess. Host code and the other files of the operator are checked as always.

## Example
```cpp
MicroAPI::RegTensor<float> value;  // no rule looks at this file
```

## Instead
Nothing is wrong with the file. Check it on the chip; ``--ignore REG001`` leaves the finding out.

## Source
asc-devkit: register-based programming of Ascend 950; the folders that ops-nn and ops-math keep for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for site in context.kernel.register_code:
        yield RULE.finding(
            site, "not analysed: 950 register code. No rule looks at this file; the other files are checked as always"
        )


RULE = Rule("ASC-REG001", "register-code-not-analysed", Severity.INFO, check, by_instance=False)
