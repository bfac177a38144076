#include "confine.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <vector>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define ASCENDOPT_SECCOMP 1
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif

namespace ascendopt::run {

void limit_resources(uint64_t address_bytes, double cpu_s, uint64_t file_bytes) {
    auto set = [](int which, rlim_t soft, rlim_t hard) {
        struct rlimit limit {
            soft, hard
        };
        setrlimit(static_cast<__rlimit_resource>(which), &limit);
    };
    set(RLIMIT_CORE, 0, 0);
    set(RLIMIT_FSIZE, file_bytes, file_bytes);
    set(RLIMIT_NOFILE, 64, 64);
    set(RLIMIT_AS, address_bytes, address_bytes);
    auto seconds = static_cast<rlim_t>(std::ceil(cpu_s));
    set(RLIMIT_CPU, seconds, seconds + 2);
    prctl(PR_SET_PDEATHSIG, 9);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

#ifdef ASCENDOPT_SECCOMP

namespace {

#ifdef __x86_64__
constexpr uint32_t kArch = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t kArch = AUDIT_ARCH_AARCH64;
#endif

// Not in every system's headers.
constexpr long kLandlockCreate = 444;
constexpr long kLandlockAdd = 445;
constexpr long kLandlockRestrict = 446;

// A classic BPF program over seccomp_data; little-endian halves of the 64-bit arguments.
class Filter {
  public:
    Filter() {
        load(offsetof(seccomp_data, arch));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArch, 1, 0));
        deny();
        load(offsetof(seccomp_data, nr));
    }

    void allow(long call) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1));
        accept();
    }

    // Allowed when the low half of the argument has none of these bits.
    void allow_without_bits(long call, unsigned argument, uint32_t bits) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 4));
        load(low_half(argument));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
        deny();
        accept();
    }

    void allow_equal(long call, unsigned argument, uint32_t value) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 4));
        load(low_half(argument));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
        deny();
        accept();
    }

    // Allowed when the argument is zero, all 64 bits of it.
    void allow_zero(long call, unsigned argument) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 6));
        load(low_half(argument));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3));
        load(low_half(argument) + 4);
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1));
        accept();
        deny();
    }

    // Not an offence: the call only fails.
    void refuse(long call, uint32_t error) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1));
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)));
    }

    bool install() {
        deny();
        return put();
    }

    // What is not named is allowed.
    bool install_open() {
        accept();
        return put();
    }

  private:
    std::vector<sock_filter> code_;

    bool put() {
        sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
    }

    static uint32_t low_half(unsigned argument) {
        return static_cast<uint32_t>(offsetof(seccomp_data, args) + 8 * argument);
    }
    void load(size_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset))); }
    void accept() { code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)); }
    void deny() { code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)); }
};

void allow_common(Filter& filter) {
    for (long call : {SYS_read, SYS_write, SYS_munmap, SYS_brk, SYS_exit, SYS_exit_group, SYS_rt_sigreturn,
                      SYS_rt_sigprocmask, SYS_clock_gettime, SYS_futex, SYS_madvise, SYS_close, SYS_mremap, SYS_gettid,
                      SYS_getpid, SYS_getrandom, SYS_restart_syscall, SYS_dup, SYS_dup3})
        filter.allow(call);
#ifdef SYS_dup2
    filter.allow(SYS_dup2);
#endif
    // abort() signals its own process; other processes are out of reach.
    filter.allow_equal(SYS_tgkill, 0, static_cast<uint32_t>(getpid()));
}

}  // namespace

bool confine_loading() {
    Filter filter;
    allow_common(filter);
    for (long call : {SYS_mmap, SYS_mprotect, SYS_fstat, SYS_newfstatat, SYS_pread64, SYS_lseek, SYS_readlinkat,
                      SYS_faccessat, SYS_seccomp, SYS_getcwd, SYS_sysinfo, SYS_sched_getaffinity})
        filter.allow(call);
    // Only to ask for a limit: a superuser could set those of the server.
    filter.allow_zero(SYS_prlimit64, 2);
#ifdef SYS_readlink
    filter.allow(SYS_readlink);
#endif
#ifdef SYS_access
    filter.allow(SYS_access);
#endif
    filter.allow_without_bits(SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
    return filter.install();
}

namespace {

void allow_files(Filter& filter) {
    for (long call : {SYS_openat,       SYS_fstat,
                      SYS_newfstatat,   SYS_statx,
                      SYS_pread64,      SYS_pwrite64,
                      SYS_readv,        SYS_writev,
                      SYS_lseek,        SYS_readlinkat,
                      SYS_faccessat,    SYS_faccessat2,
                      SYS_mkdirat,      SYS_unlinkat,
                      SYS_ftruncate,    SYS_fsync,
                      SYS_fcntl,        SYS_getdents64,
                      SYS_getcwd,       SYS_uname,
                      SYS_sysinfo,      SYS_sched_getaffinity,
                      SYS_clock_getres, SYS_clock_nanosleep,
                      SYS_nanosleep,    SYS_gettimeofday,
                      SYS_getuid,       SYS_geteuid,
                      SYS_getgid,       SYS_getegid})
        filter.allow(call);
#ifdef __x86_64__
    for (long call :
         {SYS_open, SYS_stat, SYS_lstat, SYS_readlink, SYS_access, SYS_mkdir, SYS_unlink, SYS_rmdir, SYS_time})
        filter.allow(call);
#endif
    filter.refuse(SYS_ioctl, ENOTTY);
    // Only to ask for a limit, not to set one.
    filter.allow_zero(SYS_prlimit64, 2);
}

}  // namespace

bool confine_tool() {
    Filter filter;
    for (long call : {SYS_socket, SYS_socketpair, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_mount,
                      SYS_umount2, SYS_chroot, SYS_setns, SYS_unshare, SYS_bpf, SYS_kexec_load, SYS_reboot})
        filter.refuse(call, EPERM);
    return filter.install_open();
}

bool confine_program_loading() {
    Filter filter;
    allow_common(filter);
    allow_files(filter);
    for (long call : {long{SYS_mmap}, long{SYS_mprotect}, long{SYS_seccomp}, long{SYS_prctl}, kLandlockCreate,
                      kLandlockAdd, kLandlockRestrict})
        filter.allow(call);
    return filter.install();
}

bool confine_program_running() {
    Filter filter;
    allow_common(filter);
    allow_files(filter);
    filter.allow_without_bits(SYS_mmap, 2, PROT_EXEC);
    filter.allow_without_bits(SYS_mprotect, 2, PROT_EXEC);
    return filter.install();
}

bool confine_running() {
    Filter filter;
    allow_common(filter);
    filter.allow_without_bits(SYS_mmap, 2, PROT_EXEC);
    filter.allow_without_bits(SYS_mprotect, 2, PROT_EXEC);
    return filter.install();
}

#else

bool confine_tool() { return false; }
bool confine_loading() { return false; }
bool confine_running() { return false; }
bool confine_program_loading() { return false; }
bool confine_program_running() { return false; }

#endif

bool confinement_works() {
    pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        struct rlimit none {
            0, 0
        };
        setrlimit(RLIMIT_CORE, &none);
        if (!confine_loading() || !confine_running()) _exit(1);
        int file = open("/dev/null", O_RDONLY);
        _exit(file >= 0 ? 2 : 3);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == 31;
}

}  // namespace ascendopt::run
