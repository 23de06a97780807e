/* A filter of system calls (Linux, seccomp), and rules for files (Landlock), written out: they need
 * no library to be linked, and take microseconds to load. Everything is allowed but what is listed:
 * a list of what is needed would break with every other version of the C library. */
#define _GNU_SOURCE
#include "io/sandbox.h"

#include "base/diag.h"

#if defined __linux__ && (defined __x86_64__ || defined __aarch64__) && !defined AZ_SANITIZED
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#define FOREIGN 0x40000000u /* calls from here on are those of another convention */
#else
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#define RULES_MAX 160
#define REFUSED   (SECCOMP_RET_ERRNO | EACCES)
#define OLD       (SECCOMP_RET_ERRNO | ENOSYS) /* an older kernel: the C library has another way */
#define NUMBER    ((unsigned)offsetof(struct seccomp_data, nr))
#define ARGUMENT  ((unsigned)offsetof(struct seccomp_data, args[0])) /* its lower half */

/* Never needed by anything here, nor by a program that converts a report. */
static const int always[] = {
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_quotactl,
    SYS_open_by_handle_at,
    SYS_perf_event_open,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_bpf,
    SYS_userfaultfd,
    SYS_sethostname,
    SYS_setdomainname,
#ifdef SYS_io_uring_setup /* calls made through it pass no filter */
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
#endif
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
#ifdef SYS_fsopen
    SYS_fsopen,
    SYS_move_mount,
    SYS_open_tree,
#endif
};

static const int programs[] = {
    SYS_execve, SYS_execveat, SYS_kill, SYS_tkill, SYS_rt_sigqueueinfo,
#ifdef SYS_fork
    SYS_fork,   SYS_vfork,
#endif
};
static const int sockets[] = {
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
};

struct filter {
    struct sock_filter v[RULES_MAX];
    unsigned short n;
};

static void add_rule(struct filter *f, unsigned short code, unsigned k, unsigned char yes,
                     unsigned char no)
{
    if (f->n < RULES_MAX)
        f->v[f->n] = (struct sock_filter){ .code = code, .jt = yes, .jf = no, .k = k };
    f->n++;
}

static void answer(struct filter *f, unsigned value) { add_rule(f, BPF_RET | BPF_K, value, 0, 0); }

static void answer_call(struct filter *f, int number, unsigned value)
{
    add_rule(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1);
    answer(f, value);
}

/* The call only with (an argument whose test is true). */
static void call_if(struct filter *f, int number, unsigned short test, unsigned k)
{
    add_rule(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 4);
    add_rule(f, BPF_LD | BPF_W | BPF_ABS, ARGUMENT, 0, 0);
    add_rule(f, (unsigned short)(BPF_JMP | test | BPF_K), k, 0, 1);
    answer(f, SECCOMP_RET_ALLOW);
    answer(f, REFUSED);
}

static void calls(struct filter *f, const int *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        answer_call(f, numbers[i], REFUSED);
}

bool az_sandbox_enter(enum az_sandbox how)
{
    struct filter f = { .n = 0 };
    add_rule(&f, BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, arch), 0, 0);
    add_rule(&f, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
    answer(&f, REFUSED);
    add_rule(&f, BPF_LD | BPF_W | BPF_ABS, NUMBER, 0, 0);
#ifdef FOREIGN
    add_rule(&f, BPF_JMP | BPF_JGE | BPF_K, FOREIGN, 0, 1);
    answer(&f, REFUSED);
#endif
    if (how == AZ_SANDBOX_NETWORK)
        calls(&f, always, AZ_LENGTH(always));
    else
        calls(&f, programs, AZ_LENGTH(programs));
    if (how == AZ_SANDBOX_CHILDREN)
        calls(&f, sockets, AZ_LENGTH(sockets));
    if (how != AZ_SANDBOX_NETWORK) { /* threads stay */
#ifdef SYS_clone3                    /* its flags are in memory, where no filter sees them */
        answer_call(&f, SYS_clone3, OLD);
#endif
        call_if(&f, SYS_clone, BPF_JSET, CLONE_THREAD);
    } else {
        call_if(&f, SYS_socket, BPF_JEQ, AF_UNIX);
    }
    answer(&f, SECCOMP_RET_ALLOW);
    if (f.n > RULES_MAX)
        return false;
    const struct sock_fprog program = { .len = f.n, .filter = f.v };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* ---- files (Landlock) ---- */

/* As the kernel's header has them, which may be older than the kernel. */
struct ruleset {
    uint64_t files;
};
struct beneath {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));
enum { CREATE_RULESET = 444, ADD_RULE, RESTRICT_SELF, VERSION_FLAG = 1, PATH_BENEATH = 1 };
#define WRITE_FILE  UINT64_C(2)
#define READ_FILE   UINT64_C(4)
#define READ_FOLDER UINT64_C(8)
#define TRUNCATE    (UINT64_C(1) << 14)
#define CHANGES                                                                                    \
    UINT64_C(0x1ff0) /* removing folders and files; making devices, folders, files, sockets, */    \
                     /* FIFOs and links */
#define OF_FILES (READ_FILE | WRITE_FILE | TRUNCATE)

/* Libraries loaded later, time zones and character sets, limits and processors of this machine.
 * /proc has the environment of other processes, and /etc their passwords: only parts of both. */
static const char *const of_system[] = {
    "/usr",       "/lib",          "/lib64",     "/nix/store",          "/gnu/store",
    "/proc/self", "/proc/meminfo", "/proc/stat", "/etc/ld.so.cache",    "/etc/localtime",
    "/dev",       "/proc/cpuinfo", "/opt",       "/sys/devices/system", "/sys/fs/cgroup",
};

static long landlock_version(void) { return syscall(CREATE_RULESET, NULL, 0, VERSION_FLAG); }

unsigned az_sandbox_has(void)
{
    const unsigned refusing = SECCOMP_RET_ERRNO;
    unsigned has = 0;
    if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &refusing) == 0)
        has |= AZ_SANDBOX_HAS_SECCOMP;
    return landlock_version() > 0 ? has | AZ_SANDBOX_HAS_LANDLOCK : has;
}

static void allow(int ruleset, const char *path, uint64_t all)
{
    struct stat st;
    struct beneath b = { .folder = open(path, O_PATH | O_CLOEXEC) };
    if (b.folder < 0)
        return;
    if (fstat(b.folder, &st) == 0) {
        b.allowed = S_ISDIR(st.st_mode) ? all : all & OF_FILES;
        (void)syscall(ADD_RULE, ruleset, PATH_BENEATH, &b, 0);
    }
    (void)close(b.folder);
}

static uint64_t rights_of(unsigned how, long version)
{
    return (how & AZ_SANDBOX_READ ? READ_FILE | READ_FOLDER : 0) |
           (how & AZ_SANDBOX_WRITE ? WRITE_FILE | CHANGES | (version >= 3 ? TRUNCATE : 0) : 0);
}

bool az_sandbox_files(const struct az_sandbox_path *paths, size_t n, unsigned how)
{
    const long version = landlock_version();
    const struct ruleset r = { .files = rights_of(how, version) };
    if (version < 1)
        return false;
    const int ruleset = (int)syscall(CREATE_RULESET, &r, sizeof r, 0);
    if (ruleset < 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (paths[i].how & how)
            allow(ruleset, paths[i].path, rights_of(paths[i].how & how, version));
    for (size_t i = 0; how & AZ_SANDBOX_READ && i < AZ_LENGTH(of_system); i++)
        allow(ruleset, of_system[i], READ_FILE | READ_FOLDER);
    const bool done =
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(RESTRICT_SELF, ruleset, 0) == 0;
    (void)close(ruleset);
    return done;
}
#else
unsigned az_sandbox_has(void) { return 0; }

bool az_sandbox_enter(enum az_sandbox how)
{
    (void)how;
    return false;
}

bool az_sandbox_files(const struct az_sandbox_path *paths, size_t n, unsigned how)
{
    (void)paths;
    (void)n;
    (void)how;
    return false;
}
#endif
