"""A server that carries out orders in children: what becomes of one that can't."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from ascendopt.harness.sandbox import Limits
from ascendopt.harness.sandbox.fork_server import ForkServer

LIMITS = Limits(wall_s=60, cpu_s=30)


def server(folder: Path, text: str) -> ForkServer:
    script = folder / "serve.py"
    script.write_text(f"import sys\nfrom pathlib import Path\n{text}", encoding="utf-8")
    return ForkServer(script, LIMITS, {})


def test_one_that_can_start_no_child_is_replaced_once(tmp_path: Path) -> None:
    text = (
        "seen = Path(__file__).with_name('seen')\n"
        "for line in sys.stdin:\n"
        "    answer = '0' if seen.exists() else 'no child'\n"
        "    seen.touch()\n"
        "    print(answer, flush=True)\n"
    )
    assert server(tmp_path, text).run("order").returncode == 0
    never = server(tmp_path, "for line in sys.stdin: print('no child', flush=True)\n")
    assert never.run("order").returncode == 1


@pytest.mark.parametrize("text", ["sys.exit(0)\n", "for line in sys.stdin: print('12 monkeys', flush=True); break\n"])
def test_one_that_ends_is_started_again(tmp_path: Path, text: str) -> None:
    failing = server(tmp_path, text)
    assert failing.run("order").returncode == 1
    (tmp_path / "serve.py").write_text("import sys\nfor line in sys.stdin: print('3 last', flush=True)\n")
    assert [failing.run("order").returncode for _ in range(2)] == [3, 3]


def test_one_that_ended_while_nothing_was_to_do_is_started_again(tmp_path: Path) -> None:
    once = server(tmp_path, "import os\nfor line in sys.stdin: print(0, flush=True); os._exit(0)\n")
    assert [once.run("order").returncode for _ in range(3)] == [0, 0, 0]


def test_it_survives_pickling(tmp_path: Path) -> None:
    first = server(tmp_path, "import os\nfor line in sys.stdin: print(os.getpid() % 100, flush=True)\n")
    second = pickle.loads(pickle.dumps(first))
    assert first.run("order").returncode == first.run("order").returncode
    assert second.run("order").returncode >= 0
