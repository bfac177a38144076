"""The server behind ``reference_runner``: run as a script, it reads folders that hold a request, a line each.

Each is carried out by a child, which gives up its rights before it loads the reference.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import ml_dtypes
import numpy as np
from numpy.typing import ArrayLike

from ascendopt.harness.sandbox.landlock import restrict
from ascendopt.harness.sandbox.serve_orders import serve_orders

# What Python and numpy need of the system; of /proc only what says nothing of other processes.
_SYSTEM = (
    *("/bin", "/lib", "/lib32", "/lib64", "/usr", "/opt", "/nix/store", "/etc/ld.so.cache", "/etc/localtime"),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/dev/urandom"),
)

# .npy files know none of these: they travel as their bits.
_BITS = {"bfloat16": np.uint16, "int4": np.uint8}


def _load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("workload_reference", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _reference(module: Any, function: str) -> Any:
    found = getattr(module, function, None)
    if not callable(found):
        raise TypeError(f"it defines no function {function}(inputs, attrs)")
    return found


def _call_golden(
    module: Any, call: Mapping[str, Any], inputs: Sequence[Any], attrs: Mapping[str, Any]
) -> Sequence[Any]:
    """Call a golden of the public operator repositories: ``__golden__["kernel"][operator]`` names a function.

    It takes the inputs in the order of the definition (lists as lists, absent ones as None), the attributes by
    name where it has such parameters, and says what it wants to know of dtypes and shapes by keyword.
    """
    names = dict(getattr(module, "__golden__", {})).get("kernel", {})
    function = getattr(module, str(names.get(call["operator"])), None)
    if not callable(function):
        raise TypeError(f"it has no kernel golden for {call['operator']}")
    arrays = iter(inputs)
    given: list[Any] = []
    for port in call["inputs"]:
        values = [next(arrays) for _ in port["shapes"]]
        given.append(values if port["list"] else values[0] if values else None)
    parameters = inspect.signature(function).parameters
    open_ended = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    facts: dict[str, Any] = {"short_soc_version": call["soc"]}
    for side in ("input", "output"):
        ports = [port for port in call[f"{side}s"] for _ in port["shapes"]]
        shapes = [tuple(shape) for port in call[f"{side}s"] for shape in port["shapes"]]
        facts |= {f"{side}_dtypes": [port["dtype"] for port in ports], f"{side}_formats": ["ND"] * len(ports)}
        facts |= {f"{side}_ori_shapes": shapes, f"{side}_shapes": shapes, f"{side}_ori_formats": ["ND"] * len(ports)}
    named = {key: value for key, value in {**attrs, **facts}.items() if open_ended or key in parameters}
    result: Any = function(*given, **named)
    flat: list[Any] = []
    for item in cast("Sequence[Any]", result) if isinstance(result, list | tuple) else [result]:
        flat += list(cast("Sequence[Any]", item)) if isinstance(item, list | tuple) else [item]
    return flat


def _run(folder: Path) -> None:
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    python = (sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path)
    granted = (*_SYSTEM, *python, *request["reads"])
    restrict([Path(path) for path in granted if path], [folder, Path("/dev/null")])
    inputs: list[Any] = []
    for index, dtype in enumerate(request["inputs"]):
        array = np.load(folder / f"in{index}.npy", allow_pickle=False)
        inputs.append(array.view(getattr(ml_dtypes, dtype)) if dtype in _BITS else array)
    given = cast("dict[str, bool | int | float | str | list[int | float]]", request["attrs"])
    attrs = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
    module = _load(Path(request["reference"]))
    if request["golden"] is not None:
        outputs: Any = _call_golden(module, request["golden"], inputs, attrs)
    else:
        outputs = _reference(module, request["function"])(inputs, attrs)
    if not isinstance(outputs, list | tuple):
        raise TypeError(f"it returned {type(outputs).__name__}, not a list of arrays")
    dtypes: list[str] = []
    for index, output in enumerate(cast("Sequence[ArrayLike]", outputs)):
        array = np.ascontiguousarray(output)
        # numpy's stubs use LiteralString and Self, which typing has from 3.11 on.
        name = cast("str", array.dtype.name)  # pyright: ignore[reportUnknownMemberType]
        dtypes.append(name)
        bits = array.view(_BITS[name]) if name in _BITS else array  # pyright: ignore[reportUnknownMemberType]
        np.save(folder / f"out{index}.npy", bits, allow_pickle=False)
    (folder / "answer.json").write_text(json.dumps(dtypes), encoding="utf-8")


def _describe(error: BaseException, reference: str) -> str:
    """The exception and the last line of the reference's own file that it went through."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == reference]
    text = str(error).splitlines()[0] if str(error) else ""
    where = f" (line {lines[-1]})" if lines else ""
    return f"{type(error).__name__}: {text}{where}".rstrip(".")


def carry_out(order: str) -> int:
    """Run the request in the folder that ``order`` names; 1 when the reference failed."""
    folder = Path(order)
    os.chdir(folder)
    try:
        _run(folder)
    except BaseException as error:
        request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
        (folder / "failure.txt").write_text(_describe(error, request["reference"]), encoding="utf-8")
        return 1
    return 0


if __name__ == "__main__":
    serve_orders(carry_out)
