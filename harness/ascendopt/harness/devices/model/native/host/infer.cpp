#include "call.h"
#include "describe.h"
#include "log.h"
#include "node.h"
#include "types.h"

namespace ascendopt::host {

namespace {

using ShapeFunction = gert::OpImplRegisterV2::InferShapeKernelFunc;
using DtypeFunction = gert::OpImplRegisterV2::InferDataTypeKernelFunc;

// The outputs that the definition has: as many tensors in a list as the first input list has.
std::vector<TensorArgument> Outputs(const TileRequest& request, const OpRecord& record) {
    size_t listed = 0;
    for (const TensorArgument& input : request.inputs) {
        if (input.list && listed == 0) listed = input.shapes.size();
    }
    std::vector<TensorArgument> outputs;
    for (const ops::OpParamDef& param : record.outputs) {
        TensorArgument output;
        output.list = param.record()->kind == ops::DYNAMIC;
        output.shapes.resize(output.list ? listed : 1);
        output.dtype = dtype_name(param.record()->dtypes.empty() ? ge::DT_FLOAT : param.record()->dtypes.front());
        outputs.push_back(std::move(output));
    }
    return outputs;
}

bool Fits(const TileRequest& request, const std::deque<ops::OpParamDef>& inputs, size_t column) {
    for (size_t i = 0; i < inputs.size() && i < request.inputs.size(); ++i) {
        const std::vector<ge::DataType>& types = inputs[i].record()->dtypes;
        if (request.inputs[i].shapes.empty() || inputs[i].record()->cartesian || column >= types.size()) continue;
        if (types[column] != dtype_of(request.inputs[i].dtype)) return false;
    }
    return true;
}

// The definition's own answer: the type in the column of the table of types that the inputs fit.
ge::DataType Defined(const TileRequest& request, const OpRecord& record, size_t output) {
    const ParamRecord& param = *record.outputs[output].record();
    for (size_t i = 0; i < record.inputs.size() && i < request.inputs.size(); ++i) {
        if (!param.follows.empty() && record.inputs[i].record()->name == param.follows)
            return dtype_of(request.inputs[i].dtype);
    }
    for (size_t column = 0; column < param.dtypes.size(); ++column) {
        if (Fits(request, record.inputs, column)) return param.dtypes[column];
    }
    return ge::DT_UNDEFINED;
}

std::string RunInference(const Target& target, ShapeFunction shape_function, DtypeFunction dtype_function, Node& node) {
    gert::InferShapeContext shapes(&node);
    const uint32_t code = shape_function(&shapes);
    if (code != ge::GRAPH_SUCCESS) return failure_text("the shape inference of " + target.op, code);
    for (gert::Tensor& output : node.outputs) output.SetDataType(ge::DT_UNDEFINED);
    gert::InferDataTypeContext dtypes(&node);
    const uint32_t typed = dtype_function == nullptr ? ge::GRAPH_SUCCESS : dtype_function(&dtypes);
    if (typed != ge::GRAPH_SUCCESS) return failure_text("the data type inference of " + target.op, typed);
    return {};
}

void Collect(const TileRequest& request, const Target& target, const Node& node, InferResult& result) {
    for (size_t output = 0; output < node.output_anchors.size(); ++output) {
        const gert::AnchorInstanceInfo& anchor = node.output_anchors[output];
        InferResult::Output inferred;
        inferred.list = request.outputs[output].list;
        ge::DataType type = ge::DT_UNDEFINED;
        for (size_t i = 0; i < anchor.GetInstanceNum(); ++i) {
            const gert::Shape& shape = node.inferred[anchor.GetInstanceStart() + i];
            std::vector<int64_t> dims;
            for (size_t d = 0; d < shape.GetDimNum(); ++d) dims.push_back(shape.GetDim(d));
            inferred.shapes.push_back(std::move(dims));
            type = node.outputs[anchor.GetInstanceStart() + i].GetDataType();
        }
        const bool first = target.functions != nullptr && target.functions->dtype_of_first_input;
        if (type == ge::DT_UNDEFINED && first && !node.inputs.empty()) type = node.inputs.front().GetDataType();
        if (type == ge::DT_UNDEFINED && target.record != nullptr) type = Defined(request, *target.record, output);
        if (type != ge::DT_UNDEFINED) inferred.dtype = dtype_name(type);
        result.outputs.push_back(std::move(inferred));
    }
}

}  // namespace

InferResult infer(const TileRequest& given) {
    InferResult result;
    const Target target = find_target(given.op);
    result.reason = target.reason;
    if (!result.reason.empty()) return result;
    ShapeFunction shape_function = target.record == nullptr ? nullptr : target.record->infer_shape;
    DtypeFunction dtype_function = target.record == nullptr ? nullptr : target.record->infer_dtype;
    if (target.functions != nullptr) {
        if (shape_function == nullptr) shape_function = target.functions->infer_shape;
        if (dtype_function == nullptr) dtype_function = target.functions->infer_dtype;
    }
    if (shape_function == nullptr) {
        result.reason = "operator " + target.op + " has no shape inference";
        return result;
    }
    TileRequest request = given;
    if (request.outputs.empty() && target.record != nullptr) request.outputs = Outputs(given, *target.record);
    Node node;
    result.reason = build_node(request, target.op, target.record, target.functions, node);
    if (!result.reason.empty()) return result;
    Capture capture;
    result.reason = guarded([&] { return RunInference(target, shape_function, dtype_function, node); });
    result.log = capture.finish();
    result.ok = result.reason.empty();
    add_last_line(result.log, result.reason);
    if (result.ok) Collect(request, target, node, result);
    return result;
}

}  // namespace ascendopt::host
