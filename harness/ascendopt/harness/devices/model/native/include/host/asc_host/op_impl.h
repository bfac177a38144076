// Registration of host functions by operator type: IMPL_OP_OPTILING, IMPL_OP_INFERSHAPE, IMPL_OP.
#pragma once
#include <initializer_list>

#include "context.h"

namespace ascendopt::host {
struct OpFunctions;
}

namespace gert {

// Where a host function may run. Only recorded.
enum class TilingPlacement { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };
using enum_placement_list = std::initializer_list<TilingPlacement>;
constexpr TilingPlacement TILING_ON_HOST = TilingPlacement::TILING_ON_HOST;
constexpr TilingPlacement TILING_ON_AICPU = TilingPlacement::TILING_ON_AICPU;

class OpImplRegisterV2 {
  public:
    using TilingKernelFunc = ge::graphStatus (*)(TilingContext*);
    using TilingParseFunc = ge::graphStatus (*)(TilingParseContext*);
    using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext*);
    using InferShapeRangeKernelFunc = ge::graphStatus (*)(InferShapeRangeContext*);
    using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext*);
    using CompileInfoCreator = void* (*)();

    explicit OpImplRegisterV2(const char* op_type);
    OpImplRegisterV2& Tiling(TilingKernelFunc function, size_t max_tiling_bytes = 2048);
    template <class T>
    OpImplRegisterV2& TilingParse(TilingParseFunc function) {
        return Parse(function, [] { return static_cast<void*>(new T()); });
    }
    OpImplRegisterV2& InferShape(InferShapeKernelFunc function);
    OpImplRegisterV2& InferShapeRange(InferShapeRangeKernelFunc function);
    OpImplRegisterV2& InferDataType(InferDataTypeKernelFunc function);
    OpImplRegisterV2& InferOutDataTypeSameWithFirstInput();
    OpImplRegisterV2& InputsDataDependency(std::initializer_list<int32_t> inputs);
    OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs);
    OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs, enum_placement_list);
    OpImplRegisterV2& OutputShapeDependOnCompute(std::initializer_list<int32_t> outputs);
    // A shorter key for a database of built kernels, which the device does not have: recorded nowhere.
    using GenSimplifiedKeyFunc = ge::graphStatus (*)(TilingContext*, ge::char_t*);
    OpImplRegisterV2& GenSimplifiedKey(GenSimplifiedKeyFunc) { return *this; }
    OpImplRegisterV2& PrivateAttr(const char* name);
    OpImplRegisterV2& PrivateAttr(const char* name, int64_t value);
    OpImplRegisterV2& PrivateAttr(const char* name, float value);
    OpImplRegisterV2& PrivateAttr(const char* name, bool value);
    OpImplRegisterV2& PrivateAttr(const char* name, const char* value);

  private:
    OpImplRegisterV2& Parse(TilingParseFunc function, CompileInfoCreator create);
    ascendopt::host::OpFunctions* functions_;
};

using OpImplRegister = OpImplRegisterV2;

}  // namespace gert

#define ASC_HOST_IMPL2(op, counter) \
    [[maybe_unused]] static ::gert::OpImplRegisterV2 ascOpImpl_##op##_##counter = ::gert::OpImplRegisterV2(#op)
#define ASC_HOST_IMPL(op, counter) ASC_HOST_IMPL2(op, counter)
#define IMPL_OP(op) ASC_HOST_IMPL(op, __COUNTER__)
#define IMPL_OP_OPTILING(op) ASC_HOST_IMPL(op, __COUNTER__)
#define IMPL_OP_INFERSHAPE(op) ASC_HOST_IMPL(op, __COUNTER__)
#define DEVICE_IMPL_OP_OPTILING(op) ASC_HOST_IMPL(op, __COUNTER__)
