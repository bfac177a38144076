"""Which code is compiled for which types: conditions, specialisations, overloads and traits, worked out by hand.

Each kernel calls a function of the API in the arm that C++ would compile, and another one where it would not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.analysis.facts import (
    ApiCall,
    Instance,
    KernelModel,
    QueueEvent,
    analyse_file,
    analyse_operator,
    macros_of,
)
from ascendopt.analysis.operators import discover
from ascendopt.analysis.source import SourceFile

SOC = "Ascend910B2"
HEAD = '#include "kernel_operator.h"\nusing namespace AscendC;\n'
MADE = """
template <typename T> class K {
public:
    __aicore__ inline void Process() {
        LocalTensor<T> a = buf.Get<T>();
        LocalTensor<float> f = wide.Get<float>();
        BODY
    }
    MEMBERS
    TBuf<TPosition::VECCALC> buf, wide;
};
extern "C" __global__ __aicore__ void k(GM_ADDR x) { ENTRY }
"""


def model(text: str) -> KernelModel:
    return analyse_file(SourceFile.of(Path("k.cpp"), (HEAD + text).encode(), macros_of(SOC)), SOC)


def kernel(body: str, dtype: str, before: str = "", members: str = "") -> Instance:
    text = MADE.replace("BODY", body).replace("MEMBERS", members).replace("ENTRY", f"K<{dtype}> op; op.Process();")
    (instance,) = model(before + text).instances
    return instance


def called(instance: Instance) -> list[str]:
    """Names of the API calls that are surely compiled."""
    return [call.name for call in instance.of(ApiCall) if call.is_certain and call.name[:1].isupper()]


TRAITS = """
template <typename A, typename B> struct Same : public std::false_type {};
template <typename A> struct Same<A, A> : public std::true_type {};
template <typename A> struct Wide { static constexpr bool value = sizeof(A) == 4; };
template <typename A> constexpr __aicore__ inline bool IsHalf() { return std::is_same_v<A, half>; }
using Half = half;
"""


@pytest.mark.parametrize(
    ("condition", "holds_for"),
    [
        ("std::is_same<T, half>::value", {"half"}),
        ("std::is_same_v<T, half>", {"half"}),
        ("AscendC::IsSameType<T, half>::value", {"half"}),
        ("Same<T, half>::value", {"half"}),
        ("Same<T, Half>::value || Same<T, bfloat16_t>::value", {"half", "bfloat16_t"}),
        ("!Same<float, T>::value", {"half", "bfloat16_t"}),
        ("sizeof(T) == sizeof(float)", {"float"}),
        ("sizeof(T) != 4 && !std::is_same_v<T, half>", {"bfloat16_t"}),
        ("Wide<T>::value", {"float"}),
        ("IsHalf<T>()", {"half"}),
        ("IsSameType<LocalTensor<T>, LocalTensor<half>>::value", {"half"}),
        ("std::is_same<T, float16_t>::value", {"half"}),
    ],
)
@pytest.mark.parametrize("word", ["if constexpr", "if"])
def test_condition_on_types_is_decided(condition: str, holds_for: set[str], word: str) -> None:
    for dtype in ("half", "float", "bfloat16_t"):
        body = f"{word} ({condition}) {{ Exp(a, a, 64); }} else {{ Ln(a, a, 64); }}"
        expected = "Exp" if dtype in holds_for else "Ln"
        assert called(kernel(body, dtype, TRAITS)) == [expected], dtype


@pytest.mark.parametrize("condition", ["std::is_same_v<T, Unknown>", "sizeof(Unknown) == 2", "Unknown::value"])
def test_arms_of_an_undecided_condition_are_not_certain(condition: str) -> None:
    body = f"if constexpr ({condition}) {{ Exp(a, a, 64); }} else {{ Ln(a, a, 64); }}"
    instance = kernel(body, "half")
    assert called(instance) == []
    assert {call.name for call in instance.of(ApiCall)} >= {"Exp", "Ln"}


def test_arms_of_a_condition_on_values_are_certain() -> None:
    instance = kernel("if (GetBlockIdx() == 3) { Exp(a, a, 64); } else { Ln(a, a, 64); }", "half")
    assert called(instance) == ["Exp", "Ln"]


def elements(instance: Instance, name: str) -> list[str | None]:
    """Element types of the first operand of each call of ``name``."""
    calls = [call for call in instance.of(ApiCall) if call.name == name and call.args and call.args[0].tensor]
    return [call.args[0].tensor.element for call in calls if call.args[0].tensor]


@pytest.mark.parametrize(
    ("declared", "used", "expected"),
    [
        ("template <typename A> struct Up { using type = float; };", "typename Up<T>::type", "float"),
        ("template <typename A> struct Up { using type = A; };", "typename Up<T>::type", "half"),
        (
            "template <typename A> struct Up { using type = A; };\n"
            "template <> struct Up<half> { using type = float; };",
            "typename Up<T>::type",
            "float",
        ),
        (
            "template <typename A, bool B> struct Up { using type = A; };\n"
            "template <typename A> struct Up<A, true> { using type = int32_t; };",
            "typename Up<T, sizeof(T) == 2>::type",
            "int32_t",
        ),
        ("", "std::conditional_t<std::is_same_v<T, half>, float, T>", "float"),
        ("", "typename std::conditional<sizeof(T) == 4, int8_t, T>::type", "half"),
        ("template <typename A> using Same = A;", "Same<T>", "half"),
        (
            "template <typename A, typename B = A> struct Pair { using second = B; };",
            "typename Pair<T>::second",
            "half",
        ),
        ("namespace ns { using Word = uint16_t; }", "ns::Word", "uint16_t"),
    ],
)
def test_named_types(declared: str, used: str, expected: str) -> None:
    body = f"using U = {used};\n LocalTensor<U> u = buf.Get<U>(); Exp(u, u, 64);"
    assert elements(kernel(body, "half", declared), "Exp") == [expected]


def test_a_type_that_is_not_known_is_none_of_the_known_ones() -> None:
    instance = kernel("using U = typename Missing<T>::type;\n LocalTensor<U> u = buf.Get<U>(); Exp(u, u, 64);", "half")
    (element,) = elements(instance, "Exp")
    assert element not in ("half", "float")


SPECIALISED = """
template <typename T, typename P, void (*op)(const LocalTensor<P>&, const LocalTensor<P>&, const int32_t&)>
class Inner {
public:
    __aicore__ inline void Run(LocalTensor<T>& a, LocalTensor<float>& f) { op(a, a, 64); }
};
template <void (*op)(const LocalTensor<float>&, const LocalTensor<float>&, const int32_t&)>
class Inner<bfloat16_t, float, op> {
public:
    __aicore__ inline void Run(LocalTensor<bfloat16_t>& a, LocalTensor<float>& f) {
        Cast(f, a, RoundMode::CAST_NONE, 64);
        op(f, f, 64);
    }
};
"""


@pytest.mark.parametrize(("dtype", "wide", "expected"), [("half", "half", "half"), ("bfloat16_t", "float", "float")])
def test_partial_specialisation_and_function_argument(dtype: str, wide: str, expected: str) -> None:
    instance = kernel(f"Inner<T, {wide}, Exp> inner; inner.Run(a, f);", dtype, SPECIALISED)
    assert elements(instance, "Exp") == [expected]
    assert ("Cast" in called(instance)) == (dtype == "bfloat16_t")


OVERLOADS = """
    __aicore__ inline void Step(LocalTensor<half> t) { Exp(t, t, 64); }
    __aicore__ inline void Step(LocalTensor<float> t) { Ln(t, t, 64); }
    __aicore__ inline void Step(GlobalTensor<float> t) { Abs(t, t, 64); }
    template <typename U> __aicore__ inline void Any(LocalTensor<U> t) { Exp(t, t, 64); }
    __aicore__ inline void Any(LocalTensor<float> t) { Ln(t, t, 64); }
"""


@pytest.mark.parametrize(("dtype", "expected"), [("half", ["Exp"]), ("float", ["Ln"])])
@pytest.mark.parametrize("name", ["Step", "Any"])
def test_overload_by_element_type(dtype: str, expected: list[str], name: str) -> None:
    assert called(kernel(f"{name}(a);", dtype, members=OVERLOADS)) == expected


def test_overload_of_an_unknown_element_type_is_a_guess() -> None:
    text = "LocalTensor<Unknown> u = Make<Unknown>(); Step(u);"
    assert [name for name in called(kernel(text, "half", members=OVERLOADS)) if name != "Make"] == []


def test_member_defined_for_one_specialisation_alone() -> None:
    before = """
template <typename T> class Part { public: __aicore__ inline void Run(LocalTensor<T> t); };
template <typename T> __aicore__ inline void Part<T>::Run(LocalTensor<T> t) { Exp(t, t, 64); }
template <> __aicore__ inline void Part<float>::Run(LocalTensor<float> t) { Ln(t, t, 64); }
"""
    assert called(kernel("Part<T> part; part.Run(a);", "half", before)) == ["Exp"]
    assert called(kernel("Part<T> part; part.Run(a);", "float", before)) == ["Ln"]


BASES = """
template <typename T> class Base {
public:
    __aicore__ inline void Work(LocalTensor<T> t) {
        if constexpr (sizeof(T) == 4) { Ln(t, t, 64); } else { Exp(t, t, 64); }
    }
    __aicore__ inline void Out() { Abs(t, t, 64); }
    __aicore__ inline void Go() { Out(); }
    LocalTensor<T> t;
};
template <typename T> class Derived : public Base<float> {
public:
    __aicore__ inline void Out() { Sqrt(s, s, 64); }
    LocalTensor<T> s;
};
"""


def test_a_base_class_has_its_own_template_arguments() -> None:
    assert called(kernel("Derived<T> part; part.Work(f);", "half", BASES)) == ["Ln"]


def test_methods_are_not_virtual() -> None:
    assert called(kernel("Derived<T> part; part.Go();", "half", BASES)) == ["Abs"]
    assert called(kernel("Derived<T> part; part.Out();", "half", BASES)) == ["Sqrt"]


def test_a_base_that_is_given_the_derived_object_calls_it() -> None:
    before = """
template <typename P> class Frame {
protected:
    explicit __aicore__ inline Frame(P& p) : pred(p) {}
    __aicore__ inline void Run() { pred.Compute(); }
    TQue<QuePosition::VECIN, 2> queue;
private:
    P& pred;
};
class User : public Frame<User> {
public:
    __aicore__ inline User() : Frame<User>(*this) {}
    using Base = Frame<User>;
    using Base::Run;
    __aicore__ inline void Compute() {
        LocalTensor<half> t = Base::queue.DeQue<half>();
        Exp(t, t, 64);
        queue.FreeTensor(t);
    }
};
"""
    instance = kernel("User user; user.Run();", "half", before)
    assert called(instance) == ["Exp"]
    queues = {event.queue for event in instance.of(QueueEvent)}
    assert len(queues) == 1
    assert None not in queues


def test_template_template_argument() -> None:
    before = "template <template <typename> class R, typename U> inline void Use(R<U> t) { Exp(t, t, 64); }\n"
    assert elements(kernel("Use<LocalTensor, T>(a);", "half", before), "Exp") == ["half"]


def test_a_member_keeps_its_default_in_the_other_arm() -> None:
    members = "int64_t block = 512;"
    body = "if (GetBlockIdx() == 3) { Exp(a, a, 1); } else { block = 1024; } Ln(a, a, block);"
    (call,) = [c for c in kernel(body, "half", members=members).of(ApiCall) if c.name == "Ln"]
    value = call.args[2].value
    assert value is not None and (value.range.lo, value.range.hi) == (512, 1024)


HOST = """
#include "register/op_def_registry.h"
namespace ops {
class DtypeProbe : public OpDef {
public:
    explicit DtypeProbe(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(DtypeProbe);
}
"""


def columns(kernel_text: str, root: Path) -> dict[str, list[str]]:
    """Certain calls by the dtype of x."""
    (root / "op_host").mkdir()
    (root / "op_kernel").mkdir()
    (root / "op_host" / "dtype_probe.cpp").write_text(HOST)
    (root / "op_kernel" / "dtype_probe.cpp").write_text(HEAD + kernel_text)
    instances = analyse_operator(discover(root), SOC).kernel.instances
    return {dict(one.dtypes).get("DTYPE_X", "?"): called(one) for one in instances}


@pytest.mark.parametrize(
    "choice",
    [
        "#if ORIG_DTYPE_X == DT_BF16\n Ln(a, a, 64);\n#else\n Exp(a, a, 64);\n#endif\n",
        "#if defined(ORIG_DTYPE_X) && (ORIG_DTYPE_X != DT_BF16)\n Exp(a, a, 64);\n#else\n Ln(a, a, 64);\n#endif\n",
        "if constexpr (std::is_same_v<DTYPE_X, bfloat16_t>) { Ln(a, a, 64); } else { Exp(a, a, 64); }",
        "if (ORIG_DTYPE_X == DT_BF16) { Ln(a, a, 64); } else { Exp(a, a, 64); }",
    ],
)
def test_dtype_macros_are_decided_for_each_column(choice: str, tmp_path: Path) -> None:
    text = MADE.replace("BODY", choice).replace("MEMBERS", "").replace("ENTRY", "K<DTYPE_X> op; op.Process();")
    text = text.replace("void k(", "void dtype_probe(")
    assert columns(text, tmp_path) == {"half": ["Exp"], "float": ["Exp"], "bfloat16_t": ["Ln"]}


def test_declarations_in_preprocessor_branches(tmp_path: Path) -> None:
    before = (
        "#if ORIG_DTYPE_X == DT_BF16\nusing C = float;\n#else\nusing C = DTYPE_X;\n#endif\n"
        "#if ORIG_DTYPE_X == DT_FLOAT\n__aicore__ inline void Do(LocalTensor<C> t) { Ln(t, t, 64); }\n#else\n"
        "inline void Do(LocalTensor<C> t) { if constexpr (sizeof(C) == 4) { Abs(t, t, 1); } Exp(t, t, 64); }\n"
        "#endif\n"
    )
    body = "LocalTensor<C> c = buf.Get<C>(); Do(c);"
    text = before + MADE.replace("BODY", body).replace("MEMBERS", "").replace("ENTRY", "K<DTYPE_X> op; op.Process();")
    text = text.replace("void k(", "void dtype_probe(")
    assert columns(text, tmp_path) == {"half": ["Exp"], "float": ["Ln"], "bfloat16_t": ["Abs", "Exp"]}


def test_a_header_that_is_included_for_another_chip_is_not_read(tmp_path: Path) -> None:
    text = (
        '#if __CCE_AICORE__ == 200\n#include "old.h"\n#else\n#include "new.h"\n#endif\n'
        'extern "C" __global__ __aicore__ void dtype_probe(GM_ADDR x) { Part part; part.Run(); }\n'
    )
    (tmp_path / "op_kernel").mkdir()
    made = "class Part { public: __aicore__ inline void Run() { LocalTensor<half> t; %s(t, t, 64); } };\n"
    (tmp_path / "op_kernel" / "old.h").write_text(made % "Exp")
    (tmp_path / "op_kernel" / "new.h").write_text(made % "Ln")
    (tmp_path / "op_kernel" / "dtype_probe.cpp").write_text(HEAD + text)
    (instance,) = analyse_operator(discover(tmp_path), SOC).kernel.instances
    assert called(instance) == ["Ln"]


SHARED = """
template <typename U> class Inner {
public:
    using Wide = U;
    __aicore__ inline void Run(LocalTensor<U>& t, LocalTensor<float>& f) {
        using Mine = U;
        if constexpr (std::is_same_v<Wide, half>) { Exp(t, t, 1); } else { Ln(t, t, 1); }
        if constexpr (std::is_same_v<Mine, half>) { Abs(t, t, 1); } else { Relu(t, t, 1); }
    }
};
"""


def test_a_name_means_something_else_for_other_template_arguments() -> None:
    body = "Inner<half> one; one.Run(a, f); Inner<float> two; two.Run(f, f); Inner<half> three; three.Run(a, f);"
    half, other = ["Exp", "Abs"], ["Ln", "Relu"]
    assert called(kernel(body, "half", SHARED)) == [*half, *other, *half]


def test_a_local_alias_stays_in_its_function() -> None:
    helpers = """
using Kind = float;
template <typename U> __aicore__ inline void First(LocalTensor<U>& t) {
    using Kind = half;
    if constexpr (std::is_same_v<Kind, half>) { Exp(t, t, 1); } else { Ln(t, t, 1); }
}
template <typename U> __aicore__ inline void Second(LocalTensor<U>& t) {
    if constexpr (std::is_same_v<Kind, half>) { Exp(t, t, 1); } else { Ln(t, t, 1); }
}
"""
    assert called(kernel("First(a); Second(a); First(a);", "half", helpers)) == ["Exp", "Ln", "Exp"]


def test_a_parameter_that_stands_for_a_text_with_its_own_name_in_it() -> None:
    before = """
template <typename A, typename B> struct Alike { static constexpr bool value = sizeof(A) == sizeof(B); };
template <typename T> class Part {
public:
    static constexpr int32_t WIDTH = Alike<T, half>::value ? 1 : 2;
    __aicore__ inline void Run(LocalTensor<T> t) {
        if constexpr (Alike<T, half>::value) { Ln(t, t, WIDTH); } else { Exp(t, t, WIDTH); }
    }
};
"""
    # Nothing says what the outer T is, so what the inner one is stays open.
    body = "Part<typename conditional<Alike<U, half>::value, uint32_t, uint16_t>::type> part; part.Run(a);"
    for name in ("U", "T"):
        found = called(kernel(body.replace("U", name), "Undeclared<T>", before))
        assert found in ([], ["Ln"], ["Exp"])
