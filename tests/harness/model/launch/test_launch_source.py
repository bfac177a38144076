"""The rewriting of launches: what a launch is, and that lines stay where they are."""

from __future__ import annotations

import pytest

from ascendopt.harness.devices.model.launch_source import find_kernels, rewrite_launches


def rewritten(text: str) -> str:
    return rewrite_launches(text, find_kernels(text))


@pytest.mark.parametrize(
    ("text", "callee"),
    [
        ("k<<<1, 0, s>>>(a);", "k(asc_each...)"),
        ("n::k<T, (1 > 2)><<<f(a, b), 0, s>>>(a);", "n::k<T, (1 > 2)>(asc_each...)"),
        ("k<A<B<1>>><<<1, 0, s>>>(a);", "k<A<B<1>>>(asc_each...)"),
        ("  k<int>\n    <<<x >> 1, 0, s>>>(a,\n b);", "k<int>     (asc_each...)"),
        ("k<<<v[Holder<int>::n], 0, s>>>(a);", "k(asc_each...)"),
    ],
)
def test_the_call_is_kept_and_the_lines_stay(text: str, callee: str) -> None:
    out = rewritten(text)
    assert "<<<" not in out
    assert callee in out
    assert out.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text", ['"k<<<1, 0, s>>>(a)"', "// k<<<1, 0, s>>>(a)\n", "/* k<<<1,\n0, s>>>(a) */", "x << 3;"]
)
def test_what_is_no_launch_is_left_alone(text: str) -> None:
    assert rewritten(text) == text


def test_the_cores_of_a_kernel_come_from_its_attribute_or_its_task_type() -> None:
    kernels = find_kernels(
        "__global__ __vector__ void a(GM_ADDR x, const T& t) {}\n"
        "__cube__ __global__ void b() {}\n"
        "template <int n = (1, 2)> __global__ __mix__(1, 2) void c(A<1, 2> first, int second = 3) {}\n"
        "__global__ __aicore__ void d() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1); }\n"
        "__global__ __aicore__ void e();\n"
    )
    assert {name: head.kind for name, head in kernels.items()} == {
        "a": "kAscKernelVector",
        "b": "kAscKernelCube",
        "c": "kAscKernelMix, 1, 2",
        "d": "kAscKernelMix, 1, 1",
        "e": "",
    }
    assert kernels["a"].parameters == ("x", "t")
    assert kernels["c"].parameters == ("first", "second")
