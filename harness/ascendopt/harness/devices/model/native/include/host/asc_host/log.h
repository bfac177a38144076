// Log macros and calls. Everything ends in the log that the tile answer carries.
#pragma once
#include <cstdio>

#include "context.h"

namespace ascendopt::host {
// Severity is one of D I W E. Lines below W are dropped.
void LogLine(char severity, const char* node, const char* format, ...);

inline const char* LogName(const char* name) { return name; }
inline const char* LogName(const std::string& name) { return name.c_str(); }
inline const char* LogName(const ge::AscendString& name) { return name.GetString(); }
inline const char* LogName(const gert::ExtendedKernelContext* context) {
    return context == nullptr ? "" : context->GetNodeName();
}
}  // namespace ascendopt::host

// As in the toolkit, what a line below warnings would say is not even computed: operators count on that.
#define ASC_HOST_LOG(severity, node, ...)                                                      \
    ((severity) == 'W' || (severity) == 'E'                                                    \
         ? ::ascendopt::host::LogLine(severity, ::ascendopt::host::LogName(node), __VA_ARGS__) \
         : static_cast<void>(0))
