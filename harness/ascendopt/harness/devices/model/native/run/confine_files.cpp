#include "confine_files.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace ascendopt::run {

namespace {

// Landlock's interface, stable since Linux 5.13 (its header is newer than many systems').
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr uint32_t kVersion = 1;
constexpr int kPathBeneath = 1;

constexpr uint64_t kReadFile = 1u << 2;
constexpr uint64_t kReadFolder = 1u << 3;
constexpr uint64_t kFirstVersion = (1u << 13) - 1;  // all rights of version 1: execute, write, read, make, remove
constexpr uint64_t kExecute = 1u << 0;
constexpr uint64_t kWriteFile = 1u << 1;
constexpr uint64_t kTruncate = 1u << 14;  // since version 3
constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate;

struct RulesetAttributes {
    uint64_t files;
};
struct PathBeneath {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

uint64_t handled_rights() {
    const long version = syscall(kCreateRuleset, nullptr, 0, kVersion);
    if (version < 1) return 0;
    return version >= 3 ? kFirstVersion | kTruncate : kFirstVersion;
}

struct Rule {
    std::string path;
    uint64_t rights;
    bool required = true;
};

bool add_rule(int ruleset, const Rule& rule, uint64_t handled) {
    const int place = open(rule.path.c_str(), O_PATH | O_CLOEXEC);
    if (place < 0) return !rule.required;
    struct stat status {};
    // A file's rule may only name what can be done to a file.
    const bool folder = fstat(place, &status) == 0 && S_ISDIR(status.st_mode);
    PathBeneath beneath{rule.rights & handled & (folder ? ~uint64_t{0} : kOfFiles), place};
    const bool good = syscall(kAddRule, ruleset, kPathBeneath, &beneath, 0) == 0;
    close(place);
    return good;
}

bool restrict_to(const std::vector<Rule>& rules) {
    const uint64_t handled = handled_rights();
    if (handled == 0) return false;
    RulesetAttributes attributes{handled};
    const long ruleset = syscall(kCreateRuleset, &attributes, sizeof attributes, 0);
    if (ruleset < 0) return false;
    bool good = true;
    for (const Rule& rule : rules) good = good && add_rule(static_cast<int>(ruleset), rule, handled);
    good = good && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(kRestrictSelf, ruleset, 0) == 0;
    close(static_cast<int>(ruleset));
    return good;
}

constexpr uint64_t kAllButExecute = ~kExecute;

}  // namespace

std::vector<std::string> system_libraries() { return {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"}; }

std::string confine_to_folder(const std::string& folder) {
    std::vector<Rule> rules{{folder, kAllButExecute}};
    for (const std::string& path : system_libraries()) rules.push_back({path, kReadFile | kReadFolder, false});
    if (restrict_to(rules)) return "landlock";
    // In a user namespace of its own a process may change its root without privileges.
    if (unshare(CLONE_NEWUSER) == 0 && chroot(folder.c_str()) == 0 && chdir("/") == 0) return "chroot";
    return "";
}

bool confine_reads(const std::string& folder, const std::string& how) {
    if (how == "landlock") return restrict_to({{folder, kAllButExecute}});
    return how == "chroot";
}

bool confine_to(const std::vector<Grant>& grants) {
    std::vector<Rule> rules;
    for (const Grant& grant : grants) {
        const uint64_t read = kReadFile | kReadFolder;
        const uint64_t rights = grant.right == Grant::Right::ReadAndWrite     ? kAllButExecute
                                : grant.right == Grant::Right::ReadAndExecute ? read | kExecute
                                                                              : read;
        rules.push_back({grant.path, rights, false});
    }
    return restrict_to(rules);
}

std::string file_confinement() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return "";
    const pid_t child = fork();
    if (child == 0) {
        const std::string how = confine_to_folder("/tmp");
        const bool held = open("/etc/passwd", O_WRONLY | O_CLOEXEC) < 0 && confine_reads("/tmp", how) &&
                          open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0;
        const char answer = how.empty() || !held ? '-' : how[0];
        _exit(write(ends[1], &answer, 1) == 1 ? 0 : 1);
    }
    close(ends[1]);
    char answer = '-';
    if (child < 0 || read(ends[0], &answer, 1) != 1) answer = '-';
    close(ends[0]);
    if (child > 0) waitpid(child, nullptr, 0);
    return answer == 'l' ? "landlock" : answer == 'c' ? "chroot" : "";
}

}  // namespace ascendopt::run
