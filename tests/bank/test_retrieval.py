"""Symptoms in words find the right remedy; predicates hold; evidence orders what is alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bank.bank_samples import MORE_PHRASINGS, PHRASINGS, evidence, sample, varied

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.chips import chip_family
from ascendopt.bank.motif import Conditions, Evidence, Status
from ascendopt.bank.retrieval import Query, evidence_quality, retrieve
from ascendopt.bank.store import BankStore

TILE = SymptomKind.SMALL_TILE


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BankStore]:
    store = BankStore.open(tmp_path_factory.mktemp("bank") / "bank")
    store.put(varied())
    yield store


@pytest.fixture
def store(tmp_path: Path) -> BankStore:
    return BankStore.open(tmp_path / "bank")


def test_the_samples_cover_every_symptom() -> None:
    assert {motif.symptom for motif in varied()} == set(SymptomKind) == set(PHRASINGS.values())
    titles = {motif.title.lower() for motif in varied()}
    assert not titles & {text.lower() for text in PHRASINGS}


@pytest.mark.parametrize(("text", "kind"), [*PHRASINGS.items(), *MORE_PHRASINGS.items()])
def test_a_symptom_in_words_finds_its_remedy_first(bank: BankStore, text: str, kind: SymptomKind) -> None:
    assert retrieve(bank, Query(text))[0].motif.symptom is kind


def test_which_remedy_of_one_kind(bank: BankStore) -> None:
    first = retrieve(bank, Query("gamma is loaded for every row", symptom=SymptomKind.LOOP_INVARIANT))[0]
    assert first.motif.title.startswith("The scale is loaded once")
    first = retrieve(bank, Query("stores to global memory wait, MTE3", symptom=SymptomKind.SINGLE_BUFFER))[0]
    assert first.motif.pipe == "mte3"


def test_a_hit_says_why(bank: BankStore) -> None:
    hit = retrieve(bank, Query("scalar loop with GetValue"))[0]
    assert hit.why == ("symptom scalar-loop", "words rank 1", "meaning rank 1", "8.00x modelled, held 1 of 1")
    assert 0 < hit.score < 2


def test_equal_banks_give_equal_answers_however_they_were_written(bank: BankStore, store: BankStore) -> None:
    for motif in reversed(varied()):
        store.put(motif)
    for text in PHRASINGS:
        assert [hit.motif.id for hit in retrieve(store, Query(text), 14)] == [
            hit.motif.id for hit in retrieve(bank, Query(text), 14)
        ]


def test_limit_and_nothing_to_find(bank: BankStore, store: BankStore) -> None:
    assert len(retrieve(bank, Query("tile"), 3)) == 3
    assert retrieve(store, Query("tile")) == retrieve(store, Query()) == []
    assert retrieve(bank, Query("...", symptom=TILE)) == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (Query(symptom=TILE), {"any", "a2", "half", "needs", "not-tail"}),
        (Query(symptom=TILE, soc="Ascend910B2"), {"any", "a2", "half", "needs", "not-tail"}),
        (Query(symptom=TILE, soc="Ascend310P3"), {"any", "half", "needs", "not-tail"}),
        (Query(symptom=TILE, dtypes=("float",)), {"any", "a2", "needs", "not-tail"}),
        (Query(symptom=TILE, dtypes=("float", "float16")), {"any", "a2", "half", "needs", "not-tail"}),
        (Query(symptom=TILE, facts=frozenset()), {"any", "a2", "half", "not-tail"}),
        (Query(symptom=TILE, facts=frozenset({"loop"})), {"any", "a2", "half", "not-tail"}),
        (Query(symptom=TILE, facts=frozenset({"loop", "it's"})), {"any", "a2", "half", "needs", "not-tail"}),
        (Query(symptom=TILE, facts=frozenset({"tail"})), {"any", "a2", "half"}),
        (Query(symptom=SymptomKind.FEW_CORES), {"other"}),
    ],
)
def test_predicates(store: BankStore, query: Query, found: set[str]) -> None:
    conditions = {
        "any": Conditions(),
        "a2": Conditions(chips=("Ascend910B4",)),
        "half": Conditions(dtypes=("float16", "bfloat16_t")),
        "needs": Conditions(required_facts=("loop", "it's")),
        "not-tail": Conditions(forbidden_facts=("tail", "x")),
    }
    store.put([sample(TILE, name, name, "fast", conditions=each) for name, each in conditions.items()])
    store.put(sample(SymptomKind.FEW_CORES, "other", "a", "b"))
    held = replace(sample(TILE, "bad", "bad", "worse"), status=Status.QUARANTINED, quarantine_reason="no")
    store.put(held)
    assert {hit.motif.title for hit in retrieve(store, query, 20)} == found
    # The two searches apply the same predicates.
    words = replace(query, text="small tile")
    assert {hit.motif.title for hit in retrieve(store, words, 20)} == found


def test_families_of_chips() -> None:
    names = {
        "Ascend910B2": "Ascend910B",
        "Ascend910B2C": "Ascend910B",
        "Ascend910B4-1": "Ascend910B",
        "Ascend910B": "Ascend910B",
        "Ascend910_9382": "Ascend910_93",
        "Ascend910_93": "Ascend910_93",
        "Ascend310P3": "Ascend310P",
        "Ascend310B1": "Ascend310B",
        "Ascend910A": "Ascend910",
        "Ascend950PR_9579": "Ascend950",
        "A2": "A2",
    }
    assert {name: chip_family(name) for name in names} == names


def test_quality_of_evidence_by_hand() -> None:
    def quality(**options: Any) -> float:
        return evidence_quality(sample(TILE, "t", "a", "b", tests=(evidence(150.0, 100.0, **options),)))

    # 1.5x: 0.5 / (0.5 + 0.5) = 1/2; held 1 of 1: (1 + 1) / (1 + 2) = 2/3; modelled: 0.6.
    assert quality() == pytest.approx(1 / 2 * 2 / 3 * 0.6)
    assert quality(modelled=False) == pytest.approx(1 / 2 * 2 / 3)
    assert quality(held=3, failed=4) == pytest.approx(1 / 2 * 4 / 9 * 0.6)
    assert evidence_quality(sample(TILE, "t", "a", "b", tests=())) == 0
    assert evidence_quality(sample(TILE, "t", "a", "b", tests=(evidence(90.0, 100.0),))) == 0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ((evidence(200.0, 100.0),), (evidence(105.0, 100.0),)),
        ((evidence(150.0, 100.0, held=9),), (evidence(150.0, 100.0, held=1, failed=8),)),
        ((evidence(150.0, 100.0, modelled=False),), (evidence(150.0, 100.0),)),
        ((evidence(110.0, 100.0),), ()),
    ],
)
def test_evidence_orders_what_is_alike(
    store: BankStore, better: tuple[Evidence, ...], worse: tuple[Evidence, ...]
) -> None:
    for flip in (False, True):
        # Whichever of the two the searches would put first: texts are equal but for one word that is not asked for.
        names = ("alpha", "omega") if flip else ("omega", "alpha")
        good = sample(TILE, f"Tile of {names[0]}", f"{names[0]}{flip}", "f", tests=better)
        bad = sample(TILE, f"Tile of {names[1]}", f"{names[1]}{flip}", "f", tests=worse)
        store.delete([motif.id for motif in store.all()])
        store.put([good, bad])
        assert [hit.motif.id for hit in retrieve(store, Query("tile too small"))] == [good.id, bad.id]
        assert [hit.motif.id for hit in retrieve(store, Query(symptom=TILE))] == [good.id, bad.id]


def test_evidence_does_not_carry_a_motif_over_another_cause(store: BankStore) -> None:
    weak = sample(SymptomKind.WIDE_BARRIER, "PIPE_ALL becomes PIPE_V", "a", "b", tests=())
    strong = sample(SymptomKind.SCALAR_LOOP, "Loop with a barrier becomes Adds", "c", "d", gain=20.0)
    store.put([weak, strong])
    assert retrieve(store, Query("a full barrier stops all pipes"))[0].motif.id == weak.id
