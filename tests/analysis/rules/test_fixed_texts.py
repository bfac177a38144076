"""A fixture after the fix of its rule: only these lines change, the finding is gone, and no other came."""

from __future__ import annotations

from collections import Counter
from difflib import ndiff
from pathlib import Path

import pytest
from analysis.rules.test_fixes import check, opened, sources

from ascendopt.analysis.findings import Finding
from ascendopt.analysis.fixing import apply_fixes

WAIT = (
    "{{ const auto ordered = GetTPipePtr()->FetchEventID(HardEvent::{0}); SetFlag<HardEvent::{0}>(ordered); "
    "WaitFlag<HardEvent::{0}>(ordered); }}"
)
# The lines before and after, without their indentation; a fixture whose finding has no fix has none.
SAFE = {
    "aln010": [
        "- pipe->InitBuffer(work, 100);",
        "+ pipe->InitBuffer(work, 128);",
    ],
    "aln010_expression": [
        "- pipe.InitBuffer(odd, COUNT * sizeof(half));",
        "+ pipe.InitBuffer(odd, ((COUNT * sizeof(half)) + 31) / 32 * 32);",
    ],
    "dty005": [
        "+ SetDeqScale(static_cast<half>(1.0f));",
    ],
    "dty005_arms": [
        "+ AscendC::SetDeqScale(static_cast<half>(1.0f));",
        "+ AscendC::SetDeqScale(static_cast<half>(1.0f));",
    ],
    "dty004": [
        "- Cast(out, in, RoundMode::CAST_NONE, 101);",
        "+ Cast(out, in, RoundMode::CAST_NONE, 102);",
    ],
    "mem009": [
        "+ InitSocState();",
    ],
    "mis004": [
        "- GatherMask(out, in, 1, false, 0, GatherMaskParams{1, 4, 8, 8}, kept);",
        "+ GatherMask(out, in, 1, false, 0, GatherMaskParams{1, 4, 8, 0}, kept);",
    ],
    "msk001_mask_form": [
        "+ SetMaskNorm(); ResetMask();",
    ],
    "msk003": [
        "- SetVectorMask<half>(0, 255);",
    ],
    "msk004": [
        "+ SetMaskCount();",
    ],
    "que003": [  # the two statements change places
        "- Abs(out, in, 128);",
        "+ Abs(out, in, 128);",
    ],
    "que003_part": [  # the two statements change places: the tensor goes back, not the view into it
        "- Abs(out, high, 128);",
        "+ Abs(out, high, 128);",
    ],
    "syn008_without_pipe": [
        "+ SetFlag<HardEvent::V_MTE3>(EVENT_ID0); WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);",
    ],
    "que005": [
        "- TQue<QuePosition::VECIN, 0> inQueue;",
        "+ TQue<QuePosition::VECIN, 1> inQueue;",
    ],
    "que006": [
        "- TQue<QuePosition::VECIN, 2> inQueue;",
        "+ TQue<QuePosition::VECIN, 1> inQueue;",
    ],
    "que006_all_of_a_class": [
        "- TQue<QuePosition::VECIN, BUFFERS> left, right;",
        "- TQueBind<QuePosition::VECIN, QuePosition::VECOUT, BUFFERS> bound;",
        "+ TQue<QuePosition::VECIN, 1> left, right;",
        "+ TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> bound;",
    ],
    "rng009": [
        "- DataCopyExtParams rows{4, 30, 0, 2, 0};",
        "+ DataCopyExtParams rows{4, 30, 0, 0, 0};",
    ],
    "rng005_whole_blocks": [
        "- DataCopyPad(yGm, in, {1, 256, 0, 0, 0});",
        "+ DataCopy(yGm, in, 128);",
    ],
    "rng012_dense": [
        "- Add(t, t, t, 128, 300, {1, 1, 1, 8, 8, 8});",
        "+ Add(t, t, t, 128 * 300);",
    ],
    "rng014": [
        "- uint64_t mask[2] = {255, 1};",
        "+ uint64_t mask[2] = {255, 0};",
    ],
    "rng019": [
        "- Add(out, in, in, 0);",
    ],
    "tmp003_dense": [
        "- Add(out, in, in, 128, 4, {1, 1, 1, 8, 8, 8});",
        "+ Add(out, in, in, 128 * 4);",
    ],
    "syn002": [
        "+ WaitFlag<HardEvent::V_MTE3>(0);",
    ],
    "syn005": [
        "+ GetTPipePtr()->ReleaseEventID<HardEvent::V_S>(id);",
    ],
    "xcr010": [
        "+ DataCacheCleanAndInvalid<half, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(xGm);",
    ],
    "xcr010_310p": [
        "+ DataCacheCleanAndInvalid<half, CacheLine::ENTIRE_DATA_CACHE>(xGm);",
    ],
}
UNSAFE = {
    "aln012": [
        "+ Muls(index, index, static_cast<int32_t>(sizeof(half)), 64);",
    ],
    "aln012_progression": [
        "- ArithProgression(index, 4, 1, 64);",
        "+ ArithProgression(index, static_cast<int32_t>(sizeof(half)) * 4, static_cast<int32_t>(sizeof(half)), 64);",
    ],
    "atm004_byte": [
        "- SetAtomicAdd<uint8_t>();",
        "+ SetAtomicAdd<int8_t>();",
    ],
    "cub001_swapped": [
        "- Mmad(c, b, a, sizes);",
        "+ Mmad(c, a, b, sizes);",
    ],
    "cub003": [
        "+ move.unitFlag = 3;",
    ],
    "que003_taken_between": [
        "- inQueue.FreeTensor(in);",
        "+ inQueue.FreeTensor(in);",
    ],
    "syn009": [
        f"+ {WAIT.format('V_S')}",
    ],
    "syn009_in_an_expression": [
        f"+ {WAIT.format('V_S')}",
    ],
    "syn010": [
        f"+ {WAIT.format('S_V')}",
    ],
    "aln009": [
        "- DataCopy(out, in, 100);",
        "+ DataCopy(out, in, 112);",
    ],
    "cub007": [
        "- move.isChannelSplit = true;",
        "+ move.isChannelSplit = false;",
    ],
    "dty003": [
        "- Cast(out, in, RoundMode::CAST_NONE, 64, 4, {1, 1, 8, 8});",
        "+ Cast(out, in, RoundMode::CAST_NONE, 64, 4, {1, 1, 8, 4});",
    ],
    "mem005": [
        "- pipe->InitBuffer(work, 8192);",
        "+ pipe->InitBuffer(work, 16384);",
    ],
    "mem006": [
        "- DataCopyParams rows{8, 512, 0, 0};",
        "+ DataCopyParams rows{8, static_cast<uint16_t>(512 / 32), 0, 0};",
    ],
    "mem006_assigned": [
        "- rows.blockLen = TILE / 4;",
        "+ rows.blockLen = static_cast<uint16_t>((TILE / 4) / 32);",
    ],
    "mis005": [
        "- MrgSort4Info info{lengths, false, 15, 1};",
        "+ MrgSort4Info info{lengths, false, 3, 1};",
    ],
    "mis009": [
        '- extern "C" __global__ __aicore__ void fixture(GM_ADDR x, GM_ADDR y, GM_ADDR tiling, GM_ADDR workspace) {',
        '+ extern "C" __global__ __aicore__ void fixture(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {',
    ],
    "mis010": [
        "- half both = in.GetValue(0) + in.GetValue(1);",
        "+ half both = static_cast<float>(in.GetValue(0)) + static_cast<float>(in.GetValue(1));",
    ],
    "mis012_type": [
        "- uint64_t columns;",
        "+ uint32_t columns;",
    ],
    "prf002": [
        "- constexpr uint32_t ROUND = 16;",
        "+ constexpr uint32_t ROUND = 256;",
    ],
    "prf010_by_block_number": [
        "- context->SetBlockDim(8);",
        "+ context->SetBlockDim(platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv());",
    ],
    "prf011": [
        "- KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);",
        "+ KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);",
    ],
    "prf012": [
        "- TILING_DATA_FIELD_DEF(uint64_t, total);",
        "- tiling.set_total(12288);",
    ],
    "prf019": [
        "- Div(out, in, divisor, 128);",
        "+ Muls(out, in, static_cast<half>(1.0f / static_cast<float>(static_cast<half>(3))), 128);",
    ],
    "que002": [
        "+ x = inQueue.DeQue<half>();",
    ],
    "que006_taken_in_pairs": [  # a finding that may be wrong: a person decides
        "- TQue<QuePosition::VECIN, 2> queue;",
        "+ TQue<QuePosition::VECIN, 1> queue;",
    ],
    "que007": [
        "- TQue<QuePosition::VECIN, 1> inQueue;",
        "+ TQue<QuePosition::VECIN, 2> inQueue;",
    ],
    "que011": [
        "- pipe->InitBuffer(inQueue, 1, TILE * sizeof(half));",
        "+ pipe->InitBuffer(inQueue, 2, TILE * sizeof(half));",
    ],
    "que013": [
        "- pipe.InitBuffer(inQueue, 2, 4096);",
        "+ pipe.InitBuffer(inQueue, 3, 4096);",
    ],
    "rng007": [
        "- DataCopyExtParams rows{1, 33, 0, 0, 0};",
        "+ DataCopyExtParams rows{1, static_cast<uint32_t>(33 * sizeof(half)), 0, 0, 0};",
    ],
    "rng013": [
        "- Add(out, in, in, 128, 4, {1, 1, 1, 8, 8, 8});",
        "+ Add(out, in, in, 64, 4, {1, 1, 1, 8, 8, 8});",
    ],
    "rng017": [
        "- Add(out, in, in, 64, 4, {0, 1, 1, 8, 8, 8});",
        "+ Add(out, in, in, 64, 4, {1, 1, 1, 8, 8, 8});",
    ],
    "rng025": [
        "- Nz2NdParamsFull nd{1, 32, 40, 0, 32, 40, 0};",
        "+ Nz2NdParamsFull nd{1, 32, static_cast<uint16_t>((40 + 15) / 16 * 16), 0, 32, 40, 0};",
    ],
    "rng027": [
        "- uint32_t at = r * D;",
        "+ uint64_t at = static_cast<uint64_t>(r) * D;",
    ],
    "rng027_cores": [
        "- int32_t start = static_cast<int32_t>(GetBlockIdx()) * PER_CORE;",
        "+ int64_t start = static_cast<int64_t>(static_cast<int32_t>(GetBlockIdx())) * PER_CORE;",
    ],
    "syn003": [
        "- SetFlag<HardEvent::MTE2_V>(8);",
        "- WaitFlag<HardEvent::MTE2_V>(8);",
        "+ SetFlag<HardEvent::MTE2_V>(0);",
        "+ WaitFlag<HardEvent::MTE2_V>(0);",
    ],
    "syn012": [
        "- Lock<PIPE_V>(28);",
        "- Unlock<PIPE_V>(28);",
        "+ Lock<PIPE_V>(0);",
        "+ Unlock<PIPE_V>(0);",
    ],
    "tmp004": [
        "- pipe->InitBuffer(work, 32);",
        "+ pipe->InitBuffer(work, 64);",
    ],
    "xcr003": [
        "- KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);",
        "+ KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);",
    ],
    "xcr004": [
        "- SyncAll<true>();",
        "+ SyncAll<false>();",
    ],
    "xcr005": [
        "- CrossCoreSetFlag<0x0, PIPE_MTE3>(16);",
        "- CrossCoreWaitFlag(16);",
        "+ CrossCoreSetFlag<0x0, PIPE_MTE3>(0);",
        "+ CrossCoreWaitFlag(0);",
    ],
    "xcr006": [
        "- CrossCoreSetFlag<0x2, PIPE_MTE3>(1);",
        "+ CrossCoreSetFlag<0x2, PIPE_MTE3>(8);",
    ],
    "xcr007": [
        "- KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);",
        "+ KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);",
    ],
}
# What else goes with them.
ALSO = {"msk001_mask_form": Counter({"ASC-MSK002": 1}), "que002": Counter({"ASC-SYN008": 1})}
# Findings whose place does not say what to write.
NONE = (
    "aln008_of_two_types",
    "aln012_index_used_twice",
    "cub001",
    "dty002_two_types",
    "dty008_of_two_types",
    "dty005_910",  # has no SetDeqScale
    "mis009_between",
    "mis010_compound",  # the sum stays a half
    "prf010",  # nothing says that the kernel divides by the number of blocks
    "prf011_one_key_needs_them",
    "rng005",  # 200 bytes are no whole blocks
    "rng012",  # the buffers do not hold the elements
    "rng012_gaps",
    "syn003_beside_queues",
    "aln009_of_two_types",  # one source line, half here and float there
    "que006_burst_in_another_run",
    "rng007_params_of_two_calls",
    "syn002_waits_enough",
    "syn005_two_waits",
    "syn007_needed",
)


@pytest.mark.parametrize("stem", [*SAFE, *UNSAFE])
def test_a_fix_changes_these_lines_and_takes_its_finding_away(stem: str, tmp_path: Path) -> None:
    root, soc, rule = opened(stem, tmp_path)
    before = check(root, soc)
    fixed = [finding for finding in before if finding.rule == rule and finding.fix is not None]
    assert fixed and {finding.fix.safe for finding in fixed if finding.fix} == {stem in SAFE}
    lines = sources(root)
    fixes = dict.fromkeys(finding.fix for finding in fixed if finding.fix)  # two sides of a flag have one
    for path, data in apply_fixes(fixes, lines).items():
        path.write_bytes(data)
    assert changes(lines, sources(root)) == sorted((SAFE | UNSAFE)[stem])
    after = check(root, soc)
    assert count(before) - count(after) == Counter({rule: len(fixed)}) + ALSO.get(stem, Counter())
    assert not count(after) - count(before)


@pytest.mark.parametrize("stem", NONE)
def test_a_place_that_does_not_decide_gets_no_fix(stem: str, tmp_path: Path) -> None:
    root, soc, rule = opened(stem, tmp_path)
    found = [finding for finding in check(root, soc) if finding.rule == rule]
    assert found and not any(finding.fix for finding in found)


def changes(before: dict[Path, bytes], after: dict[Path, bytes]) -> list[str]:
    """The lines that go (``- ``) and come (``+ ``), without their indentation."""
    lines = (
        line
        for path, data in before.items()
        for line in ndiff(data.decode().splitlines(), after[path].decode().splitlines())
    )
    return sorted(f"{line[:2]}{line[2:].strip()}" for line in lines if line[:2] in ("- ", "+ "))


def count(findings: list[Finding]) -> Counter[str]:
    return Counter(finding.rule for finding in findings)
