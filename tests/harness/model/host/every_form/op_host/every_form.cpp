#include "every_form_tiling.h"
#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
struct CompileInfo {
    uint32_t cores = 0;
    uint64_t ub = 0;
};

static ge::graphStatus Prepare(gert::TilingParseContext* context) {
    auto* info = context->GetCompiledInfo<CompileInfo>();
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    info->cores = platform.GetCoreNumAiv();
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, info->ub);
    return ge::GRAPH_SUCCESS;
}

// The total of all list tensors; absent optional inputs take no place in the flat numbering.
static int64_t PartsTotal(const gert::TilingContext* context) {
    int64_t total = 0;
    for (size_t i = 0; context->GetDynamicInputShape(2, i) != nullptr; ++i) {
        total += context->GetDynamicInputShape(2, i)->GetStorageShape().GetShapeSize();
    }
    return total;
}

static ge::graphStatus Tile(gert::TilingContext* context) {
    const auto* info = context->GetCompileInfo<CompileInfo>();
    const auto* attrs = context->GetAttrs();
    const int64_t mode = *attrs->GetInt(0);
    if (mode == 13) {
        OP_LOGE(context, "mode %ld is not supported", mode);
        return ge::GRAPH_FAILED;
    }
    if (mode == 14) throw std::runtime_error("thrown");
    const bool biased = context->GetOptionalInputDesc(1) != nullptr;
    const size_t axes_at = context->GetComputeNodeInputNum() - 1;
    const auto* axes = context->GetInputTensor(axes_at)->GetData<int64_t>();

    EveryFormTiling tiling;
    tiling.set_flag(biased ? 200 : 100);
    tiling.set_total(PartsTotal(context));
    tiling.set_ratio(*attrs->GetFloat(1));
    const auto* sizes = attrs->GetListInt(4);
    uint16_t list[kListLength] = {static_cast<uint16_t>(sizes->GetSize()), static_cast<uint16_t>(sizes->GetData()[1]),
                                  static_cast<uint16_t>(*attrs->GetBool(2) ? 1 : 0)};
    tiling.set_list(list);
    tiling.inner.set_small(axes == nullptr ? -128 : static_cast<int8_t>(axes[0]));
    tiling.inner.set_wide(static_cast<uint32_t>(info->ub));
    tiling.set_precise(attrs->GetListFloat(5)->GetData()[0] + attrs->GetListFloat(5)->GetSize());
    tiling.set_last(std::string(attrs->GetStr(3)) == "sum \"all\"");
    EveryFormTiling copy = tiling;
    tiling.set_flag(0);
    tiling.inner.set_wide(0);
    copy.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(copy.GetDataSize());

    size_t* workspaces = context->GetWorkspaceSizes(2);
    workspaces[0] = 1000;
    workspaces[1] = 24;
    if (mode == 7) {
        KeyedTiling keyed;
        keyed.SetDataPtr(context->GetRawTilingData()->GetData());
        keyed.set_offset(-5);
        context->GetRawTilingData()->SetDataSize(keyed.GetDataSize());
    }
    context->SetTilingKey(static_cast<uint64_t>(mode));
    if (mode != 15) context->SetBlockDim(info->cores);
    context->SetScheduleMode(1);
    std::printf("printed\n");
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(EveryForm).Tiling(Tile).TilingParse<CompileInfo>(Prepare);
}  // namespace optiling
