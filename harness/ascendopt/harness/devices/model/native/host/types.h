// Names of data types and formats as the protocol spells them: "float16", "ND".
#pragma once
#include <string>

#include "asc_host/types.h"

namespace ascendopt::host {

std::string dtype_name(ge::DataType type);       // "undefined" for a type without a name
ge::DataType dtype_of(const std::string& name);  // DT_UNDEFINED for an unknown name
std::string format_name(ge::Format format);
ge::Format format_of(const std::string& name);  // FORMAT_RESERVED for an unknown name

}  // namespace ascendopt::host
