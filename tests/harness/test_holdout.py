"""Unseen shapes: consistent, new, small enough."""

from __future__ import annotations

from harness.fake_device import toy_case

from ascendopt.harness.evaluation import elements
from ascendopt.harness.holdout import MAX_ELEMENTS, holdout
from ascendopt.harness.workload import Case, Sampled, TensorSpec, Workload


def norm(rows: int, columns: int) -> Case:
    x, gamma = TensorSpec("x", "float16", ((rows, columns),)), TensorSpec("gamma", "float16", ((columns,),))
    return Case("norm", (x, gamma), (TensorSpec("y", "float16", ((rows, columns),)),))


def shapes(case: Case) -> list[tuple[int, ...]]:
    return [shape for spec in (*case.inputs, *case.outputs) for shape in spec.shapes]


def test_rows_change_everywhere_and_the_parameter_vector_stays() -> None:
    # 300 rows become 300 // 3 = 100, made odd: 101. Columns can't change: the shapes differ.
    (case,) = holdout(Workload((norm(300, 64),))).cases
    assert shapes(case) == [(101, 64), (64,), (101, 64)]


def test_a_size_that_may_mean_two_things_is_left_alone() -> None:
    assert holdout(Workload((norm(64, 64),))).cases == ()


def test_elementwise_changes_rows_and_columns() -> None:
    cases = holdout(Workload((toy_case("a", (90, 40)),))).cases
    assert sorted(shapes(case)[0] for case in cases) == [(31, 40), (90, 13)]
    assert all(len(set(shapes(case))) == 1 for case in cases)


def test_large_cases_are_cut_and_not_dropped() -> None:
    cases = holdout(Workload((toy_case("a", (8192, 8192)),))).cases
    assert len(cases) == 2
    assert all(elements(case) <= MAX_ELEMENTS for case in cases)


def test_known_shapes_are_not_offered_as_unseen() -> None:
    workload = Workload((toy_case("a", (9,)), toy_case("b", (3,))))
    # 9 gives 3, which is known; 3 gives 5.
    assert [shapes(case)[0] for case in holdout(workload).cases] == [(5,)]


def test_lists_change_in_every_tensor() -> None:
    specs = (TensorSpec("x", "float32", ((30, 8), (7,)), is_list=True),)
    outputs = (TensorSpec("y", "float32", ((30, 8), (7,)), is_list=True),)
    (case,) = holdout(Workload((Case("list", specs, outputs),))).cases
    assert shapes(case) == [(11, 8), (3,), (11, 8), (3,)]


def member(shape: tuple[int, ...], ranges: dict[str, str], sizes: dict[str, int]) -> Case:
    return toy_case("m", shape, sampled=Sampled("m", tuple(ranges.items()), tuple(sizes.items())))


def test_members_of_ranges_stay_within_them_and_keep_their_fixed_sizes() -> None:
    # A third of 96 is 32, made odd: 33; the steps allow 16, 32, 48 .. 96. The 40 was written as a fixed size.
    cases = holdout(Workload((member((96, 40), {"n": "16..96 step 16"}, {"n": 96}),))).cases
    assert [shapes(case) for case in cases] == [[(32, 40), (32, 40)]]
    # A third of 9 would be 3: below the range, whose nearest size is its end.
    cases = holdout(Workload((member((9, 40), {"n": "8..64"}, {"n": 9}),))).cases
    assert [shapes(case)[0] for case in cases] == [(8, 40)]
    # Sizes that are listed one by one.
    cases = holdout(Workload((member((128, 40), {"n": "64, 128, 512"}, {"n": 128}),))).cases
    assert [shapes(case)[0] for case in cases] == [(64, 40)]


def test_a_range_of_one_size_and_sizes_that_two_ranges_share_are_left_alone() -> None:
    assert holdout(Workload((member((8, 40), {"n": "8..8"}, {"n": 8}),))).cases == ()
    both = member((64, 64), {"n": "1..100", "d": "32..128 step 32"}, {"n": 64, "d": 64})
    assert holdout(Workload((both,))).cases == ()
