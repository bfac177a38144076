"""Which constants a gain rests on, where the answer is put in by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ascendopt.harness.devices.model.ensemble import deviates, ensemble_record
from ascendopt.harness.report.constants import basis_of

SAMPLES = 32
NAMES = [f"constant_{n}" for n in range(60)] + [f"vector.Op{n}.any.extra" for n in range(400)]
ENSEMBLE = {"samples": SAMPLES, "seed": 0, "constants": {name: [0.1, "fitted"] for name in NAMES}}


def test_the_deviates_have_mean_0_and_variance_1() -> None:
    drawn = deviates(0, SAMPLES, NAMES)
    # 14720 draws: the mean has a deviation of 0.008, the variance one of about 0.011.
    assert abs(drawn.mean()) < 0.03 and abs(drawn.var() - 1.0) < 0.05
    # Twelve uniforms less six stay within 6.
    assert abs(drawn).max() < 6.0


def test_the_constants_behind_a_gain_are_named_with_their_shares() -> None:
    first, second = deviates(0, SAMPLES, ["constant_7", "vector.Op3.any.extra"])
    gain = 1.3 * np.exp(0.04 * (first - first.mean()) - 0.02 * (second - second.mean()))
    found = basis_of(list(gain), ENSEMBLE)
    assert found is not None
    assert [one.name for one in found.constants] == ["constant_7", "vector.Op3.any.extra"]
    assert [one.change for one in found.constants] == pytest.approx([np.expm1(0.04), np.expm1(-0.02)])
    # The first takes the part of the second with it that goes with it by chance; together they are all of it.
    assert sum(one.share for one in found.constants) == pytest.approx(1.0) and found.rest == pytest.approx(0.0)
    assert found.constants[0].share == pytest.approx(0.8, abs=0.15)
    assert found.spread == pytest.approx(np.std(np.log(gain)))


def test_a_gain_that_no_constant_moves_names_none() -> None:
    rng = np.random.default_rng(3)
    named = 0
    for _ in range(100):
        found = basis_of(list(np.exp(rng.normal(0.2, 0.03, SAMPLES))), ENSEMBLE)
        assert found is not None
        named += len(found.constants) > 0
    # A chance of 0.5 % each: four or more of a hundred have a probability of 0.2 %.
    assert named <= 3


def test_a_gain_without_spread_rests_on_nothing_and_other_sets_are_not_explained() -> None:
    found = basis_of([1.5] * SAMPLES, ENSEMBLE)
    assert found is not None and found.constants == () and found.spread == pytest.approx(0.0, abs=1e-9)
    assert basis_of([1.5, 1.4], ENSEMBLE) is None


def test_the_record_has_the_uncertain_constants_of_a_file_and_its_base(tmp_path: Path) -> None:
    base = {
        "constants": {"a": entry(0.1), "b": entry(0.0), "c": entry(0.2)},
        "vector": {"Add": {"any": {"per_repeat": entry(0.3), "extra": entry(0.0)}}},
    }
    (tmp_path / "base.json").write_text(json.dumps(base))
    (tmp_path / "chip.json").write_text(json.dumps({"base": "base.json", "constants": {"c": entry(0.5, "guess")}}))
    assert ensemble_record(tmp_path / "chip.json", 8, 4) == {
        "samples": 8,
        "seed": 4,
        "constants": {"a": [0.1, "fitted"], "c": [0.5, "guess"], "vector.Add.any.per_repeat": [0.3, "fitted"]},
    }


def entry(uncertainty: float, source: str = "fitted") -> dict[str, object]:
    return {"value": 1.0, "unit": "", "uncertainty": uncertainty, "source": source, "note": ""}
