// ascend-device serve [--answer-fd N]: the model device's server process. README.md has the protocol.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "server.h"

namespace {

int usage() {
    static const char text[] = "usage: ascend-device serve [--answer-fd N]\n";
    return write(2, text, sizeof text - 1) < 0 ? 2 : 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || std::strcmp(argv[1], "serve") != 0) return usage();
    int out = 1;
    if (argc == 4 && std::strcmp(argv[2], "--answer-fd") == 0) {
        char* end = nullptr;
        out = static_cast<int>(std::strtol(argv[3], &end, 10));
        if (*end != '\0' || out < 1) return usage();
    } else if (argc != 2) {
        return usage();
    }
    return ascendopt::run::serve(0, out);
}
