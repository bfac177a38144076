"""The search finds a known optimum, never repeats itself and depends on its seed alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation, Gate, GateResult, State
from ascendopt.harness.search.tiling_search import TilingSearch
from ascendopt.harness.search.tunables import find_tunables
from ascendopt.harness.search.ub_frontier import UbFrontier

TEXTS = {
    "op_host/a.cpp": "constexpr uint32_t TILE_LEN = 512;\nconstexpr int UB_SHARE = 12;\nint a = TILE_LEN / UB_SHARE;\n",
    "op_kernel/a.cpp": "constexpr int32_t BUFFER_NUM = 1;\nTQue<VECIN, BUFFER_NUM> q;\n",
}

Score = Callable[[Candidate], float | None]


def drive(score: Score, trials: int, seed: int = 0, texts: dict[str, str] | None = None) -> list[Candidate]:
    texts = texts or TEXTS
    search = TilingSearch(texts, find_tunables(texts), np.random.Generator(np.random.PCG64(seed)))
    done: list[Candidate] = []
    while len(done) < trials:
        candidates = search.propose([])
        if not candidates:
            break
        for candidate in candidates[: trials - len(done)]:
            speedup = score(candidate)
            state = State.OK if speedup else State.COMPILE
            search.observe(candidate, Evaluation(state, (), speedup=speedup))
            done.append(candidate)
    return done


def rugged(candidate: Candidate) -> float | None:
    """Best at TILE_LEN 3072, UB_SHARE 6, BUFFER_NUM 2; a third of the space is illegal."""
    genes = candidate.genes
    tile, share, buffers = (int(genes[n]) for n in ("TILE_LEN", "UB_SHARE", "BUFFER_NUM"))
    if tile * buffers > 8192:
        return None
    return float(np.exp(4.0 - abs(np.log2(tile / 3072)) - 0.1 * abs(share - 6) - 0.5 * abs(buffers - 2)))


def test_it_finds_the_optimum_with_a_small_part_of_the_space() -> None:
    size = len(list(itertools.product(*(t.domain for t in find_tunables(TEXTS)))))
    found = [max(rugged(c) or 0.0 for c in drive(rugged, 60, seed)) for seed in range(3)]
    assert size > 600
    # Optimum e^4, original e^(4 - 2.58 - 0.6 - 0.5).
    assert min(found) == pytest.approx(np.exp(4.0))


def test_the_same_seed_gives_the_same_candidates_and_none_twice() -> None:
    first, second = drive(rugged, 40, seed=5), drive(rugged, 40, seed=5)
    assert [c.key for c in first] == [c.key for c in second]
    assert len({c.key for c in first}) == 40
    others = {tuple(c.key for c in drive(rugged, 12, seed)) for seed in range(6)}
    assert len(others) > 1


def test_a_small_space_is_exhausted_and_then_ends() -> None:
    texts = {"op_host/a.cpp": "constexpr int T = 1; // ascendopt: tune[1,2,3]\n"}
    done = drive(lambda _c: 1.0, 50, texts=texts)
    assert sorted(int(c.genes["T"]) for c in done) == [2, 3]


def test_points_that_seem_to_lack_ub_are_tried_at_the_end() -> None:
    """A name that says nothing of UB: legal are a few points between those that lack it."""
    texts = {"op_host/a.cpp": "constexpr int TILE_LEN = 64; // ascendopt: tune[8,16,32,64,128,256]\n"}

    def score(candidate: Candidate) -> Evaluation:
        legal = int(candidate.genes["TILE_LEN"]) in (64, 256)
        short = GateResult(Gate.STATIC, False, "over by 32 bytes (ASC-MEM001)")
        return Evaluation(State.OK, (), speedup=2.0, latency_us=1.0) if legal else Evaluation(State.STATIC, (short,))

    for seed in range(5):
        search = TilingSearch(texts, find_tunables(texts), np.random.Generator(np.random.PCG64(seed)))
        found: list[int] = []
        while candidates := search.propose([]):
            for candidate in candidates:
                search.observe(candidate, score(candidate))
                found.append(int(candidate.genes["TILE_LEN"]))
        assert sorted(found) == [8, 16, 32, 128, 256], seed


def test_a_failure_that_would_rule_out_what_is_legal_says_nothing() -> None:
    texts = {"op_host/a.cpp": "constexpr int TILE_LEN = 512;\nint a = TILE_LEN;\n"}
    (tunable,) = find_tunables(texts)
    short = Evaluation(State.STATIC, (GateResult(Gate.STATIC, False, "over by 32 bytes (ASC-MEM001)"),))
    own = tunable.domain.index(512)
    frontier = UbFrontier([tunable], legal=(own,))
    frontier.failed((own - 1,), short)
    assert not frontier.rules_out((own + 2,))
    frontier.failed((own + 1,), short)
    assert frontier.rules_out((own + 2,)) and not frontier.rules_out((own,))
    frontier.passed((own + 3,))
    assert not frontier.rules_out((own + 2,))


def test_the_note_names_the_change() -> None:
    texts = {"op_host/a.cpp": "constexpr int T = 1; // ascendopt: tune[1,2]\n"}
    (candidate,) = drive(lambda _c: 1.0, 9, texts=texts)
    assert candidate.note == "T 1 -> 2"
    assert candidate.files == {"op_host/a.cpp": "constexpr int T = 2; // ascendopt: tune[1,2]\n"}


def test_no_move_of_the_screen_is_lost_between_batches() -> None:
    names = "ABCDEFGH"
    lines = "".join(f"constexpr int {name}_LEN = 1; // ascendopt: tune[1..16:1]\n" for name in names)
    done = drive(lambda _c: 1.0, len(names), texts={"op_host/a.cpp": lines})
    moves = [(name, int(value)) for c in done for name, value in c.genes.items() if value != 1]
    assert sorted(name for name, _ in moves) == [f"{name}_LEN" for name in names]
    # The first move of each goes part of the way; the whole way comes later.
    assert all(value < 16 for _, value in moves)


def test_what_lacks_ub_alone_is_tried_with_another_tunable_that_gives_it() -> None:
    """Two buffers gain, and fit only if half of UB is kept free: each alone shows nothing, as all else does."""
    host = "constexpr int KEPT_FREE = 1; // ascendopt: tune[1..64:1]\n"
    host += "".join(f"constexpr int {name} = 8; // ascendopt: tune[1..64:1]\n" for name in ("A", "B", "C", "D"))
    texts = {"op_host/a.cpp": host, "op_kernel/a.cpp": TEXTS["op_kernel/a.cpp"]}
    for seed in range(10):
        search = TilingSearch(texts, find_tunables(texts), np.random.Generator(np.random.PCG64(seed)))
        paid, found = 0, 0
        while not found and paid < 60:
            for candidate in search.propose([]):
                fits = int(candidate.genes["BUFFER_NUM"]) == 1 or int(candidate.genes["KEPT_FREE"]) >= 33
                gain = 1.0 + 0.1 * (int(candidate.genes["BUFFER_NUM"]) > 1)
                short = GateResult(Gate.STATIC, False, "over by 32 bytes (ASC-MEM001)")
                legal = Evaluation(State.OK, (), speedup=gain, latency_us=1.0 / gain)
                search.observe(candidate, legal if fits else Evaluation(State.STATIC, (short,)))
                paid += fits
                found = found or (paid if fits and gain > 1.0 else 0)
        # 64 x 64 x 64 x 64 others: at random every second program with more buffers fits, but few have them.
        assert 0 < found <= 24, seed
