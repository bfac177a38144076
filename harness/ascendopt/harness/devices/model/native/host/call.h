// One call of a host function: which operator it is of, and what its failure is called.
#pragma once
#include <functional>
#include <string>

#include "registry.h"

namespace ascendopt::host {

struct Target {
    std::string op;
    const OpRecord* record = nullptr;
    const OpFunctions* functions = nullptr;
    std::string reason;  // one sentence when there is no such operator
};

// The operator of that name; with an empty name, the only one that is defined, or that has functions.
Target find_target(const std::string& op);

// The sentence for a host function that returned `code`, with the last error that it logged.
std::string failure_text(const std::string& what, uint32_t code);

// What `body` returns, or a sentence about what it threw.
std::string guarded(const std::function<std::string()>& body);

// Operators that print instead of logging: the last line usually says what was wrong.
void add_last_line(const std::string& log, std::string& reason);

}  // namespace ascendopt::host
