"""The prompts. Each phase gets what it needs and no more, every part of bounded size.

Rules, task and constraints are our own words; everything that comes from the workspace, from a bank or from a tool is
fenced data (``fences``), without absolute paths.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ascendopt.analysis.symptoms.model import Symptom
from ascendopt.bank.motif import Motif
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.llm.edits import DIVIDER, MAX_EDITS, REPLACE, SEARCH, TITLE
from ascendopt.harness.llm.exchange import Prompt
from ascendopt.harness.llm.fences import RULE, Section, clipped, fenced, one_line, without_folders
from ascendopt.harness.search.tunables import Tunable

SHOWN_CASES = 4
SHOWN_EVIDENCE = 3
SHOWN_PLACES = 6
SHOWN_TUNABLES = 40
SHOWN_VALUES = 12

SYSTEM = f"""\
You make existing, correct AscendC operators faster. An operator is a host tiling function and a device kernel.
Every change is compiled, checked for correct values on many shapes and timed. One that breaks a limit is worthless.

{RULE}

Answer with one line '{TITLE} <what you change, in a few words>' and then search/replace blocks, at most {MAX_EDITS}:

{SEARCH} <file, exactly as its data label names it>
<text of the file, copied exactly, enough of it to occur only once>
{DIVIDER}
<the text that takes its place>
{REPLACE}

The search text must occur exactly once in the file, with all white space; no ``` inside a block; no line numbers.
All blocks refer to the files as shown. Add no comments, keep names and style. Make one change, complete: every place
that it needs, host and kernel together."""

UNCHANGED = (
    "Results must stay the same: same rounding, dtypes, shapes and tails. Do not shorten the work, do not special-case "
    "shapes or values, and leave interfaces and registration of the operator alone."
)


@dataclass(frozen=True)
class PromptLimits:
    """Most characters of each part of a prompt."""

    code: int = 48_000
    symptom: int = 2_000
    diff: int = 4_000
    pattern: int = 1_500
    profile: int = 1_500
    tunables: int = 4_000
    history: int = 3_000
    reason: int = 1_500
    answer: int = 6_000


@dataclass(frozen=True)
class Advice:
    """What a refinement is asked to work on: a bottleneck, and the experience that was retrieved for it, if any."""

    symptom: Symptom
    motif: Motif | None = None


@dataclass(frozen=True)
class Tried:
    """One earlier proposal and what became of it, both one line."""

    note: str
    outcome: str


@dataclass(frozen=True)
class Scene:
    """What all prompts share. ``files`` are the texts to show, in order; ``evaluation`` that of these texts."""

    files: Mapping[str, str]
    constraints: Sequence[str]
    evaluation: Evaluation | None = None
    tried: Sequence[Tried] = field(default=())
    limits: PromptLimits = field(default_factory=PromptLimits)


def refine_prompt(scene: Scene, advice: Advice) -> Prompt:
    """Remove the bottleneck of ``advice``, by the retrieved rewrite where there is one."""
    limits = scene.limits
    sections = [Section("bottleneck", clipped(_symptom(advice.symptom), limits.symptom))]
    task = "Remove the bottleneck described below from the operator."
    if advice.motif is not None:
        task += " The record is a rewrite that did so in another operator: adapt its idea, not its names."
        sections.append(Section("record", _motif(advice.motif, limits)))
    return _prompt(scene, task, sections)


def tiling_prompt(scene: Scene, tunables: Sequence[Tunable]) -> Prompt:
    """Find a better tiling; the kernel stays."""
    task = (
        "Find a faster tiling. Change values and expressions of the host code: bytes of a tile, number of buffers, "
        "split over cores, alignment, treatment of the tail. The kernel stays as it is, but for the lines shown of it."
    )
    sections: list[Section] = []
    if tunables:
        sections.append(Section("numbers found", clipped(_tunables(tunables), scene.limits.tunables)))
    return _prompt(scene, task, sections)


def sample_prompt(scene: Scene) -> Prompt:
    """Make it faster, without experience: best-of-n, and refinement where no bottleneck was found."""
    return _prompt(scene, "Make the operator faster.", [])


def gate_repair_prompt(scene: Scene, note: str, gate: str, reason: str) -> Prompt:
    """Correct a change that failed a gate. ``scene.files`` are the files as the change left them."""
    failed = Section("failure", f"{gate}: {clipped(without_folders(reason), scene.limits.reason)}")
    task = (
        "The files below were changed to make the operator faster, and the change failed. Correct it with as few edits "
        "as possible and keep what makes it faster."
    )
    return _prompt(scene, task, [Section("change", one_line(note, 300)), failed])


def answer_repair_prompt(before: Prompt, answer: str, reason: str, limits: PromptLimits) -> Prompt:
    """Ask again after an answer whose blocks were refused for ``reason``."""
    data = fenced([Section("your answer", clipped(answer, limits.answer)), Section("refused", one_line(reason, 400))])
    text = "Your earlier answer to this question was refused. Answer again, whole and in the format asked for."
    return Prompt(before.system, f"{before.user}\n\n{text}\n\n{data}")


def _prompt(scene: Scene, task: str, sections: Iterable[Section]) -> Prompt:
    limits = scene.limits
    data = list(sections)
    if scene.evaluation is not None:
        data.append(Section("profile", clipped(_profile(scene.evaluation), limits.profile)))
    if scene.tried:
        data.append(Section("tried before, do not repeat", _history(scene.tried, limits.history)))
    data += _code(scene.files, limits.code)
    rules = "\n".join(f"- {sentence}" for sentence in (*scene.constraints, UNCHANGED))
    return Prompt(SYSTEM, f"{task}\n\nLimits of the chip, without exception:\n{rules}\n\n{fenced(data)}")


def _code(files: Mapping[str, str], limit: int) -> list[Section]:
    """The files in order; what is over the limit is cut from the later ones."""
    sections: list[Section] = []
    left = limit
    for path, text in files.items():
        text = text.replace("\r\n", "\n")
        shown = clipped(text, max(left, 200))
        left = max(left - len(shown), 0)
        sections.append(Section(path, shown))
    return sections


def _symptom(symptom: Symptom) -> str:
    lines = [f"{symptom.kind.value}, on the {symptom.pipe} pipe: {symptom.text}"]
    if symptom.weight:
        lines.append(f"share of the time at stake: {symptom.weight:.0%}")
    lines += [f"{name}: {value}" for name, value in sorted(symptom.evidence.items())]
    # By name: where the files lie on this machine is not the model's business.
    lines += [f"at {place.path.name}: {one_line(place.message, 200)}" for place in symptom.places[:SHOWN_PLACES]]
    return without_folders("\n".join(lines))


def _motif(motif: Motif, limits: PromptLimits) -> str:
    """Title, idea, edit and evidence. Not where it comes from: experience is used by symptom, never by name."""
    lines = [one_line(motif.title, 200)]
    if motif.description:
        lines.append(clipped(motif.description, limits.pattern))
    required = ", ".join((*motif.conditions.required_facts, *(f"not {f}" for f in motif.conditions.forbidden_facts)))
    if required:
        lines.append(f"conditions: {one_line(required, 300)}")
    for evidence in motif.evidence[:SHOWN_EVIDENCE]:
        low, high = evidence.interval
        lines.append(
            f"{'modelled' if evidence.modelled else 'measured'} on {evidence.soc}: {evidence.before_us:.4g} us to "
            f"{evidence.after_us:.4g} us, {evidence.gain:.2f}x (95 % interval {low:.2f} to {high:.2f}), "
            f"held {evidence.held}, failed {evidence.failed}"
        )
    rewrite = motif.rewrite
    if rewrite.before or rewrite.after:
        lines += ["slow:", clipped(rewrite.before, limits.pattern), "fast:", clipped(rewrite.after, limits.pattern)]
    if rewrite.diff:
        lines += ["diff:", clipped(_hunks(rewrite.diff), limits.diff)]
    return "\n".join(lines)


def _hunks(diff: str) -> str:
    """A unified diff without the names of the files that it was made from."""
    headers = ("--- ", "+++ ", "diff --git ", "index ")
    return "\n".join(line for line in diff.split("\n") if not line.startswith(headers))


def _profile(evaluation: Evaluation) -> str:
    timed = [case for case in evaluation.cases if case.latency_us is not None]
    lines: list[str] = []
    for case in sorted(timed, key=lambda case: -(case.latency_us or 0.0))[:SHOWN_CASES]:
        pipes = ", ".join(f"{pipe} {time:.4g}" for pipe, time in sorted(case.pipes_us.items()))
        more = f"; UB {case.ub_bytes} bytes" if case.ub_bytes else ""
        more += f"; {case.block_dim} blocks" if case.block_dim else ""
        lines.append(f"{one_line(case.name, 80)}: {case.latency_us:.4g} us, bound by {case.bound} (us: {pipes}){more}")
    return "\n".join(lines)


def _history(tried: Sequence[Tried], limit: int) -> str:
    """The latest that fit, oldest first."""
    lines: list[str] = []
    size = 0
    for entry in reversed(tried):
        line = f"{one_line(entry.note, 160)}: {one_line(without_folders(entry.outcome), 240)}"
        size += len(line) + 1
        if size > limit:
            break
        lines.append(line)
    return "\n".join(reversed(lines))


def _tunables(tunables: Sequence[Tunable]) -> str:
    lines: list[str] = []
    for tunable in tunables[:SHOWN_TUNABLES]:
        domain = tunable.domain
        step = max(1, -(-len(domain) // SHOWN_VALUES))
        values = ", ".join(map(str, dict.fromkeys((*domain[::step], domain[-1]))))
        files = ", ".join(dict.fromkeys(site.path for site in tunable.sites))
        lines.append(f"{tunable.name} = {tunable.value} ({tunable.role}) in {files}; worth trying: {values}")
    return "\n".join(lines)
