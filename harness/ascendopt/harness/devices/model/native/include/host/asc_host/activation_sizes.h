// Temporary room of activations and of functions that draw on two sources, in bytes.
#pragma once
#include "tmp_sizes.h"

namespace AscendC {

void GetGeGLUMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, uint32_t& largest,
                           uint32_t& smallest);
void GetGeGLUTmpBufferFactorSize(uint32_t type_size, uint32_t& factor, uint32_t& extra);
void GetSwiGLUMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t& largest, uint32_t& smallest,
                            bool reuse_source);
void GetSwiGLUTmpBufferFactorSize(uint32_t type_size, uint32_t& factor, uint32_t& extra);
void GetReGluMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, uint32_t& largest,
                           uint32_t& smallest);
uint32_t GetGeluMaxTmpSize(const ge::Shape& shape, uint32_t type_size);
uint32_t GetGeluMinTmpSize(const ge::Shape& shape, uint32_t type_size);
void GetGeluMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t& largest, uint32_t& smallest);
void GetSiluTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, uint32_t& largest,
                    uint32_t& smallest);
void GetSwishTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, uint32_t& largest,
                     uint32_t& smallest);

uint32_t GetDropOutMaxTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source);
uint32_t GetDropOutMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source);
void GetDropOutMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, uint32_t& largest,
                             uint32_t& smallest);

// Select with a mask of bytes: one of the sources may be a scalar, a shape of one element. The second name is older.
#define ASC_HOST_SELECT_SHAPES                                                                                      \
    const ge::Shape &first, const ge::Shape &second, uint32_t type_size, const ge::Shape &mask, uint32_t mask_size, \
        bool reuse_mask
#define ASC_HOST_SELECT(name)                               \
    uint32_t Get##name##MaxTmpSize(ASC_HOST_SELECT_SHAPES); \
    uint32_t Get##name##MinTmpSize(ASC_HOST_SELECT_SHAPES); \
    void Get##name##MaxMinTmpSize(ASC_HOST_SELECT_SHAPES, uint32_t& largest, uint32_t& smallest);
ASC_HOST_SELECT(Select)
ASC_HOST_SELECT(SelectWithBytesMask)
#undef ASC_HOST_SELECT

}  // namespace AscendC
