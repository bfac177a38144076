// The OP_LOG* family and null checks of common logging headers, unless the operator brings its own.
#pragma once
#include "all.h"

#ifndef OP_LOGE
#define OP_LOGE(node, ...) ASC_HOST_LOG('E', node, __VA_ARGS__)
#endif
#ifndef OP_LOGW
#define OP_LOGW(node, ...) ASC_HOST_LOG('W', node, __VA_ARGS__)
#endif
#ifndef OP_LOGI
#define OP_LOGI(node, ...) ASC_HOST_LOG('I', node, __VA_ARGS__)
#endif
#ifndef OP_LOGD
#define OP_LOGD(node, ...) ASC_HOST_LOG('D', node, __VA_ARGS__)
#endif
#ifndef OP_LOGE_WITHOUT_REPORT
#define OP_LOGE_WITHOUT_REPORT(node, ...) ASC_HOST_LOG('E', node, __VA_ARGS__)
#endif
#ifndef OP_LOGE_IF
#define OP_LOGE_IF(condition, result, node, ...) \
    do {                                         \
        if (condition) {                         \
            OP_LOGE(node, __VA_ARGS__);          \
            return result;                       \
        }                                        \
    } while (0)
#endif
#ifndef OP_CHECK_NULL_WITH_CONTEXT
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer)  \
    do {                                              \
        if ((pointer) == nullptr) {                   \
            OP_LOGE(context, "%s is null", #pointer); \
            return ge::GRAPH_FAILED;                  \
        }                                             \
    } while (0)
#endif
#ifndef OPS_CHECK
#define OPS_CHECK(condition, log, result) \
    do {                                  \
        if (condition) {                  \
            log;                          \
            result;                       \
        }                                 \
    } while (0)
#endif
#ifndef OPS_LOG_E
#define OPS_LOG_E(node, ...) ASC_HOST_LOG('E', node, __VA_ARGS__)
#define OPS_LOG_W(node, ...) ASC_HOST_LOG('W', node, __VA_ARGS__)
#define OPS_LOG_I(node, ...) ASC_HOST_LOG('I', node, __VA_ARGS__)
#define OPS_LOG_D(node, ...) ASC_HOST_LOG('D', node, __VA_ARGS__)
#endif
#ifndef OP_TILING_CHECK
#define OP_TILING_CHECK(condition, log, result) \
    do {                                        \
        if (condition) {                        \
            log;                                \
            result;                             \
        }                                       \
    } while (0)
#endif
#ifndef OPS_CHECK_NULL_WITH_CONTEXT
#define OPS_CHECK_NULL_WITH_CONTEXT(context, pointer) OP_CHECK_NULL_WITH_CONTEXT(context, pointer)
#endif
#ifndef VECTOR_INNER_ERR_REPORT_TILIING
#define VECTOR_INNER_ERR_REPORT_TILIING(node, ...) ASC_HOST_LOG('E', node, __VA_ARGS__)
#endif
#ifndef CUBE_INNER_ERR_REPORT
#define CUBE_INNER_ERR_REPORT(node, ...) ASC_HOST_LOG('E', node, __VA_ARGS__)
#endif
