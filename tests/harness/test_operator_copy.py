"""Reading operators, scratch copies, patches."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from harness.fake_device import write_toy_operator

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.operator_copy import OperatorError, Scratch, read_operator
from ascendopt.harness.patch import make_patch


def test_what_is_no_operator_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    binary = write_toy_operator(tmp_path / "binary")
    (binary / "op_kernel/toy.cpp").write_bytes(b"\x7fELF\0\0")
    hollow = write_toy_operator(tmp_path / "hollow")
    (hollow / "op_host/toy.cpp").write_text("  \n")
    plain = tmp_path / "plain.cpp"
    plain.write_text("int main() {}")
    for path, words in (
        (tmp_path / "none", "does not exist"),
        (tmp_path / "empty", "no op_host/ and no op_kernel/"),
        (binary, "binary file"),
        (hollow, "is empty"),
        (plain, "launches no kernel"),
    ):
        with pytest.raises(OperatorError, match=words) as caught:
            read_operator(path)
        assert "\n" not in str(caught.value)


def test_a_copy_has_the_edits_and_the_surroundings_of_the_original(tmp_path: Path) -> None:
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/common").mkdir()
    (tmp_path / "repo/common/shared.h").write_text("#define SHARED 1\n")
    operator = write_toy_operator(tmp_path / "repo/src/toy")
    sources = read_operator(operator)
    with Scratch(sources) as scratch:
        copy = scratch.materialise(Candidate({"op_host/toy.cpp": "edited\n"}, "test"))
        assert (copy / "op_host/toy.cpp").read_text() == "edited\n"
        assert (copy / "op_kernel/toy.cpp").read_bytes() == (operator / "op_kernel/toy.cpp").read_bytes()
        assert (copy / "op_kernel/../../../common/shared.h").read_text() == "#define SHARED 1\n"
        assert scratch.scrub(f"{copy}/op_host/toy.cpp: bad") == "op_host/toy.cpp: bad"
        folder = scratch.folder
    assert not folder.exists()
    assert (operator / "op_host/toy.cpp").read_text() != "edited\n"


def test_a_candidate_can_not_leave_its_folder(tmp_path: Path) -> None:
    sources = read_operator(write_toy_operator(tmp_path / "toy"))
    with Scratch(sources) as scratch, pytest.raises(OperatorError, match="outside"):
        scratch.materialise(Candidate({"../../evil.cpp": "x"}, "test"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n"),
        (b"a\nb", b"a\nB"),
        (b"a\r\nb\r\nc", b"a\r\nB\r\nc\r\n"),
        (b"a\x0cx\nb\n", b"a\x0cy\nb\n"),
        (b"caf\xe9\nb\n", b"caf\xe9\nB\n"),
        (b"a\n", b""),
    ],
)
def test_patches_apply_with_git_byte_for_byte(tmp_path: Path, old: bytes, new: bytes) -> None:
    (tmp_path / "x.cpp").write_bytes(old)
    texts = [data.decode("utf-8", "surrogateescape") for data in (old, new)]
    patch = make_patch({"x.cpp": texts[0]}, {"x.cpp": texts[1], "new.h": "fresh\n"})
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        input=patch.encode("utf-8", "surrogateescape"),
        cwd=tmp_path,
        timeout=20,
        check=False,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "x.cpp").read_bytes() == new
    assert (tmp_path / "new.h").read_text() == "fresh\n"
