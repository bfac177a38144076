"""`ascendopt facts`: what the analysis knows of an operator, as text or as JSON (docs/facts.md)."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from ascendopt.analysis.chips import load_chip, soc_for
from ascendopt.analysis.config import load_config
from ascendopt.analysis.facts import analyse_operator
from ascendopt.analysis.operators import Operator as AnalysedOperator
from ascendopt.analysis.operators import discover
from ascendopt.analysis.summary import summarise
from ascendopt.cli.facts_json import facts_json
from ascendopt.cli.facts_text import write_facts
from ascendopt.cli.main import EXIT_OK, UserError
from ascendopt.cli.options import Json, Operator, Soc
from ascendopt.cli.workload_cases import GatheredCases, workload_cases
from ascendopt.harness.search.tunables import find_numbers


def command(
    operator: Operator,
    soc: Soc = None,
    case: Annotated[str | None, typer.Option("--case", help="only this case of the workload")] = None,
    static: Annotated[bool, typer.Option("--static", help="do not run the host tiling: sizes stay symbolic")] = False,
    as_json: Json = False,
) -> int:
    """Buffers, queues, copies, tiling fields and their flow, tunables and symptoms of an operator."""
    if static and case is not None:
        raise UserError("--case asks for a run of the host tiling, which --static forbids; drop one of them")
    if not operator.exists():
        raise UserError(f"{operator}: no such file or folder")
    path = operator.parent if operator.name == "ascendopt.toml" else operator
    found = discover(path)
    own = soc_for(found.definition.socs if found.definition is not None else ())
    chip = load_chip(soc or load_config(path).soc or own)
    gathered = GatheredCases() if static else workload_cases(path, chip.name, case)
    summary = summarise(analyse_operator(found, chip.name), chip, gathered.cases)
    tunables = find_numbers(_texts(found))
    if as_json:
        json.dump(facts_json(summary, tunables, gathered.notes), sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        write_facts(summary, tunables, gathered.notes, sys.stdout)
    return EXIT_OK


def _texts(operator: AnalysedOperator) -> dict[str, str]:
    """The operator's own sources, as the search reads them: absolute path -> text."""
    root = operator.root if operator.root.is_dir() else operator.root.parent
    own = [path for path in (*operator.kernel_files, *operator.host_files) if path.is_relative_to(root)]
    return {str(path): path.read_bytes().decode("utf-8", "surrogateescape") for path in own}
