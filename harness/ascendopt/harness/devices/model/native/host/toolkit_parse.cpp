#include "toolkit_parse.h"

#include "asc_host/platform.h"
#include "node.h"

namespace ascendopt::host {

namespace {

struct VectorCoresAndUb {
    int32_t vector_cores = 0;
    uint64_t ub_bytes = 0;
};

}  // namespace

void* toolkit_compile_info(const std::string& op, Node* node) {
    if (op != "DynamicQuant" && op != "DynamicQuantV2") return nullptr;
    const platform_ascendc::PlatformAscendC platform(gert::TilingContext(node).GetPlatformInfo());
    auto* info = new VectorCoresAndUb();  // the process answers one request
    info->vector_cores = static_cast<int32_t>(platform.GetCoreNumAiv());
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, info->ub_bytes);
    return info;
}

}  // namespace ascendopt::host
