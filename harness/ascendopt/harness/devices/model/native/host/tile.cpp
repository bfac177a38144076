#include "call.h"
#include "describe.h"
#include "log.h"
#include "node.h"
#include "toolkit_parse.h"

namespace ascendopt::host {

namespace {

std::string RunTiling(const Target& target, Node& node) {
    const OpFunctions* functions = target.functions;
    auto tiling = target.record == nullptr ? nullptr : target.record->tiling;
    if (tiling == nullptr && functions != nullptr) tiling = functions->tiling;
    if (tiling == nullptr) return "operator " + target.op + " has no tiling function";
    if (functions != nullptr && functions->create_compile_info != nullptr) {
        node.compile_info = functions->create_compile_info();
        gert::TilingParseContext parse(&node);
        const uint32_t code = functions->parse == nullptr ? ge::GRAPH_SUCCESS : functions->parse(&parse);
        if (code != ge::GRAPH_SUCCESS) return failure_text("the tiling parse function of " + target.op, code);
    } else {
        node.compile_info = toolkit_compile_info(target.op, &node);
    }
    gert::TilingContext context(&node);
    const uint32_t code = tiling(&context);
    if (code != ge::GRAPH_SUCCESS) return failure_text("the tiling function of " + target.op, code);
    if (node.block_dim == 0) return "the tiling function of " + target.op + " did not set a block dim";
    if (node.tiling.GetDataSize() > node.tiling.GetCapacity()) {
        return "the tiling function of " + target.op + " says that it wrote more tiling data than there is room for";
    }
    return {};
}

void Collect(const Node& node, TileResult& result) {
    const auto* bytes = static_cast<const uint8_t*>(node.tiling.GetData());
    result.tiling.assign(bytes, bytes + node.tiling.GetDataSize());
    result.tiling_key = node.tiling_key;
    result.block_dim = node.block_dim;
    result.schedule_mode = node.schedule_mode;
    for (size_t bytes_wanted : node.workspaces) result.workspace += bytes_wanted;
}

}  // namespace

TileResult tile(const TileRequest& request) {
    TileResult result;
    const Target target = find_target(request.op);
    result.reason = target.reason;
    if (!result.reason.empty()) return result;
    Node node;
    result.reason = build_node(request, target.op, target.record, target.functions, node);
    if (!result.reason.empty()) return result;
    Capture capture;
    result.reason = guarded([&] { return RunTiling(target, node); });
    result.log = capture.finish();
    result.ok = result.reason.empty();
    add_last_line(result.log, result.reason);
    if (result.ok) Collect(node, result);
    return result;
}

}  // namespace ascendopt::host
