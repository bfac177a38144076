#include "call.h"

#include <exception>
#include <new>

#include "log.h"

namespace ascendopt::host {

Target find_target(const std::string& op) {
    Registry& known = registry();
    Target target;
    target.op = op;
    if (op.empty() && known.ops.size() == 1) target.op = known.ops.front()->type;
    if (op.empty() && known.ops.empty() && known.functions.size() == 1) target.op = known.functions.begin()->first;
    target.record = known.find(target.op);
    const auto functions = known.functions.find(target.op);
    if (functions != known.functions.end()) target.functions = &functions->second;
    if (target.op.empty()) {
        target.reason = "the host code defines " + std::to_string(known.ops.size()) + " operators; name one";
    } else if (target.record == nullptr && target.functions == nullptr) {
        target.reason = "the host code registers no operator '" + target.op + "'";
    }
    return target;
}

std::string failure_text(const std::string& what, uint32_t code) {
    std::string text = what + " returned failure";
    if (code != ge::GRAPH_FAILED) text += " (code " + std::to_string(code) + ")";
    const std::string error = last_error();
    return error.empty() ? text : text + ": " + error;
}

std::string guarded(const std::function<std::string()>& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return "the host code asked for more memory than the sandbox gives it";
    } catch (const std::exception& error) {
        return std::string("the host code threw an exception: ") + error.what();
    } catch (...) {
        return "the host code threw an exception";
    }
}

void add_last_line(const std::string& log, std::string& reason) {
    if (reason.empty() || !last_error().empty()) return;
    const size_t end = log.find_last_not_of("\n ");
    if (end == std::string::npos) return;
    const size_t before = log.rfind('\n', end);
    const size_t begin = before == std::string::npos ? 0 : before + 1;
    reason += "; it printed \"" + log.substr(begin, end + 1 - begin) + "\"";
}

}  // namespace ascendopt::host
