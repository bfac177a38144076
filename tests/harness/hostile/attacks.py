"""Texts of hostile candidates. Each bounds itself: 8 forks, 8 s, 1 GB of memory, 64 MB of output."""

HEADERS = """
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
"""

FORKS = "for (int n = 0; n < 8; ++n) { if (fork() == 0) { sleep(2); _exit(0); } }"
MEMORY = """
for (int n = 0; n < 64; ++n) {
    char* block = static_cast<char*>(malloc(16 << 20));
    if (block == nullptr) abort();
    memset(block, n, 16 << 20);
}
"""
LOOP = """
timespec from{}, now{};
clock_gettime(CLOCK_MONOTONIC, &from);
do { clock_gettime(CLOCK_MONOTONIC, &now); } while (now.tv_sec - from.tv_sec < 8);
"""
OUTPUT = """
static char text[16384];
memset(text, 'x', sizeof text);
for (int n = 0; n < 4096; ++n) { if (write(1, text, sizeof text) < 0) break; }
"""
SIGNAL_PARENT = "kill(getppid(), SIGTERM);"
IGNORE_SIGNALS = "signal(SIGXCPU, SIG_IGN); signal(SIGTERM, SIG_IGN); signal(SIGSYS, SIG_IGN);"
OWN_LIMITS = "struct rlimit more = {64, 64}; prlimit(0, RLIMIT_NOFILE, &more, nullptr);"
# By the names that tests give them.
ON_PROCESSES = {
    "fork bomb": FORKS,
    "signal to the server": SIGNAL_PARENT,
    "signals ignored": IGNORE_SIGNALS,
    "limits set": OWN_LIMITS,
}


def write_file(path: object) -> str:
    """Creates a file."""
    return f'int fd = open("{path}", O_CREAT | O_WRONLY, 0600); if (fd >= 0 && write(fd, "x", 1) == 1) close(fd);'


def read_file(path: object) -> str:
    """Prints what a file says."""
    return (
        f'int fd = open("{path}", O_RDONLY); char text[512]; ssize_t got = fd < 0 ? 0 : read(fd, text, 512); '
        "if (got > 0) { fwrite(text, 1, got, stdout); fflush(stdout); abort(); }"
    )


def connect_to(port: int) -> str:
    """Sends a word to a port of this machine."""
    return (
        f"int s = socket(AF_INET, SOCK_STREAM, 0); sockaddr_in to{{}}; to.sin_family = AF_INET; "
        f"to.sin_port = htons({port}); "
        "to.sin_addr.s_addr = htonl(INADDR_LOOPBACK); "
        'if (connect(s, (sockaddr*)&to, sizeof to) == 0) send(s, "x", 1, 0);'
    )


def at_load(code: str) -> str:
    """The code in a constructor that runs when the object is loaded."""
    return f"{HEADERS}\n__attribute__((constructor)) static void early() {{ {code} }}"
