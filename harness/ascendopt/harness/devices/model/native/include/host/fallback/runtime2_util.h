// Log macros, and what host code takes its compile information with.
#pragma once
#include "../asc_host/log_macros.h"

namespace optiling {
template <class T>
T* GetCompileInfoPtr(gert::TilingParseContext* context) {
    return context->GetCompiledInfo<T>();
}
}  // namespace optiling
