// ascend-confine [--read P | --execute P | --write P]... -- COMMAND...: starts a tool (a compiler, a linker) that can
// open nothing but what is granted and has no network. Exit code 125: this system cannot do that.
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "../run/confine.h"
#include "../run/confine_files.h"

using ascendopt::run::Grant;

namespace {

bool right_of(const char* option, Grant::Right& right) {
    if (std::strcmp(option, "--read") == 0) return right = Grant::Right::Read, true;
    if (std::strcmp(option, "--execute") == 0) return right = Grant::Right::ReadAndExecute, true;
    if (std::strcmp(option, "--write") == 0) return right = Grant::Right::ReadAndWrite, true;
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int kImpossible = 125;
    std::vector<Grant> grants;
    int at = 1;
    Grant grant;
    for (; at + 1 < argc && right_of(argv[at], grant.right); at += 2) {
        grant.path = argv[at + 1];
        grants.push_back(grant);
    }
    if (at + 1 >= argc || std::strcmp(argv[at], "--") != 0) {
        std::fputs("usage: ascend-confine [--read P | --execute P | --write P]... -- COMMAND...\n", stderr);
        return 2;
    }
    if (!ascendopt::run::confine_to(grants) || !ascendopt::run::confine_tool()) return kImpossible;
    execvp(argv[at + 1], argv + at + 1);
    std::perror(argv[at + 1]);
    return 127;
}
