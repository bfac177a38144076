// The JSON values that host code makes of its compile information, as far as it reads them. A repository or a system
// that brings the library of this name keeps its own.
#pragma once
#include "../../asc_host/json_value.h"

namespace nlohmann {
using json = ::ascendopt::host::JsonValue;
}
