"""Make a working environment from a bare Python: venv, packages, and a C++ compiler where there is none.

Standard library only. Run by the Makefile; safe to run again: it does nothing when nothing changed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MINIMUM_PYTHON = (3, 10)


def say(text: str) -> None:
    sys.stderr.write(f"bootstrap: {text}\n")
    sys.stderr.flush()


def fail(text: str) -> int:
    sys.stderr.write(f"bootstrap: {text}\n")
    return 2


def major_version(compiler: str) -> int:
    """Major version of ``compiler``, or 0 when it is absent or does not answer."""
    path = shutil.which(compiler)
    if path is None:
        return 0
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
    found = re.search(r"(\d+)\.\d+", answer.stdout)
    return int(found.group(1)) if answer.returncode == 0 and found else 0


def has_compiler() -> bool:
    """True when g++ >= 12 or clang++ >= 15 is on the path: both know _Float16 in C++."""
    return major_version("g++") >= 12 or major_version("clang++") >= 15


def fingerprint(extras: str) -> str:
    """Changes whenever the environment has to be made anew."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {extras} {ROOT}".encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def run(argv: list[str], **kwargs: object) -> bool:
    return subprocess.run(argv, check=False, **kwargs).returncode == 0  # type: ignore[call-overload]


def install(venv: Path, extras: str) -> bool:
    """Install the project into ``venv``: with uv, which is far faster, else with pip."""
    python = str(venv / "bin" / "python")
    target = f"{ROOT}[{extras}]" if extras else str(ROOT)
    arguments = ["--constraint", str(ROOT / "constraints.txt"), "--editable", target]
    uv = shutil.which("uv")
    if uv is None and run([python, "-m", "pip", "install", "--quiet", "uv"], stderr=subprocess.DEVNULL):
        uv = str(venv / "bin" / "uv")
    if uv is not None:
        environment = {**os.environ, "UV_LINK_MODE": "copy", "VIRTUAL_ENV": str(venv)}
        if run([uv, "pip", "install", "--quiet", "--python", python, *arguments], env=environment):
            return True
        say("uv could not install the packages; trying pip")
    return run([python, "-m", "pip", "install", "--quiet", *arguments])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv")
    parser.add_argument("--dev", action="store_true", help="also what tests and lint need")
    options = parser.parse_args()
    if sys.version_info < MINIMUM_PYTHON:
        return fail(f"Python {sys.version.split()[0]} is too old: run make PYTHON=python3.10 (or newer)")
    extras = [] if not options.dev else ["dev"]
    if not has_compiler():
        say("no g++ >= 12 and no clang++ >= 15 on the path: taking the Zig compiler from PyPI")
        extras.append("zig")
    venv: Path = options.venv
    stamp = venv / ".ascendopt-bootstrap"
    wanted = fingerprint(",".join(extras))
    known = stamp.read_text().split() if stamp.exists() else []
    if wanted in known:
        return 0
    say(f"installing into {venv.name} ({', '.join(extras) or 'no extras'})")
    if not (venv / "bin" / "python").exists() and not run([sys.executable, "-m", "venv", str(venv)]):
        return fail(f"could not make a virtual environment in {venv}; on Debian install python3-venv")
    if not install(venv, ",".join(extras)):
        return fail("the packages could not be installed; the lines above say why")
    satisfied = [wanted] if not options.dev else [wanted, fingerprint(",".join(extras[1:]))]
    stamp.write_text("\n".join(satisfied) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
