"""Example programs of our own, read into cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascendopt.harness.inference.definition import AttrPort, OperatorDefinition, Port
from ascendopt.harness.inference.examples import example_patterns, match_example, scaled
from ascendopt.harness.inference.expressions import evaluate
from ascendopt.harness.inference.invocation import read_invocation

PROGRAM = """
#define ROWS 12
// std::vector<int64_t> xShape = {9, 9};
int Main() {
    constexpr int64_t kColumns = ROWS * 2;
    std::vector<int64_t> xShape = {ROWS, kColumns};
    std::vector<int64_t> whereShape = {4};
    std::vector<int64_t> outShape{ROWS, 4};
    std::vector<int32_t> whereData = {3, 0, 2, 1};
    float epsValue = 1e-3f;
    std::vector<int64_t> padData = {1, 2};
    aclIntArray* pads = aclCreateIntArray(padData.data(), padData.size());
    ret = CreateAclTensor(xData, xShape, &xAddr, aclDataType::ACL_FLOAT16, &x);
    ret = CreateAclTensor(whereData, whereShape, &whereAddr, aclDataType::ACL_INT32, &where);
    ret = CreateAclTensor(outData, outShape, &outAddr, aclDataType::ACL_FLOAT16, &out);
    const char* mode = "sum";
    ret = aclnnPickGetWorkspaceSize(x, nullptr, where, -1, epsValue, mode, pads, out, &size, &executor);
}
"""
PICK = OperatorDefinition(
    "Pick",
    (
        Port("x", "required", ("float16",)),
        Port("bias", "optional", ("float16",)),
        Port("where", "required", ("int32",)),
    ),
    (Port("y", "required", ("float16",)),),
    (
        AttrPort("axis", "int", True),
        AttrPort("eps", "float", False),
        AttrPort("mode", "string", False),
        AttrPort("pads", "list_int", True),
    ),
)


def test_a_call_becomes_a_pattern() -> None:
    found = read_invocation(PROGRAM)
    assert found is not None
    pattern = match_example(found, PICK)
    assert pattern is not None
    assert pattern.inputs == {"x": ((12, 24),), "bias": (), "where": ((4,),)}
    assert pattern.outputs == {"y": ((12, 4),)}
    assert pattern.attrs == {"axis": -1, "eps": 1e-3, "mode": "sum", "pads": (1, 2)}
    assert pattern.distributions == {"where": "values(3, 0, 2, 1)"}
    assert list(scaled(pattern, PICK)) == []


def test_a_tensor_that_is_never_made_is_absent() -> None:
    program = """
    std::vector<int64_t> aShape = {5};
    aclTensor* a = nullptr; aclTensor* mask = nullptr; aclTensor *odd = nullptr;
    CreateAclTensor(aData, aShape, &p, ACL_FLOAT, &a);
    MakeAnother(oddShape, &odd);
    aclnnPickGetWorkspaceSize(a, mask, odd, a, &size, &executor);
    """
    found = read_invocation(program)
    assert found is not None
    assert [argument.is_null for argument in found] == [False, True, False, False]


def test_float_arrays_keep_their_fractions() -> None:
    program = """
    std::vector<float> low = {-0.5, 2.25};
    auto lowest = aclCreateFloatArray(low.data(), low.size());
    aclnnPickGetWorkspaceSize(lowest, lowest, lowest, &size, &executor);
    """
    found = read_invocation(program)
    assert found is not None
    assert found[0].numbers == (-0.5, 2.25)


def test_lists_and_scalars() -> None:
    program = """
    std::vector<int64_t> aShape = {5}; std::vector<int64_t> bShape = {2, 3};
    double alphaValue = 2.5;
    CreateAclTensor(aData, aShape, &p, ACL_FLOAT, &a); CreateAclTensor(bData, bShape, &q, ACL_FLOAT, &b);
    std::vector<aclTensor*> group{a, b};
    aclTensorList* xs = aclCreateTensorList(group.data(), group.size());
    alpha = aclCreateScalar(&alphaValue, ACL_FLOAT);
    aclnnScaleGetWorkspaceSize(xs, alpha, xs, &size, &executor);
    """
    op = OperatorDefinition(
        "Scale",
        (Port("x", "dynamic", ("float32",)), Port("alpha", "required", ("float32",), scalar=True)),
        (Port("y", "dynamic", ("float32",)),),
        (),
    )
    found = read_invocation(program)
    assert found is not None
    pattern = match_example(found, op)
    assert pattern is not None
    assert pattern.inputs == {"x": ((5,), (2, 3)), "alpha": ((1,),)}
    assert pattern.distributions == {"alpha": "constant(2.5)"}


ADD = OperatorDefinition(
    "Add",
    (Port("x", "required", ("float16",)), Port("y", "required", ("float16",))),
    (Port("z", "required", ("float16",)),),
    (),
)
CALL = "aclnnAddGetWorkspaceSize(x, y, z, &size, &executor);"


def program(x: str, y: str, z: str) -> str:
    lines: list[str] = []
    for name, dims in (("x", x), ("y", y), ("z", z)):
        lines.append(f"std::vector<int64_t> {name}Shape = {{{dims}}};")
        lines.append(f"CreateAclTensor({name}Data, {name}Shape, &p, ACL_FLOAT16, &{name});")
    return "\n".join([*lines, CALL])


def test_one_shape_grows_to_every_elementwise_shape(tmp_path: Path) -> None:
    (tmp_path / "examples" / "a").mkdir(parents=True)
    (tmp_path / "examples" / "a" / "main.cpp").write_text(program("2, 8", "2, 8", "2, 8"), encoding="utf-8")
    patterns = example_patterns(tmp_path, ADD)
    assert [pattern.inputs["y"] for pattern in patterns] == [
        ((2, 8),), ((7,),), ((8, 2048),), ((37, 333),), ((89, 97),), ((1024, 1024),)
    ]  # fmt: skip
    assert all(pattern.outputs["z"] == pattern.inputs["x"] for pattern in patterns)


def test_rows_grow_together_and_other_dimensions_stay() -> None:
    found = read_invocation(program("4, 64", "64", "4, 64"))
    assert found is not None
    pattern = match_example(found, ADD)
    assert pattern is not None
    grown = list(scaled(pattern, ADD))
    assert [each.inputs for each in grown] == [{"x": ((n, 64),), "y": ((64,),)} for n in (37, 1024)]


@pytest.mark.parametrize("text", ["int main() {}", CALL, "aclnnAddGetWorkspaceSize(", "aclnnAddGetWorkspaceSize(a"])
def test_programs_of_another_form_give_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "examples" / "a").mkdir(parents=True)
    (tmp_path / "examples" / "a" / "main.cpp").write_text(text, encoding="utf-8")
    assert example_patterns(tmp_path, ADD) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [("3 * ROWS", 15), ("16UL", 16), ("1.5f", 1.5), ("static_cast<int64_t>(7)", 7), ("7 / 2", 3), ("true", True),
     ("f(3)", None), ("x", None), ("1 / 0", None), ("9 ** 9 ** 9", None), ("a[0]", None), ("(((", None)],
)  # fmt: skip
def test_constant_expressions(text: str, value: float | None) -> None:
    assert evaluate(text, {"ROWS": 5}) == value


@settings(deadline=None)
@given(st.text(alphabet='aclnXGetWorkspaceSize(){}[]=,;&<>* 0123"\n', max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    read_invocation(text + "aclnnXGetWorkspaceSize(a, {1, 2}, b, c);" + text)
