"""Symbolic integers against plain integer arithmetic."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.values import (
    Value,
    align_down,
    align_up,
    bit_and,
    both,
    case_symbols,
    ceil_div,
    compare,
    conditional,
    divide,
    either,
    evaluate,
    maximum,
    minimum,
    negate,
    number,
    remainder,
    substitute,
    symbol,
)

N = symbol("n", 0)
UB = symbol("ub", 0, 196608)


def must(value: Value | None) -> Value:
    assert value is not None
    return value


def test_polynomials_are_canonical() -> None:
    assert (N + 1) * (N - 1) == N * N - 1
    assert (N * 2 + N * 3).text == "5 * n"
    assert number(0) == N - N


def test_aligned_up_is_a_multiple() -> None:
    aligned = must(align_up(N, number(32)))
    assert aligned.is_multiple_of(32)
    assert not N.is_multiple_of(32)
    assert evaluate(aligned, {"n": 33}) == 64
    assert align_up(aligned, number(32)) == aligned


def test_share_of_ub_is_known_to_fit() -> None:
    # ub / 6 / 2 / 32 * 32, twelve times: at most 196608 since 6 * 2 parts of floor-divided size cannot exceed it.
    share = must(align_down(must(divide(must(divide(UB, number(6))), number(2))), number(32)))
    assert share.is_multiple_of(32)
    assert share.upper_bound() == 196608 // 12 // 32 * 32
    assert (share * 12).upper_bound() == 196608
    assert evaluate(share, {"ub": 196352}) == 16352  # 196352 / 12 = 16362, rounded down to 32


def test_never_a_multiple() -> None:
    odd = N * 32 + 4
    assert odd.is_never_multiple_of(32)
    assert odd.is_multiple_of(4)
    assert number(200).is_never_multiple_of(32)
    assert not N.is_never_multiple_of(32)


def test_ternary_of_a_comparison_is_a_minimum() -> None:
    left, right = symbol("rest"), symbol("tile")
    smaller = conditional(compare("<", left, right), left, right)
    assert smaller == minimum(left, right)
    assert evaluate(smaller, {"rest": 7, "tile": 5}) == 5


def test_division_by_a_zero_is_nothing() -> None:
    assert divide(N, number(0)) is None
    assert remainder(N, number(0)) is None
    assert evaluate(must(divide(N, symbol("d"))), {"n": 4, "d": 0}) is None


def test_only_the_chosen_arm_counts() -> None:
    d = symbol("d")
    guarded = conditional(compare("==", d, number(0)), number(0), must(divide(N, d)))
    assert evaluate(guarded, {"n": 4, "d": 0}) == 0
    assert evaluate(guarded, {"n": 9, "d": 2}) == 4


def test_remainder_of_a_known_congruence() -> None:
    assert remainder(N * 16, number(8)) == number(0)
    assert remainder(N * 16 + 3, number(8)) == number(3)
    assert must(remainder(N, number(8))).upper_bound() == 7


def test_masks() -> None:
    assert must(bit_and(N, number(31))) == remainder(N, number(32))
    assert must(bit_and(N, number(-32))).is_multiple_of(32)
    assert bit_and(N, number(5)) is None


def test_case_symbols_name_fields_and_items() -> None:
    case = ActiveCase("big", "Ascend910B2", {"tile": 512, "scale": 0.5, "sub.rows": 3, "sizes": (4, 8)}, block_dim=40)
    assert case_symbols(case) == {
        "tiling.tile": 512,
        "tiling.sub.rows": 3,
        "tiling.sizes[0]": 4,
        "tiling.sizes[1]": 8,
        "block_num": 40,
    }


def test_substitution_keeps_what_is_not_known() -> None:
    total = N * symbol("m") + 1
    assert must(substitute(total, {"n": 3})) == symbol("m") * 3 + 1


# ------------------------------------------------------------------ against integers

Tree = tuple[object, ...]
leaves = st.one_of(st.integers(-70, 70).map(lambda k: ("num", k)), st.sampled_from([("sym", "a"), ("sym", "b")]))


def grow(children: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    pair = st.tuples(
        st.sampled_from(["+", "-", "*", "/", "%", "min", "max", "<", "==", "up", "ceil"]), children, children
    )
    return st.one_of(pair, st.tuples(st.just("?"), children, children, children))


trees = st.recursive(leaves, grow, max_leaves=12)


def build(tree: Tree) -> Value | None:
    kind = tree[0]
    if kind == "num":
        return number(tree[1])  # type: ignore[arg-type]
    if kind == "sym":
        return symbol("a", 0, 50) if tree[1] == "a" else symbol("b", None, None, 4)
    parts = [build(part) for part in tree[1:]]  # type: ignore[arg-type]
    if any(part is None for part in parts):
        return None
    left, right, *rest = (must(part) for part in parts)
    simple = {"+": left + right, "-": left - right, "*": left * right}
    if kind in simple:
        return simple[str(kind)]
    if kind == "?":
        return conditional(negate(compare("==", left, number(0))), right, rest[0])
    if kind in ("<", "=="):
        return compare(str(kind), left, right)
    table = {"/": divide, "%": remainder, "min": minimum, "max": maximum, "up": align_up, "ceil": ceil_div}
    return table[str(kind)](left, right)


def quotient(left: int, right: int) -> int | None:
    if right == 0:
        return None
    magnitude = abs(left) // abs(right)
    return magnitude if (left < 0) == (right < 0) else -magnitude


def reference(tree: Tree, a: int, b: int) -> int | None:
    """C semantics; None where the program is undefined."""
    kind = tree[0]
    if kind == "num":
        return tree[1]  # type: ignore[return-value]
    if kind == "sym":
        return a if tree[1] == "a" else b
    if kind == "?":
        test = reference(tree[1], a, b)  # type: ignore[arg-type]
        return None if test is None else reference(tree[2 if test else 3], a, b)  # type: ignore[arg-type]
    left, right = (reference(part, a, b) for part in tree[1:3])  # type: ignore[arg-type]
    if left is None or right is None:
        return None
    if kind in ("/", "%", "up", "ceil"):
        top = left + right - 1 if kind in ("up", "ceil") else left
        whole = quotient(top, right)
        if whole is None:
            return None
        return {"/": whole, "%": left - whole * right, "up": whole * right, "ceil": whole}[str(kind)]
    return {
        "+": left + right,
        "-": left - right,
        "*": left * right,
        "min": min(left, right),
        "max": max(left, right),
        "<": int(left < right),
        "==": int(left == right),
    }[str(kind)]


@settings(max_examples=300, deadline=None)
@given(trees, st.integers(0, 50), st.integers(-12, 12).map(lambda k: 4 * k))
def test_every_value_agrees_with_integers(tree: Tree, a: int, b: int) -> None:
    expected = reference(tree, a, b)
    value = build(tree)
    if expected is None or value is None:
        return
    assert evaluate(value, {"a": a, "b": b}) == expected
    lo, hi = value.lower_bound(), value.upper_bound()
    assert lo is None or lo <= expected
    assert hi is None or expected <= hi
    known = value.range
    assert (expected == known.rem) if known.mod == 0 else (expected - known.rem) % known.mod == 0


def test_logic() -> None:
    small, large = compare("<", N, number(4)), compare(">", N, number(9))
    for n in (0, 5, 12):
        assert evaluate(both(small, negate(large)), {"n": n}) == int(n < 4 and n <= 9)
        assert evaluate(either(small, large), {"n": n}) == int(n < 4 or n > 9)


def test_a_value_is_known_when_everything_below_it_is() -> None:
    known, unknown = symbol("tiling.n", 0), symbol("?n", 0)
    for left, right, expected in ((known, known, True), (known, unknown, False), (unknown, known, False)):
        for value in (
            left + right,
            left * right,
            divide(left, right),
            minimum(left * 3, right),
            compare("<", left, right),
        ):
            assert value is not None
            assert value.is_known is expected, value
            assert must(divide(value * 7, number(3))).is_known is expected
    assert number(3).is_known
