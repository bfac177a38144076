// The state behind every context: one operator call with its tensors, attributes, chip and results.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "asc_host/context.h"
#include "asc_host/platform.h"
#include "describe.h"
#include "registry.h"

namespace ascendopt::host {

struct Node {
    std::string type;
    ChipFacts chip;
    fe::PlatFormInfos platform;
    std::vector<gert::Tensor> inputs;  // flat
    std::vector<gert::Tensor> outputs;
    std::vector<gert::AnchorInstanceInfo> input_anchors;  // per IR input
    std::vector<gert::AnchorInstanceInfo> output_anchors;
    std::vector<std::vector<uint64_t>> attrs;  // native representation, 8-byte units
    gert::ComputeNodeInfo info;                // stateless: asks the node (see context.cpp)
    bool deterministic = false;

    void* compile_info = nullptr;
    std::vector<uint64_t> tiling_storage;
    gert::TilingData tiling;
    std::vector<size_t> workspaces;
    uint64_t tiling_key = 0;
    uint32_t block_dim = 0;
    uint32_t schedule_mode = 0;
    bool atomic = false;
    std::vector<gert::Shape> inferred;  // per flat output
};

// What host code is told that asks for the platform without a context.
void set_current_chip(const ChipFacts& chip);

// Fills a node from the request. Returns a sentence when the request does not fit the operator, else an empty text.
std::string build_node(const TileRequest& request, const std::string& op, const OpRecord* record,
                       const OpFunctions* functions, Node& node);

}  // namespace ascendopt::host
