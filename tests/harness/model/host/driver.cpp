// Loads one host object and answers one request, for tests of the host library without the device's server.
// Usage: driver OBJECT describe | tile | infer, with the request on standard input, one item a line:
//   op TYPE / chip NAME SHORT AIC AIV UB L1 L0A L0B L0C L2 HBM LIBWORKSPACE
//   input DTYPE SHAPE ... / output DTYPE SHAPE ... / inputs DTYPE SHAPE ...   a shape is 2,3 or - for a scalar;
//   no shape: an absent tensor; `inputs` is a tensor list
//   values NUMBER ...                                           int64 values of the input before
//   attr NAME TYPE VALUE ...
#include <dlfcn.h>

#include <cstdio>
#include <deque>
#include <iostream>
#include <sstream>

#include "describe.h"

using namespace ascendopt::host;

namespace {

std::vector<int64_t> ParseShape(const std::string& text) {
    std::vector<int64_t> dims;
    if (text == "-") return dims;
    std::istringstream stream(text);
    for (std::string dim; std::getline(stream, dim, ',');) dims.push_back(std::stoll(dim));
    return dims;
}

TensorArgument ParseTensor(std::istringstream& words, bool list) {
    TensorArgument argument;
    argument.list = list;
    words >> argument.dtype;
    for (std::string shape; words >> shape;) argument.shapes.push_back(ParseShape(shape));
    return argument;
}

AttributeValue ParseAttr(std::istringstream& words) {
    AttributeValue attr;
    words >> attr.name >> attr.type;
    for (std::string value; words >> value;) {
        if (attr.type.find("string") != std::string::npos) {
            attr.strings.push_back(value);
        } else if (attr.type.find("float") != std::string::npos) {
            attr.floats.push_back(std::stod(value));
        } else {
            attr.ints.push_back(std::stoll(value));
        }
    }
    return attr;
}

TileRequest ReadRequest(std::deque<std::vector<int64_t>>& values) {
    TileRequest request;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string item;
        words >> item;
        if (item == "op") words >> request.op;
        if (item == "chip") {
            ChipFacts& chip = request.chip;
            words >> chip.name >> chip.short_name >> chip.aic_count >> chip.aiv_count >> chip.ub_bytes >>
                chip.l1_bytes >> chip.l0a_bytes >> chip.l0b_bytes >> chip.l0c_bytes >> chip.l2_bytes >>
                chip.hbm_bytes >> chip.lib_workspace_bytes;
        }
        if (item == "input" || item == "inputs") request.inputs.push_back(ParseTensor(words, item == "inputs"));
        if (item == "output" || item == "outputs") request.outputs.push_back(ParseTensor(words, item == "outputs"));
        if (item == "attr") request.attrs.push_back(ParseAttr(words));
        if (item == "values") {
            values.emplace_back();
            for (int64_t value; words >> value;) values.back().push_back(value);
            request.inputs.back().data.push_back({values.back().data(), values.back().size() * sizeof(int64_t)});
        }
    }
    return request;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    if (dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    const std::string command = argv[2];
    if (command == "describe") {
        std::printf("{%s}\n", describe().c_str());
        return 0;
    }
    std::deque<std::vector<int64_t>> values;
    const TileRequest request = ReadRequest(values);
    if (command == "infer") {
        const InferResult result = infer(request);
        std::printf("{\"ok\":%s,%s}\n", result.ok ? "true" : "false", to_json_members(result).c_str());
        return 0;
    }
    const TileResult result = tile(request);
    std::printf("{\"ok\":%s,%s}\n", result.ok ? "true" : "false", to_json_members(result).c_str());
    return 0;
}
