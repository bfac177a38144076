"""Candidates from a language model: one a turn, one repair round for each failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ascendopt.analysis.chips import Chip
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.llm.constraints import chip_constraints
from ascendopt.harness.llm.edits import EditError, Regions, apply_edits, parse_answer
from ascendopt.harness.llm.exchange import ModelFailure, Prompt, Reply
from ascendopt.harness.llm.fences import one_line
from ascendopt.harness.llm.phases import Phase
from ascendopt.harness.llm.prompts import PromptLimits, Scene, Tried, answer_repair_prompt, gate_repair_prompt
from ascendopt.harness.llm.session import ModelSession, TokensSpent
from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.search.base import Proposer, Trial

ORIGIN = "llm"
# As in refinement by motifs: ties keep the smaller change.
STEP = 1.002
NOTE_LENGTH = 240
CUT = "the answer was cut off at the limit of tokens; answer shorter"


@dataclass(frozen=True)
class ProposerSettings:
    """When to give up: after ``most_failures`` questions in a row without an answer, or ``most_idle`` turns in a row
    whose answers give no new program (they cost tokens but no attempt). ``repair`` False: no repair rounds."""

    most_failures: int = 3
    most_idle: int = 5
    repair: bool = True
    limits: PromptLimits = field(default_factory=PromptLimits)


@dataclass
class ProposerCounts:
    """``turns`` asked, answers ``refused``, programs ``repeated``, ``repairs`` asked after a failed gate."""

    turns: int = 0
    refused: int = 0
    repeated: int = 0
    repairs: int = 0


@dataclass(frozen=True)
class _Turn:
    """One question with the texts that its answer edits."""

    prompt: Prompt
    texts: Mapping[str, str]
    regions: Regions
    note: str
    repair: bool


@dataclass(frozen=True)
class _Failed:
    """A candidate that failed a gate and waits for its repair round."""

    candidate: Candidate
    evaluation: Evaluation


class LlmProposer(Proposer):
    """Asks the model of ``session`` in one ``phase``.

    ``start_files`` are new texts to start from (the result of an earlier stage); they are part of every candidate.
    Deterministic given the session's answers. ``ended`` says in one sentence why it proposes no more, or is empty.
    Raises TunableError in the tiling phase, for a marker that makes no sense, and JournalError when a resumed run
    does not ask what the recorded one asked.
    """

    def __init__(
        self,
        sources: OperatorSources,
        chip: Chip,
        phase: Phase,
        session: ModelSession,
        settings: ProposerSettings | None = None,
        start_files: Mapping[str, str] | None = None,
    ) -> None:
        self._sources = sources
        self._constraints = chip_constraints(chip, tiling=phase.tiling)
        self._phase = phase
        self._session = session
        self._settings = settings or ProposerSettings()
        self._start_files = dict(start_files or {})
        self._base = Candidate(self._start_files, ORIGIN)
        self._base_evaluation: Evaluation | None = None
        self._best = 1.0
        self._turn = 0
        self._fresh_base = True
        self._idle = 0
        self._tried: list[Tried] = []
        self._seen = {self._whole(self._texts(self._base)).key}
        self._asked: dict[str, _Turn] = {}
        self._failed: _Failed | None = None
        self.counts = ProposerCounts()
        self.ended = ""

    def start(self, baseline: Evaluation) -> None:
        self._base_evaluation = baseline
        self._best = baseline.speedup or 1.0

    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        while not self.ended:
            try:
                candidate = self._candidate(self._next_turn())
            except ModelFailure as failure:
                # Costs no attempt. The same question comes again, until too many in a row had no answer.
                if failure.final or self._session.usage.failed_in_row >= self._settings.most_failures:
                    self._end(f"the model gave no answer {self._session.usage.failed_in_row} times: {failure.reason}")
            except TokensSpent as spent:
                self._end(str(spent), "tokens")
            else:
                if candidate is not None:
                    self._idle = 0
                    return [candidate]
                self._idle += 1
                if self._idle >= self._settings.most_idle:
                    self._end(f"{self._idle} turns in a row gave no new program.")
        return []

    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        turn = self._asked.pop(candidate.key)
        self._tried.append(Tried(candidate.note, _outcome(evaluation)))
        if not evaluation.ok:
            if self._settings.repair and not turn.repair:
                self._failed = _Failed(candidate, evaluation)
            return
        if self._phase.climbs and evaluation.faster and (evaluation.speedup or 0.0) > self._best * STEP:
            self._best = evaluation.speedup or 1.0
            self._base, self._base_evaluation = candidate, evaluation
            self._turn, self._fresh_base = 0, True

    def _next_turn(self) -> _Turn:
        if self._failed is not None:
            return self._repair_turn(self._failed)
        texts = self._texts(self._base)
        if self._fresh_base:
            self._phase.rebase(texts, self._base_evaluation)
            self._fresh_base = False
        prompt = self._phase.prompt(self._scene(texts), texts, self._turn)
        return _Turn(prompt, texts, self._phase.regions(self._sources, texts), self._base.note, repair=False)

    def _repair_turn(self, failed: _Failed) -> _Turn:
        texts = self._texts(failed.candidate)
        gate = failed.evaluation.failure
        name = gate.gate.value if gate else failed.evaluation.state.value
        scene = Scene(self._phase.shown(self._sources, texts), self._constraints, limits=self._settings.limits)
        prompt = gate_repair_prompt(scene, failed.candidate.note, name, failed.evaluation.reason)
        return _Turn(prompt, texts, self._phase.regions(self._sources, texts), failed.candidate.note, repair=True)

    def _scene(self, texts: Mapping[str, str]) -> Scene:
        return Scene(
            self._phase.shown(self._sources, texts),
            self._constraints,
            self._base_evaluation,
            tuple(self._tried),
            self._settings.limits,
        )

    def _candidate(self, turn: _Turn) -> Candidate | None:
        """Ask, and once more when the blocks are refused. None: nothing new came of it."""
        reply = self._session.ask(turn.prompt, self._phase.temperature)
        self._answered(turn)
        try:
            return self._read(turn, reply)
        except EditError as refusal:
            reason = self._refused(reply, refusal)
        if not self._settings.repair:
            return None
        again = answer_repair_prompt(turn.prompt, reply.text, reason, self._settings.limits)
        reply = self._session.ask(again, self._phase.temperature)
        try:
            return self._read(turn, reply)
        except EditError as refusal:
            self._refused(reply, refusal)
            return None

    def _answered(self, turn: _Turn) -> None:
        """The turn is used up as soon as its question is answered, whatever the answer is worth."""
        self.counts.turns += 1
        if turn.repair:
            self.counts.repairs += 1
            self._failed = None
        else:
            self._turn += 1

    def _refused(self, reply: Reply, refusal: EditError) -> str:
        self.counts.refused += 1
        return f"{refusal} ({CUT})" if reply.cut else str(refusal)

    def _read(self, turn: _Turn, reply: Reply) -> Candidate | None:
        """The candidate of an answer; None when it is a program that was proposed before. Raises EditError."""
        answer = parse_answer(reply.text)
        texts = {**turn.texts, **apply_edits(turn.texts, answer.edits, turn.regions)}
        title = answer.title or f"edits {', '.join(dict.fromkeys(edit.path for edit in answer.edits))}"
        note = f"{turn.note}; {'repaired: ' if turn.repair else ''}{title}" if turn.note else title
        candidate = self._whole(texts, one_line(note, NOTE_LENGTH))
        if candidate.key in self._seen:
            self.counts.repeated += 1
            self._tried.append(Tried(candidate.note, "the same program as an earlier one"))
            return None
        self._seen.add(candidate.key)
        self._asked[candidate.key] = turn
        return candidate

    def _texts(self, candidate: Candidate) -> dict[str, str]:
        return {**self._sources.texts, **self._start_files, **candidate.files}

    def _whole(self, texts: Mapping[str, str], note: str = "") -> Candidate:
        """A candidate that turns the original into ``texts``, the start included."""
        original = self._sources.texts
        files = {p: text for p, text in texts.items() if p in self._start_files or original.get(p) != text}
        return Candidate(files, f"{ORIGIN}:{self._phase.name}", note)

    def _end(self, reason: str, by: str = "model") -> None:
        self.ended = reason
        self.ended_by = by
        self._session.end(reason, self._phase.name)


def _outcome(evaluation: Evaluation) -> str:
    """One line for the model: what became of a program."""
    if not evaluation.ok:
        gate = evaluation.failure
        return f"failed at {gate.gate.value if gate else evaluation.state.value}: {evaluation.reason}"
    if evaluation.speedup is None:
        return "correct, not timed"
    judged = "faster" if evaluation.faster else "not faster beyond noise"
    return f"correct, {evaluation.speedup:.3f}x the original's speed, {judged}"
