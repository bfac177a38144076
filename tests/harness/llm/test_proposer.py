"""The proposer without a server: bases, repair rounds, limits, replay from a log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from harness.fake_device import HOST, KERNEL
from harness.llm.scripted_server import block

from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.symptoms.model import Symptom, SymptomKind
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation, Gate, GateResult, State
from ascendopt.harness.journal.events import JournalError
from ascendopt.harness.journal.journal import Journal
from ascendopt.harness.llm.answers import JournalAnswers, MemoryAnswers
from ascendopt.harness.llm.exchange import ModelFailure, Prompt, Reply
from ascendopt.harness.llm.phases import Phase, RefinePhase, SamplePhase, TilingPhase
from ascendopt.harness.llm.prompts import Advice
from ascendopt.harness.llm.proposer import LlmProposer, ProposerSettings
from ascendopt.harness.llm.session import ModelSession
from ascendopt.harness.operator_copy import OperatorSources

KERNEL_FILE, HOST_FILE = "op_kernel/toy.cpp", "op_host/toy.cpp"
SOURCES = OperatorSources(
    Path("/toy"), Path("/toy"), {HOST_FILE: HOST.format(tile=512, core=1024), KERNEL_FILE: KERNEL.format(buffers=1)}
)
SYMPTOMS = [Symptom(kind, "mte2", kind.value, ()) for kind in (SymptomKind.SINGLE_BUFFER, SymptomKind.SMALL_TILE)]


class FakeModel:
    """Answers from a list; an exception in it is raised."""

    def __init__(self, *answers: str | ModelFailure) -> None:
        self.answers = list(answers)
        self.prompts: list[Prompt] = []
        self.asked: list[tuple[int, float | None]] = []

    def complete(self, prompt: Prompt, *, max_tokens: int, temperature: float | None = None) -> Reply:
        self.prompts.append(prompt)
        self.asked.append((max_tokens, temperature))
        answer = self.answers.pop(0)
        if isinstance(answer, ModelFailure):
            raise answer
        return Reply(answer, 100, 10)

    def scrub(self, text: str) -> str:
        return text.replace("hunter2hunter2", "***")

    @property
    def max_tokens(self) -> int:
        return 1000

    def identity(self) -> dict[str, str | float | int | None]:
        return {"model": "fake"}


def buffers(old: int, new: int, title: str = "buffers") -> str:
    return f"CHANGE: {title}\n" + block(KERNEL_FILE, f"BUFFER_NUM = {old}", f"BUFFER_NUM = {new}")


def tile(old: int, new: int) -> str:
    return "CHANGE: tile\n" + block(HOST_FILE, f"TILE = {old}", f"TILE = {new}")


def refine() -> RefinePhase:
    return RefinePhase(lambda _texts, _evaluation: [Advice(symptom) for symptom in SYMPTOMS])


def proposer(
    model: FakeModel,
    phase: Phase | None = None,
    *,
    session: ModelSession | None = None,
    settings: ProposerSettings | None = None,
    **options: object,
) -> LlmProposer:
    session = session or ModelSession(model)
    made = LlmProposer(SOURCES, load_chip("Ascend910B2"), phase or refine(), session, settings, **options)
    made.start(Evaluation(State.OK, (), latency_us=7.0))
    return made


def good(speedup: float, faster: bool = True) -> Evaluation:
    return Evaluation(State.OK, (), speedup=speedup, faster=faster)


def bad(state: State = State.COMPILE, gate: Gate = Gate.COMPILE, reason: str = "no such thing") -> Evaluation:
    return Evaluation(state, (GateResult(gate, False, reason, KERNEL_FILE, 4),))


def one(made: LlmProposer) -> Candidate:
    (candidate,) = made.propose([])
    return candidate


def test_the_best_so_far_is_the_next_base() -> None:
    model = FakeModel(buffers(1, 2, "two buffers"), tile(512, 2048), tile(512, 4096))
    made = proposer(model)
    first = one(made)
    assert (first.origin, first.note) == ("llm:refine", "two buffers")
    assert first.files == {KERNEL_FILE: KERNEL.format(buffers=2)}
    made.observe(first, good(1.1))
    second = one(made)
    assert second.note == "two buffers; tile"
    assert second.files == {KERNEL_FILE: KERNEL.format(buffers=2), HOST_FILE: HOST.format(tile=2048, core=1024)}
    made.observe(second, good(1.05))  # slower than the base: the base stays
    third = one(made)
    assert third.files[HOST_FILE] == HOST.format(tile=4096, core=1024)
    assert "BUFFER_NUM = 2" in model.prompts[2].user
    assert "two buffers; tile: correct, 1.050x the original's speed, faster" in model.prompts[2].user
    # The bottlenecks take turns on a base, and start again on a new one.
    assert ["small-tile" in prompt.user for prompt in model.prompts] == [False, False, True]


def test_a_gain_within_noise_is_no_base() -> None:
    model = FakeModel(buffers(1, 2), tile(512, 2048))
    made = proposer(model)
    made.observe(one(made), good(1.5, faster=False))
    assert set(one(made).files) == {HOST_FILE}


@pytest.mark.parametrize("state", [s for s in State if s is not State.OK])
def test_each_failed_gate_gets_one_repair_round(state: State) -> None:
    model = FakeModel(buffers(1, 3, "three"), buffers(3, 2, "two"), tile(512, 1024))
    made = proposer(model)
    made.observe(one(made), bad(state))
    repaired = one(made)
    assert repaired.note == "three; repaired: two"
    assert repaired.files == {KERNEL_FILE: KERNEL.format(buffers=2)}
    assert "op_kernel/toy.cpp:4: no such thing" in model.prompts[1].user
    assert "BUFFER_NUM = 3" in model.prompts[1].user  # it repairs what failed
    made.observe(repaired, bad(state))
    third = one(made)  # no second repair: on from the base
    assert set(third.files) == {HOST_FILE}
    assert "Correct it" not in model.prompts[2].user
    assert made.counts.repairs == 1


def test_refused_blocks_get_one_round_with_the_reason() -> None:
    model = FakeModel(buffers(7, 2), buffers(1, 2))
    made = proposer(model)
    assert one(made).files == {KERNEL_FILE: KERNEL.format(buffers=2)}
    assert "its text is not in the file" in model.prompts[1].user
    assert (made.counts.refused, made.counts.turns) == (1, 1)


def test_an_answer_that_was_cut_off_is_told_so() -> None:
    class Short(FakeModel):
        def complete(self, prompt: Prompt, *, max_tokens: int, temperature: float | None = None) -> Reply:
            reply = super().complete(prompt, max_tokens=max_tokens, temperature=temperature)
            return Reply(reply.text, 1, 1, cut=len(self.prompts) == 1)

    model = Short(buffers(1, 2)[:-10], buffers(1, 2))
    one(proposer(model))
    assert "cut off at the limit of tokens" in model.prompts[1].user


def test_turns_without_a_new_program_end_it() -> None:
    model = FakeModel(buffers(1, 2), *[buffers(1, 2)] * 2, "no idea", "none", "no idea", "none")
    made = proposer(model, settings=ProposerSettings(most_idle=4))
    made.observe(one(made), good(1.0, faster=False))
    assert made.propose([]) == []
    assert made.ended == "4 turns in a row gave no new program."
    assert (made.counts.repeated, made.counts.refused) == (2, 4)
    assert made.propose([]) == []  # and asks no more
    assert not model.answers


def test_without_repair_rounds_each_turn_asks_once() -> None:
    model = FakeModel("no idea", buffers(1, 3), tile(512, 64))
    made = proposer(model, settings=ProposerSettings(repair=False))
    made.observe(one(made), bad())
    assert set(one(made).files) == {HOST_FILE}


def test_failures_of_the_model_are_free_until_they_are_too_many() -> None:
    down = ModelFailure("the model is down.", tokens_in=5)
    model = FakeModel(down, down, buffers(1, 2), down, down, down)
    made = proposer(model)
    session = made._session
    made.observe(one(made), good(1.0, faster=False))
    assert model.prompts[0] == model.prompts[1] == model.prompts[2]
    assert made.propose([]) == []
    assert made.ended == "the model gave no answer 3 times: the model is down."
    assert (session.usage.asked, session.usage.failures) == (6, 5)
    assert session.tokens.tokens_in == 100 + 5 * 5


def test_a_final_failure_ends_it_at_once() -> None:
    made = proposer(FakeModel(ModelFailure("the key is refused.", final=True)))
    assert made.propose([]) == []
    assert "the key is refused." in made.ended


def test_the_cap_of_tokens_bounds_answers_and_ends_it() -> None:
    model = FakeModel(buffers(1, 2), buffers(1, 4), buffers(1, 8))
    log = MemoryAnswers()
    probe = FakeModel(buffers(1, 2))
    one(proposer(probe))
    need = -(-len(probe.prompts[0].system.encode()) // 3) - (-len(probe.prompts[0].user.encode()) // 3)
    session = ModelSession(model, token_cap=need + 110 + 300, log=log)
    made = proposer(model, session=session)
    made.observe(one(made), good(1.0, faster=False))
    assert made.propose([]) == []
    assert "the cap of" in made.ended and "110 are spent" in made.ended
    assert model.asked[0][0] == 110 + 300  # what the cap leaves, below the model's own 1000
    assert len(model.prompts) == 1
    assert log.summaries[0]["tokens_in"] == 100 and log.summaries[0]["reason"] == made.ended


def test_best_of_n_samples_the_original_each_time() -> None:
    model = FakeModel(buffers(1, 2), tile(512, 2048))
    made = proposer(model, SamplePhase())
    first = one(made)
    assert first.origin == "llm:best-of-n"
    made.observe(first, good(2.0))
    assert set(one(made).files) == {HOST_FILE}
    assert model.prompts[0] == model.prompts[1]
    assert [temperature for _, temperature in model.asked] == [0.8, 0.8]


def test_the_tiling_phase_leaves_the_kernel_alone_but_for_its_numbers() -> None:
    answer = block(KERNEL_FILE, "Muls(out, in, FACTOR);", "Muls(out, in, 2);")
    model = FakeModel(answer, block(KERNEL_FILE, "Muls(", "Mul("), buffers(1, 2) + tile(512, 2048))
    made = proposer(model, TilingPhase())
    candidate = one(made)
    assert candidate.origin == "llm:tiling"
    assert set(candidate.files) == {KERNEL_FILE, HOST_FILE}
    assert "not among the ones that may change" in model.prompts[1].user
    assert "Muls" not in model.prompts[0].user and "EnQue" not in model.prompts[0].user
    assert "196352 bytes" in model.prompts[0].user


def test_a_later_stage_starts_from_given_files_and_keeps_them() -> None:
    refined = {KERNEL_FILE: KERNEL.format(buffers=2)}
    made = proposer(FakeModel(tile(512, 2048)), TilingPhase(), start_files=refined)
    assert one(made).files == {**refined, HOST_FILE: HOST.format(tile=2048, core=1024)}


def test_without_a_bottleneck_it_still_asks() -> None:
    made = proposer(FakeModel(buffers(1, 2)), RefinePhase(lambda _texts, _evaluation: []))
    assert one(made).files


def test_advice_is_asked_for_each_base_with_its_evaluation() -> None:
    seen: list[tuple[str, Evaluation | None]] = []

    def advise(texts: object, evaluation: Evaluation | None) -> Sequence[Advice]:
        assert isinstance(texts, dict)
        seen.append((texts[KERNEL_FILE], evaluation))
        return [Advice(SYMPTOMS[0])]

    made = proposer(FakeModel(buffers(1, 2), tile(512, 64), tile(512, 32)), RefinePhase(advise))
    better = good(1.5)
    made.observe(one(made), better)
    made.observe(one(made), good(1.0, faster=False))
    one(made)
    assert [text for text, _ in seen] == [KERNEL.format(buffers=1), KERNEL.format(buffers=2)]
    assert seen[1][1] is better


def test_a_log_in_memory_replays_without_the_model() -> None:
    log = MemoryAnswers()
    model = FakeModel(ModelFailure("down."), buffers(7, 2), buffers(1, 2))
    first = one(proposer(model, session=ModelSession(model, log=log)))
    assert len(log.prompts) == 3
    silent = FakeModel()
    assert one(proposer(silent, session=ModelSession(silent, log=log))) == first


def test_a_key_in_the_code_is_neither_asked_nor_kept(tmp_path: Path) -> None:
    texts = {**SOURCES.texts, HOST_FILE: "// hunter2hunter2\n" + SOURCES.texts[HOST_FILE]}
    sources = OperatorSources(SOURCES.root, SOURCES.target, texts)
    model = FakeModel(buffers(1, 2))
    session = ModelSession(model)
    with Journal(tmp_path / "out") as journal:
        session.open(journal)
        made = LlmProposer(sources, load_chip("Ascend910B2"), refine(), session)
        assert one(made).files
    assert "hunter2" not in model.prompts[0].text and "// ***" in model.prompts[0].user
    assert all(b"hunter2" not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_journal_whose_answer_is_gone_can_not_be_resumed(tmp_path: Path) -> None:
    model = FakeModel(buffers(1, 2))
    prompt = Prompt("a", "b")
    with Journal(tmp_path) as journal:
        session = ModelSession(model)
        session.open(journal)
        session.ask(prompt)
    answer = Reply(buffers(1, 2), 100, 10)
    with Journal(tmp_path, resume=True) as journal:
        log = JournalAnswers(journal)
        log.begin(model.identity())
        assert log.get(prompt, 0) == answer
        assert log.get(prompt, 1) is None
    for path in (tmp_path / "artifacts").iterdir():
        path.write_text("changed")
    with Journal(tmp_path, resume=True) as journal:
        log = JournalAnswers(journal)
        log.begin(model.identity())
        with pytest.raises(JournalError, match="missing or damaged"):
            log.get(prompt, 0)


def test_another_question_or_another_model_can_not_resume(tmp_path: Path) -> None:
    model = FakeModel("x")
    with Journal(tmp_path) as journal:
        session = ModelSession(model)
        session.open(journal)
        session.ask(Prompt("a", "b"))
    with Journal(tmp_path, resume=True) as journal:
        session.open(journal)
        with pytest.raises(JournalError, match="differs from the recorded run"):
            session.ask(Prompt("a", "other"))
    with Journal(tmp_path, resume=True) as journal, pytest.raises(JournalError, match="'model' differs"):
        JournalAnswers(journal).begin({"model": "another"})
