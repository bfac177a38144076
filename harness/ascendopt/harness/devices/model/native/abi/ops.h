// Data types and vector operations as numbers that cross the C ABI. Append only.
#pragma once
#include <cstdint>

namespace ascendopt {

enum class Dtype : uint8_t { F16 = 0, F32, BF16, I8, U8, I16, U16, I32, U32, I64, U64, I4, B8, F64, C64, None };

enum class Op : uint16_t {
    None = 0,
    // two sources
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
    And,
    Or,
    AddRelu,
    SubRelu,
    FusedMulAdd,
    MulAddDst,
    FusedMulAddRelu,
    // one source
    Abs,
    Relu,
    Not,
    Exp,
    Ln,
    Sqrt,
    Rsqrt,
    Reciprocal,
    // source and scalar
    Adds,
    Muls,
    Maxs,
    Mins,
    ShiftLeft,
    ShiftRight,
    LeakyRelu,
    Axpy,
    // movement inside UB
    Duplicate,
    Copy,
    Cast,
    Brcb,
    BroadCast,
    // comparison
    Compare,
    CompareScalar,
    Select,
    // reduction
    ReduceSum,
    ReduceMax,
    ReduceMin,
    WholeReduceSum,
    WholeReduceMax,
    WholeReduceMin,
    BlockReduceSum,
    BlockReduceMax,
    BlockReduceMin,
    PairReduceSum,
    RepeatReduceSum,
    // gather
    Gather,
    GatherMask,
    Gatherb,
    ArithProgression,
    // composite maths
    Power,
    Tanh,
    Sigmoid,
    Erf,
    Erfc,
    Gelu,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Asinh,
    Acosh,
    Atanh,
    Log2,
    Log10,
    Floor,
    Ceil,
    Round,
    Trunc,
    Sign,
    Frac,
    Xor,
    Fmod,
    SwiGlu,
    Silu,
    Swish,
    Mean,
    Sum,
    Transpose,
    // registers and forms of the vector unit that are not operations on tensors of their own
    SelectRegister,
    CompareRegister,
    SetCmpMask,
    GetCmpMask,
    CreateVecIndex,
    FasterGelu,
    Log,
    Expm1,
    CopySign,
    ReduceSumRepeat,
    ReduceMaxRepeat,
    ReduceMinRepeat,
    MulsCast,
    AddDeqRelu,
    AddReluCast,
    SubReluCast,
    MulCast,
    SetDeqScale,
    Ands,
    Ors,
    // steps of composite functions that have no name of their own above
    Sort32,
    MrgSort,
    Scatter,
    TransDataTo5HD,
    BilinearInterpolation,
    VectorPadding,
    CastDequant,
    Lgamma,
    Digamma,
    GeGlu,
    ReGlu,
    ClampMax,
    ClampMin,
    FasterGeluV2,
    // in traces only
    CastFloatHalf,     // the one Cast at twice the rate
    GatherMaskTensor,  // GatherMask with its pattern in a tensor
    Count
};

// Functions over several tensors that stand for a sequence of vector instructions (asc_composite).
enum class Composite : uint16_t {
    None = 0,
    // layout
    Transpose,
    TransDataTo5HD,
    Pad,
    UnPad,
    // reductions along an axis
    Sum,
    Mean,
    ReduceAxis,
    CumSum,
    // sorting
    Sort32,
    MrgSort,
    Sort,
    Extract,
    TopK,
    ProposalConcat,
    ProposalExtract,
    RpSort16,
    MrgSort4,
    // selection by bytes
    SelectWithBytesMask,
    DropOut,
    BilinearInterpolation,
    // softmax
    SoftMax,
    SoftmaxFlash,
    SoftmaxGrad,
    AdjustSoftMaxRes,
    // normalisation
    LayerNorm,
    LayerNormGrad,
    LayerNormGradBeta,
    BatchNorm,
    RmsNorm,
    WelfordUpdate,
    WelfordFinalize,
    Normalize,
    // quantisation
    Quant,
    Dequant,
    AntiQuant,
    Count
};

}  // namespace ascendopt
