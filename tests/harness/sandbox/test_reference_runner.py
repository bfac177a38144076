"""The numpy reference runs in a child: values and dtypes survive, failures become one sentence."""

from __future__ import annotations

import ctypes
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from ascendopt.harness.gates.evaluator import ReferenceFailure
from ascendopt.harness.sandbox import Limits
from ascendopt.harness.sandbox.reference_runner import GoldenRunner, ReferenceRunner
from ascendopt.harness.workload import Case, TensorSpec

X = TensorSpec("x", "bfloat16", ((3,),))
CASE = Case("one", (X,), (X,), {"scale": 2.5, "axes": (0, 1)})
INPUT = np.array([1.0, -2.0, 0.5], dtype=ml_dtypes.bfloat16)


def runner(folder: Path, text: str, limits: Limits | None = None) -> ReferenceRunner:
    file = folder / "reference.py"
    file.write_text(text)
    return ReferenceRunner(file, limits) if limits else ReferenceRunner(file)


def test_values_dtypes_and_attributes_survive(tmp_path: Path) -> None:
    text = (
        "import numpy as np\n"
        "def reference(inputs, attrs):\n"
        "    assert attrs['axes'] == (0, 1)\n"
        "    (x,) = inputs\n"
        "    return [x, x.astype(np.float32) * attrs['scale'], np.arange(4, dtype=np.int8).reshape(2, 2)]\n"
    )
    same, scaled, whole = runner(tmp_path, text)(CASE, [INPUT])
    assert same.dtype == INPUT.dtype and same.tolist() == INPUT.tolist()
    assert scaled.dtype == np.float32 and scaled.tolist() == [2.5, -5.0, 1.25]
    assert whole.dtype == np.int8 and whole.tolist() == [[0, 1], [2, 3]]
    assert [path.name for path in tmp_path.iterdir()] == ["reference.py"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def reference(inputs, attrs):\n    x = 1\n    return inputs[7]\n", r"IndexError.*line 3"),
        ("def other(): pass\n", "no function reference"),
        ("def reference(inputs, attrs)\n", "SyntaxError"),
        ("import no_such_module\n", r"no_such_module.*line 1"),
        ("def reference(inputs, attrs):\n    return 5\n", "not a list"),
        ("import sys\nsys.exit(0)\n", "SystemExit"),
    ],
)
def test_failures_are_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ReferenceFailure, match=said) as caught:
        runner(tmp_path, text)(CASE, [INPUT])
    assert "\n" not in str(caught.value)
    assert "reference.py" in str(caught.value) and "one" in str(caught.value)


COUNTS = (
    "import os\n"
    "import numpy as np\n"
    "calls = 0\n"
    "def reference(inputs, attrs):\n"
    "    global calls\n"
    "    calls += 1\n"
    "    if attrs['scale'] == 7:\n"
    "        if os.fork() == 0:\n"
    "            os.setsid()\n"
    "            os.execvp('sleep', ['sleep', '98.7654321'])\n"
    "    if attrs['scale'] == 8:\n"
    "        os.kill(os.getpid(), 9)\n"
    "    if attrs['scale'] == 9:\n"
    "        while True: pass\n"
    "    return [np.int64([os.getppid(), calls])]\n"
)


def scaled(scale: float) -> Case:
    return Case("one", (X,), (X,), {"scale": scale})


def test_calls_share_one_server_and_nothing_else(tmp_path: Path) -> None:
    call = runner(tmp_path, COUNTS)
    first, second = (call(scaled(1.0), [INPUT])[0].tolist() for _ in range(2))
    assert first == second and first[1] == 1
    with pytest.raises(ReferenceFailure, match="used up"):
        call(scaled(8.0), [INPUT])
    assert call(scaled(1.0), [INPUT])[0].tolist() == first


def test_what_a_reference_leaves_running_is_ended(tmp_path: Path) -> None:
    call = runner(tmp_path, COUNTS)
    call(scaled(7.0), [INPUT])
    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if b"98.7654321" in content(path)]
    assert call(scaled(1.0), [INPUT])[0].tolist()[1] == 1


def content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_call_that_takes_too_long_leaves_the_next_one_alone(tmp_path: Path) -> None:
    call = runner(tmp_path, COUNTS, Limits(wall_s=4, cpu_s=60))
    with pytest.raises(ReferenceFailure, match="ran out of time"):
        call(scaled(9.0), [INPUT])
    assert call(scaled(1.0), [INPUT])[0].tolist()[1] == 1


def test_endless_reference_is_stopped(tmp_path: Path) -> None:
    text = "def reference(inputs, attrs):\n    while True: pass\n"
    with pytest.raises(ReferenceFailure, match="CPU time"):
        runner(tmp_path, text, Limits(wall_s=170, cpu_s=3))(CASE, [INPUT])


def test_a_golden_is_called_by_its_table(tmp_path: Path) -> None:
    file = tmp_path / "golden.py"
    file.write_text(
        "import numpy as np\n"
        "__golden__ = {'kernel': {'blend': 'blend_golden'}}\n"
        "def blend_golden(xs, bias, weight, factor=1.0, **kwargs):\n"
        "    assert bias is None and kwargs['output_dtypes'] == ['float32', 'float32'], kwargs\n"
        "    assert kwargs['input_ori_shapes'] == [(2,), (1,), (1,)] and kwargs['short_soc_version'] == 'Ascend910B2'\n"
        "    return [x * weight * factor for x in xs]\n",
        encoding="utf-8",
    )
    xs = TensorSpec("xs", "float32", ((2,), (1,)), is_list=True)
    given = (xs, TensorSpec("bias", "float32", ()), TensorSpec("weight", "float32", ((1,),)))
    case = Case("c", given, (xs,), {"factor": 3.0})
    arrays = [np.float32([1, 2]), np.float32([5]), np.float32([10])]
    first, second = GoldenRunner(file, "blend", "Ascend910B2")(case, arrays)
    assert first.tolist() == [30, 60] and second.tolist() == [150]
    with pytest.raises(ReferenceFailure, match="no kernel golden for other"):
        GoldenRunner(file, "other", "Ascend910B2")(case, arrays)


def has_landlock() -> bool:
    return ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) >= 1


@pytest.mark.skipif(not has_landlock(), reason="this system has no Landlock")
@pytest.mark.parametrize(
    "attempt",
    ["open(SECRET).read()", "open(SECRET, 'w')", "os.listdir(os.path.dirname(SECRET))", "os.unlink(SECRET)",
     "open(os.path.dirname(SECRET) + '/new', 'w')", "subprocess.run(['cat', SECRET], check=True)"],
)  # fmt: skip
def test_a_reference_reads_and_writes_nothing_outside(tmp_path: Path, attempt: str) -> None:
    secret = tmp_path / "elsewhere" / "secret"
    secret.parent.mkdir()
    secret.write_text("the-secret-text")
    own = tmp_path / "own"
    own.mkdir()
    (own / "table.txt").write_text("2.0")
    text = (
        "import os, subprocess\n"
        f"SECRET = {str(secret)!r}\n"
        "def reference(inputs, attrs):\n"
        "    factor = float(open(os.path.dirname(__file__) + '/table.txt').read())\n"
        "    if attrs['scale'] > 3:\n"
        f"        {attempt}\n"
        "    return [inputs[0] * factor]\n"
    )
    (doubled,) = runner(own, text)(CASE, [INPUT])
    assert doubled.astype(np.float32).tolist() == [2.0, -4.0, 1.0]
    with pytest.raises(ReferenceFailure, match=r"PermissionError|CalledProcessError"):
        runner(own, text)(Case("two", (X,), (X,), {"scale": 4.0}), [INPUT])
    assert secret.read_text() == "the-secret-text" and [path.name for path in secret.parent.iterdir()] == ["secret"]
