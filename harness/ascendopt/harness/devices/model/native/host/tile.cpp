#include <exception>
#include <new>

#include "describe.h"
#include "log.h"
#include "node.h"
#include "types.h"

namespace ascendopt::host {

namespace {

struct Target {
    std::string op;
    const OpRecord* record = nullptr;
    const OpFunctions* functions = nullptr;
    std::string reason;
};

// The operator of the request; with an empty name, the only one that is defined, or that has a tiling function.
Target Find(const std::string& op) {
    Registry& known = registry();
    Target target;
    target.op = op;
    if (op.empty() && known.ops.size() == 1) target.op = known.ops.front()->type;
    if (op.empty() && known.ops.empty() && known.functions.size() == 1) target.op = known.functions.begin()->first;
    target.record = known.find(target.op);
    const auto functions = known.functions.find(target.op);
    if (functions != known.functions.end()) target.functions = &functions->second;
    if (target.op.empty()) {
        target.reason = "the host code defines " + std::to_string(known.ops.size()) + " operators; name one";
    } else if (target.record == nullptr && target.functions == nullptr) {
        target.reason = "the host code registers no operator '" + target.op + "'";
    }
    return target;
}

std::string Failure(const std::string& what, uint32_t code) {
    std::string text = what + " returned failure";
    if (code != ge::GRAPH_FAILED) text += " (code " + std::to_string(code) + ")";
    const std::string error = last_error();
    return error.empty() ? text : text + ": " + error;
}

std::string RunTiling(const Target& target, Node& node) {
    const OpFunctions* functions = target.functions;
    auto tiling = target.record == nullptr ? nullptr : target.record->tiling;
    if (tiling == nullptr && functions != nullptr) tiling = functions->tiling;
    if (tiling == nullptr) return "operator " + target.op + " has no tiling function";
    if (functions != nullptr && functions->create_compile_info != nullptr) {
        node.compile_info = functions->create_compile_info();
        gert::TilingParseContext parse(&node);
        const uint32_t code = functions->parse == nullptr ? ge::GRAPH_SUCCESS : functions->parse(&parse);
        if (code != ge::GRAPH_SUCCESS) return Failure("the tiling parse function of " + target.op, code);
    }
    gert::TilingContext context(&node);
    const uint32_t code = tiling(&context);
    if (code != ge::GRAPH_SUCCESS) return Failure("the tiling function of " + target.op, code);
    if (node.block_dim == 0) return "the tiling function of " + target.op + " did not set a block dim";
    if (node.tiling.GetDataSize() > node.tiling.GetCapacity()) {
        return "the tiling function of " + target.op + " says that it wrote more tiling data than there is room for";
    }
    return {};
}

template <class Body>
std::string Guarded(Body body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return "the host code asked for more memory than the sandbox gives it";
    } catch (const std::exception& error) {
        return std::string("the host code threw an exception: ") + error.what();
    } catch (...) {
        return "the host code threw an exception";
    }
}

// Operators that print instead of logging: the last line usually says what was wrong.
void AddLastLine(const std::string& log, std::string& reason) {
    if (reason.empty() || !last_error().empty()) return;
    const size_t end = log.find_last_not_of("\n ");
    if (end == std::string::npos) return;
    const size_t before = log.rfind('\n', end);
    const size_t begin = before == std::string::npos ? 0 : before + 1;
    reason += "; it printed \"" + log.substr(begin, end + 1 - begin) + "\"";
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
    const Target target = Find(request.op);
    result.reason = target.reason;
    if (!result.reason.empty()) return result;
    Node node;
    result.reason = build_node(request, target.op, target.record, target.functions, node);
    if (!result.reason.empty()) return result;
    Capture capture;
    result.reason = Guarded([&] { return RunTiling(target, node); });
    result.log = capture.finish();
    result.ok = result.reason.empty();
    AddLastLine(result.log, result.reason);
    if (result.ok) Collect(node, result);
    return result;
}

InferResult infer(const TileRequest& request) {
    InferResult result;
    const Target target = Find(request.op);
    result.reason = target.reason;
    if (!result.reason.empty()) return result;
    auto shape_function = target.record == nullptr ? nullptr : target.record->infer_shape;
    auto dtype_function = target.record == nullptr ? nullptr : target.record->infer_dtype;
    if (target.functions != nullptr) {
        if (shape_function == nullptr) shape_function = target.functions->infer_shape;
        if (dtype_function == nullptr) dtype_function = target.functions->infer_dtype;
    }
    if (shape_function == nullptr) {
        result.reason = "operator " + target.op + " has no shape inference";
        return result;
    }
    Node node;
    result.reason = build_node(request, target.op, target.record, target.functions, node);
    if (!result.reason.empty()) return result;
    Capture capture;
    result.reason = Guarded([&]() -> std::string {
        gert::InferShapeContext shapes(&node);
        const uint32_t code = shape_function(&shapes);
        if (code != ge::GRAPH_SUCCESS) return Failure("the shape inference of " + target.op, code);
        gert::InferDataTypeContext dtypes(&node);
        if (dtype_function != nullptr && dtype_function(&dtypes) != ge::GRAPH_SUCCESS) {
            return Failure("the data type inference of " + target.op, ge::GRAPH_FAILED);
        }
        return {};
    });
    result.log = capture.finish();
    result.ok = result.reason.empty();
    for (size_t i = 0; result.ok && i < node.inferred.size(); ++i) {
        std::vector<int64_t> dims;
        for (size_t d = 0; d < node.inferred[i].GetDimNum(); ++d) dims.push_back(node.inferred[i].GetDim(d));
        result.shapes.push_back(dims);
        result.dtypes.push_back(dtype_function == nullptr ? "" : dtype_name(node.outputs[i].GetDataType()));
    }
    return result;
}

}  // namespace ascendopt::host
