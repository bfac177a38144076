// The module-level log calls that shared logging headers build on.
#pragma once
#include "log.h"

enum AscLogModule { OP = 63, TUNE = 33 };
constexpr int DLOG_DEBUG = 0;
constexpr int DLOG_INFO = 1;
constexpr int DLOG_WARN = 2;
constexpr int DLOG_ERROR = 3;
constexpr int DLOG_EVENT = 16;
constexpr int DLOG_TYPE_DEBUG = 0;
constexpr int MSG_LENGTH = 1024;

// 1 when a line of that level is wanted: warnings and worse.
inline int AlogCheckDebugLevel(unsigned int, int level) { return level == DLOG_WARN || level == DLOG_ERROR ? 1 : 0; }

#define AlogRecord(module, type, level, ...) \
    ::ascendopt::host::LogLine((level) == DLOG_ERROR ? 'E' : (level) == DLOG_WARN ? 'W' : 'I', "", __VA_ARGS__)
#define REPORT_INNER_ERR_MSG(code, ...) ::ascendopt::host::LogLine('E', code, __VA_ARGS__)
#define REPORT_INNER_ERROR(code, ...) ::ascendopt::host::LogLine('E', code, __VA_ARGS__)
#define REPORT_CALL_ERROR(code, ...) ::ascendopt::host::LogLine('E', code, __VA_ARGS__)
