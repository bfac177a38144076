// Compile infos that the toolkit's own registrations make.
#pragma once
#include <string>

#include "registry.h"

namespace ascendopt::host {

// The public sources of a few built-in operators register a tiling function alone, and read a compile info that the
// toolkit's registration of the same type gives them on a chip. Nothing, for all other operators.
void* toolkit_compile_info(const std::string& op, Node* node);

}  // namespace ascendopt::host
