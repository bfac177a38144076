#include "describe.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>

#include "registry.h"
#include "types.h"

namespace ascendopt::host {

extern "C" {
int64_t ascendopt_slots[kMaxSlots] = {};
}

namespace {

template <class List, class Render>
std::string Join(const List& list, Render render) {
    std::string text = "[";
    for (const auto& item : list) {
        if (text.size() > 1) text += ",";
        text += render(item);
    }
    return text + "]";
}

// The shortest text that gives the same float32, so that 1e-6 stays 1e-06.
std::string Number(double value) {
    char text[40];
    for (int digits = 6; digits <= 9; ++digits) {
        std::snprintf(text, sizeof text, "%.*g", digits, value);
        if (std::strtof(text, nullptr) == static_cast<float>(value)) break;
    }
    return text;
}

const char* KindName(const ParamRecord& param) {
    switch (param.kind) {
        case ops::OPTIONAL:
            return "optional";
        case ops::DYNAMIC:
            return "dynamic";
        default:
            return "required";
    }
}

std::string Param(const ops::OpParamDef& definition) {
    const ParamRecord& param = *definition.record();
    std::string text = "{\"name\":" + json_quote(param.name) + ",\"kind\":\"" + KindName(param) + "\",\"dtypes\":";
    text += Join(param.dtypes, [](ge::DataType type) { return json_quote(dtype_name(type)); });
    text += ",\"formats\":" + Join(param.formats, [](ge::Format format) { return json_quote(format_name(format)); });
    if (param.cartesian) text += ",\"cartesian\":true";
    if (param.value_depend) text += ",\"value_depend\":true";
    if (param.shape_computed) text += ",\"shape_computed\":true";
    if (param.scalar) text += ",\"scalar\":true";
    if (param.scalar_list) text += ",\"scalar_list\":true";
    if (!param.initial_values.empty()) text += ",\"initial_values\":" + Join(param.initial_values, Number);
    return text + "}";
}

const char* AttrTypeName(AttrKind kind) {
    switch (kind) {
        case AttrKind::kBool:
            return "bool";
        case AttrKind::kInt:
            return "int";
        case AttrKind::kFloat:
            return "float";
        case AttrKind::kListBool:
            return "list_bool";
        case AttrKind::kListInt:
            return "list_int";
        case AttrKind::kListFloat:
            return "list_float";
        case AttrKind::kListListInt:
            return "list_list_int";
        default:
            return "string";
    }
}

std::string Default(const AttrRecord& attr) {
    if (!attr.has_default) return "null";
    const auto boolean = [](int64_t value) { return std::string(value != 0 ? "true" : "false"); };
    const auto integer = [](int64_t value) { return std::to_string(value); };
    switch (attr.kind) {
        case AttrKind::kBool:
            return boolean(attr.ints.front());
        case AttrKind::kInt:
            return integer(attr.ints.front());
        case AttrKind::kFloat:
            return Number(attr.floats.front());
        case AttrKind::kListBool:
            return Join(attr.ints, boolean);
        case AttrKind::kListInt:
            return Join(attr.ints, integer);
        case AttrKind::kListFloat:
            return Join(attr.floats, Number);
        default:
            return json_quote(attr.text);
    }
}

std::string Attr(const ops::OpAttrDef& definition) {
    const AttrRecord& attr = *definition.record();
    return "{\"name\":" + json_quote(attr.name.GetString()) + ",\"type\":\"" + AttrTypeName(attr.kind) +
           "\",\"required\":" + (attr.required ? "true" : "false") + ",\"default\":" + Default(attr) + "}";
}

// Chips whose parameters differ from the operator's own get them spelled out.
std::string Configs(const OpRecord& op) {
    std::string text = "{";
    for (const ConfigRecord& config : op.configs) {
        if (config.inputs.empty() && config.outputs.empty()) continue;
        if (text.size() > 1) text += ",";
        text += json_quote(config.soc) + ":{\"inputs\":" + Join(config.inputs, Param) +
                ",\"outputs\":" + Join(config.outputs, Param) + "}";
    }
    return text + "}";
}

std::string Op(const OpRecord* op) {
    std::string text = "{\"name\":" + json_quote(op->type) + ",\"inputs\":" + Join(op->inputs, Param);
    text += ",\"outputs\":" + Join(op->outputs, Param) + ",\"attrs\":" + Join(op->attrs, Attr);
    text += ",\"socs\":" + Join(op->configs, [](const ConfigRecord& config) { return json_quote(config.soc); });
    const auto functions = registry().functions.find(op->type);
    const bool tiled =
        op->tiling != nullptr || (functions != registry().functions.end() && functions->second.tiling != nullptr);
    const bool inferred = op->infer_shape != nullptr ||
                          (functions != registry().functions.end() && functions->second.infer_shape != nullptr);
    text += std::string(",\"tiling\":") + (tiled ? "true" : "false");
    text += std::string(",\"infer_shape\":") + (inferred ? "true" : "false");
    return text + ",\"configs\":" + Configs(*op) + "}";
}

std::string FieldType(const optiling::TilingField& field) {
    if (field.kind == 'b') return "bool";
    if (field.kind == 'f') return field.bytes == 8 ? "double" : "float";
    return (field.kind == 'u' ? "uint" : "int") + std::to_string(field.bytes * 8) + "_t";
}

const optiling::TilingDef* NestedOf(const optiling::TilingDef& parent, const optiling::TilingField& field) {
    return reinterpret_cast<const optiling::TilingDef*>(reinterpret_cast<const char*>(&parent) + field.nested);
}

class StructList {
  public:
    // `op` empty: a nested struct, or one that is registered under a name that is no operator of this object.
    void add(const std::string& op, const std::string& key, const optiling::TilingDef& instance) {
        for (const optiling::TilingField& field : instance.fields()->list) {
            if (field.kind == 's') add("", "", *NestedOf(instance, field));
        }
        const std::string name = instance.GetTilingClassName();
        if (op.empty() && !named_.insert(name).second) return;
        named_.insert(name);
        if (!text_.empty()) text_ += ",";
        text_ +=
            "{\"op\":" + (op.empty() ? "null" : json_quote(op)) + ",\"key\":" + (key.empty() ? "null" : key) +
            ",\"cls\":" + json_quote(name) + ",\"size\":" + std::to_string(instance.GetDataSize()) + ",\"fields\":" +
            Join(instance.fields()->list, [&](const optiling::TilingField& field) { return Field(instance, field); }) +
            "}";
    }
    const std::string& text() const { return text_; }

  private:
    static std::string Field(const optiling::TilingDef& instance, const optiling::TilingField& field) {
        const bool nested = field.kind == 's';
        const std::string type = nested ? NestedOf(instance, field)->GetTilingClassName() : FieldType(field);
        return "{\"type\":" + json_quote(type) + ",\"name\":" + json_quote(field.name) +
               ",\"count\":" + (field.count == 0 ? "null" : std::to_string(field.count)) +
               ",\"offset\":" + std::to_string(field.offset) + ",\"struct\":" + (nested ? json_quote(type) : "null") +
               "}";
    }
    std::set<std::string> named_;
    std::string text_;
};

// Splits "Type_101" into the operator and its tiling key, when Type is an operator that is known.
bool Split(const std::string& registered, std::string& op, std::string& key) {
    const Registry& known = registry();
    if (known.find(registered) != nullptr || known.functions.count(registered) > 0) {
        op = registered;
        return true;
    }
    const size_t bar = registered.rfind('_');
    if (bar == std::string::npos || bar + 1 == registered.size()) return false;
    for (size_t i = bar + 1; i < registered.size(); ++i) {
        if (std::isdigit(static_cast<unsigned char>(registered[i])) == 0) return false;
    }
    op = registered.substr(0, bar);
    key = registered.substr(bar + 1);
    return known.find(op) != nullptr || known.functions.count(op) > 0;
}

// An object may hold the shared tiling of a whole family: only structs of the operators that it defines are theirs.
std::string Structs() {
    StructList list;
    for (const bool own : {true, false}) {
        for (const TilingClass& tiling : registry().tiling_classes) {
            std::string op, key;
            const bool mine = Split(tiling.op, op, key) && (registry().ops.empty() || registry().find(op) != nullptr);
            if (mine != own) continue;
            const std::unique_ptr<optiling::TilingDef> instance(tiling.create());
            list.add(mine ? op : "", mine ? key : "", *instance);
        }
    }
    return list.text();
}

}  // namespace

std::string describe() { return "\"ops\":" + Join(registry().ops, Op) + ",\"structs\":[" + Structs() + "]"; }

}  // namespace ascendopt::host
