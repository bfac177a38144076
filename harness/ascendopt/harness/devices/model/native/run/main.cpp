// ascend-device serve [--answer-fd N]: the model device's server process. README.md has the protocol.
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "server.h"

namespace {

int usage() {
    static const char text[] = "usage: ascend-device serve [--answer-fd N]\n";
    return write(2, text, sizeof text - 1) < 0 ? 2 : 2;
}

// Traces come and go with every case: their memory is kept, not given back and faulted in again.
void keep_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_TOP_PAD, 1 << 20);
#endif
}

}  // namespace

int main(int argc, char** argv) {
    keep_memory();
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
