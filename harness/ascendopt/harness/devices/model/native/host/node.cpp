#include "node.h"

#include <cstring>

#include "types.h"

namespace ascendopt::host {

namespace {

constexpr size_t kMaxTilingBytes = 64 * 1024;

// Dimensions of the formats that only name the axes of plain data; nought for all others.
size_t Axes(ge::Format format) {
    switch (format) {
        case ge::FORMAT_NCL:
            return 3;
        case ge::FORMAT_NCHW:
        case ge::FORMAT_NHWC:
        case ge::FORMAT_HWCN:
            return 4;
        case ge::FORMAT_NCDHW:
        case ge::FORMAT_NDHWC:
        case ge::FORMAT_DHWCN:
            return 5;
        default:
            return 0;
    }
}

// A case that says nothing means plain data: what the definition calls it for this type and number of dimensions.
ge::Format FormatOf(const TensorArgument& argument, const ParamRecord* param, size_t index) {
    const ge::Format stated = format_of(argument.format);
    if (param == nullptr || stated != ge::FORMAT_ND) return stated;
    const bool columns = param->dtypes.size() == param->formats.size();
    ge::Format found = ge::FORMAT_ND;
    for (size_t i = 0; i < param->formats.size(); ++i) {
        if (columns && param->dtypes[i] != dtype_of(argument.dtype)) continue;
        if (param->formats[i] == ge::FORMAT_ND) return ge::FORMAT_ND;
        if (found == ge::FORMAT_ND && Axes(param->formats[i]) == argument.shapes[index].size())
            found = param->formats[i];
    }
    return found;
}

gert::Tensor MakeTensor(const TensorArgument& argument, const ParamRecord* param, size_t index) {
    gert::Tensor tensor;
    for (int64_t dim : argument.shapes[index]) {
        tensor.MutableOriginShape().AppendDim(dim);
        tensor.MutableStorageShape().AppendDim(dim);
    }
    tensor.SetDataType(dtype_of(argument.dtype));
    tensor.SetOriginFormat(FormatOf(argument, param, index));
    tensor.SetStorageFormat(FormatOf(argument, param, index));
    if (index < argument.data.size()) tensor.SetData(argument.data[index].bytes, argument.data[index].size);
    return tensor;
}

std::string AddTensors(const char* side, const std::vector<TensorArgument>& arguments,
                       const std::deque<ops::OpParamDef>* params, std::vector<gert::Tensor>& tensors,
                       std::vector<gert::AnchorInstanceInfo>& anchors) {
    if (params != nullptr && arguments.size() != params->size()) {
        return "number of " + std::string(side) + "s: the case gives " + std::to_string(arguments.size()) +
               ", the operator definition has " + std::to_string(params->size());
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
        const TensorArgument& argument = arguments[i];
        const ParamRecord* param = params == nullptr ? nullptr : (*params)[i].record();
        const std::string name = param == nullptr ? std::to_string(i) : "'" + param->name + "'";
        const size_t count = argument.shapes.size();
        if (count == 0 && param != nullptr && param->kind == ops::REQUIRED) {
            return std::string(side) + " " + name + " is required, but the case gives it no shape";
        }
        if (count > 1 && !argument.list)
            return std::string(side) + " " + name + " is not a list but has several shapes";
        if (count > 0 && dtype_of(argument.dtype) == ge::DT_UNDEFINED) {
            return std::string(side) + " " + name + " has the unknown dtype '" + argument.dtype + "'";
        }
        anchors.emplace_back(static_cast<uint32_t>(tensors.size()), static_cast<uint32_t>(count));
        for (size_t j = 0; j < count; ++j) {
            if (argument.shapes[j].size() > gert::Shape::kMaxDimNum) {
                return std::string(side) + " " + name + " has more than 25 dimensions";
            }
            tensors.push_back(MakeTensor(argument, param, j));
        }
    }
    return {};
}

template <class T>
std::vector<uint64_t> Pack(const std::vector<T>& values, bool list) {
    const size_t header = list ? 1 : 0;
    std::vector<uint64_t> storage(header + (values.size() * sizeof(T) + 7) / 8 + 1, 0);
    if (list) storage[0] = values.size();
    if (!values.empty()) std::memcpy(storage.data() + header, values.data(), values.size() * sizeof(T));
    return storage;
}

struct AttrName {
    AttrKind kind;
    const char* name;
};
constexpr AttrName kAttrNames[] = {{AttrKind::kBool, "bool"},
                                   {AttrKind::kInt, "int"},
                                   {AttrKind::kFloat, "float"},
                                   {AttrKind::kString, "string"},
                                   {AttrKind::kListBool, "list_bool"},
                                   {AttrKind::kListInt, "list_int"},
                                   {AttrKind::kListFloat, "list_float"},
                                   {AttrKind::kListListInt, "list_list_int"}};

AttrKind KindOf(const std::string& name) {
    for (const AttrName& row : kAttrNames) {
        if (name == row.name) return row.kind;
    }
    return AttrKind::kNone;
}

// Numbers may come as ints or floats: a case that says 2 for a float attribute means 2.0.
void TakeValue(const AttributeValue& value, AttrRecord& record) {
    record.ints = value.ints;
    record.floats = value.floats;
    if (record.floats.empty()) record.floats.assign(value.ints.begin(), value.ints.end());
    if (record.ints.empty()) record.ints.assign(value.floats.begin(), value.floats.end());
    if (!value.strings.empty()) record.text = value.strings.front();
    if (record.kind == AttrKind::kNone) record.kind = KindOf(value.type);
}

std::vector<uint64_t> Native(const AttrRecord& record) {
    const std::vector<float> floats(record.floats.begin(), record.floats.end());
    const std::vector<uint8_t> bools(record.ints.begin(), record.ints.end());
    switch (record.kind) {
        case AttrKind::kBool:
            return Pack(bools, false);
        case AttrKind::kInt:
            return Pack(record.ints, false);
        case AttrKind::kFloat:
            return Pack(floats, false);
        case AttrKind::kListBool:
            return Pack(bools, true);
        case AttrKind::kListInt:
            return Pack(record.ints, true);
        case AttrKind::kListFloat:
            return Pack(floats, true);
        default:
            return Pack(std::vector<char>(record.text.c_str(), record.text.c_str() + record.text.size() + 1), false);
    }
}

std::string AddAttrs(const TileRequest& request, const OpRecord* record, const OpFunctions* functions, Node& node) {
    std::vector<AttrRecord> wanted;
    if (record != nullptr) {
        for (const ops::OpAttrDef& attr : record->attrs) wanted.push_back(*attr.record());
    }
    if (functions != nullptr) {
        wanted.insert(wanted.end(), functions->private_attrs.begin(), functions->private_attrs.end());
    }
    std::vector<bool> used(request.attrs.size(), false);
    for (AttrRecord& attr : wanted) {
        bool given = false;
        for (size_t i = 0; i < request.attrs.size(); ++i) {
            if (request.attrs[i].name != attr.name.GetString()) continue;
            TakeValue(request.attrs[i], attr);
            used[i] = given = true;
        }
        if (!given && !attr.has_default && attr.required) {
            return "attribute '" + std::string(attr.name.GetString()) + "' is required, but the case does not give it";
        }
        node.attrs.push_back(given || attr.has_default ? Native(attr) : std::vector<uint64_t>());
    }
    for (size_t i = 0; i < used.size(); ++i) {
        if (used[i]) continue;
        if (record != nullptr) return "the operator has no attribute '" + request.attrs[i].name + "'";
        AttrRecord attr;
        TakeValue(request.attrs[i], attr);
        node.attrs.push_back(Native(attr));
    }
    return {};
}

}  // namespace

std::string build_node(const TileRequest& request, const std::string& op, const OpRecord* record,
                       const OpFunctions* functions, Node& node) {
    node.type = op;
    node.chip = request.chip;
    set_current_chip(request.chip);
    node.platform = fe::PlatFormInfos(&node.chip);
    node.deterministic = request.deterministic;
    std::string reason = AddTensors("input", request.inputs, record == nullptr ? nullptr : &record->inputs, node.inputs,
                                    node.input_anchors);
    if (reason.empty()) {
        reason = AddTensors("output", request.outputs, record == nullptr ? nullptr : &record->outputs, node.outputs,
                            node.output_anchors);
    }
    if (reason.empty()) reason = AddAttrs(request, record, functions, node);
    node.tiling_storage.assign(kMaxTilingBytes / sizeof(uint64_t), 0);
    node.tiling.Init(node.tiling_storage.data(), kMaxTilingBytes);
    node.inferred.assign(node.outputs.size(), gert::Shape());
    return reason;
}

}  // namespace ascendopt::host
