/* Intercepts a program's system calls on the files of one folder. Loaded with LD_PRELOAD.
 *
 * SHIM_FOLDER   the folder, without links in its path; calls on other files pass
 * SHIM_ARM      if set, calls count only after the first line that the program prints
 * SHIM_FAIL_AT  the number of the call that fails, from 1; unset: none
 * SHIM_FAIL_AS  eio, enospc, short (half is written; a call that writes nothing fails with EIO), or kill:
 *               the program is killed before the call
 * SHIM_COUNT    a file that gets a letter for each counted call when the program ends: those below, and
 *               i read, o open or create
 * SHIM_TRACE    a file that gets the changes to the files, in order, and the program's output: a letter,
 *               then a number, the length of the name and that of the bytes, 8 bytes each in native order,
 *               then the name within the folder ("." is the folder itself) and the bytes
 *
 *   n created  o opened  c closed  w written  d written through to the disk (number: offset)
 *   t has this length (number)  a is at least so long (number)  s flushed  u removed  m folder created
 *   r renamed  x exchanged  l linked (bytes: the other name)  p printed (bytes)
 *
 * Calls on descriptors are intercepted in the C library. Calls on names may bypass it, so a seccomp filter
 * turns each into a signal, whose handler makes the call with a mark that the filter passes. Child programs
 * inherit the filter but not the handler, so the filter passes calls from outside this program's code.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

/* The handler marks its own calls in the sixth argument, which none of them uses. */
#define MARK 0x6d61796cu
#define COUNTED_MAX (1 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder, *count_file;
static long fail_at, calls;
static int fail_as, is_short, is_kill, is_armed, trace = -1;
/* After a short write the program writes the rest, which fails with a full disk. */
static int is_half_written;
static char counted[COUNTED_MAX];

static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_close)(int);

/* A path's name within the folder, or NULL. */
static const char *within(char *path) {
    size_t length = folder ? strlen(folder) : 0;
    if (!length || strncmp(path, folder, length) != 0) return NULL;
    if (path[length] == 0) return ".";
    return path[length] == '/' ? path + length + 1 : NULL;
}

/* The name of a descriptor's file within the folder, or NULL. */
static const char *watched(int fd, char path[PATH_MAX]) {
    char link[64];
    if (!folder) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0) return NULL;
    path[length] = 0;
    return within(path);
}

/* The name within the folder that a call on names refers to, or NULL. */
static const char *named(int at, const char *name, char path[PATH_MAX]) {
    size_t length = 0;
    if (name[0] != '/') {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", at);
        ssize_t found = readlink(at == AT_FDCWD ? "/proc/self/cwd" : link, path, PATH_MAX - 2);
        if (found <= 0) return NULL;
        length = (size_t)found;
        path[length++] = '/';
    }
    if (length + strlen(name) >= PATH_MAX) return NULL;
    strcpy(path + length, name);
    return within(path);
}

static void note(char kind, const char *name, off_t number, const struct iovec *parts, int count) {
    if (trace < 0) return;
    uint64_t head[3] = {(uint64_t)number, strlen(name), 0};
    for (int i = 0; i < count; i++) head[2] += parts[i].iov_len;
    real_write(trace, &kind, 1);
    real_write(trace, head, sizeof head);
    real_write(trace, name, head[1]);
    for (int i = 0; i < count; i++) real_write(trace, parts[i].iov_base, parts[i].iov_len);
}

/* Whether this call is the one that fails. */
static int fails(char kind) {
    if (!is_armed) return 0;
    if (calls < COUNTED_MAX) counted[calls] = kind;
    if (++calls != fail_at) return 0;
    if (is_kill) kill(getpid(), SIGKILL);
    return 1;
}

static char kind_of(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_DSYNC) ? 'd' : 'w';
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) {
    char path[PATH_MAX];
    const char *name = watched(fd, path);
    if (!name) return real_pwritev(fd, parts, count, offset);
    pthread_mutex_lock(&lock);
    ssize_t written;
    if (fails('w')) {
        written = is_short && count > 0 ? real_pwrite(fd, parts[0].iov_base, parts[0].iov_len / 2, offset) : -1;
        errno = fail_as;
    } else {
        written = real_pwritev(fd, parts, count, offset);
        if (written >= 0) note(kind_of(fd), name, offset, parts, count);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) { return pwritev64(fd, parts, count, offset); }

/* LMDB seeks and then writes several pages at once. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
    char path[PATH_MAX];
    const char *name = watched(fd, path);
    if (!name) return real_writev(fd, parts, count);
    pthread_mutex_lock(&lock);
    ssize_t written;
    if (fails('w')) {
        written = is_short && count > 0 ? real_write(fd, parts[0].iov_base, parts[0].iov_len / 2) : -1;
        errno = fail_as;
    } else {
        off_t offset = lseek(fd, 0, SEEK_CUR);
        written = real_writev(fd, parts, count);
        if (written >= 0) note(kind_of(fd), name, offset, parts, count);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
    char path[PATH_MAX];
    const char *name = watched(fd, path);
    if (!name) return real_pwrite(fd, bytes, length, offset);
    pthread_mutex_lock(&lock);
    ssize_t written;
    if (fails('w')) {
        written = is_short && length > 1 ? real_pwrite(fd, bytes, length / 2, offset) : -1;
        errno = fail_as;
    } else {
        struct iovec part = {(void *)bytes, length};
        written = real_pwrite(fd, bytes, length, offset);
        if (written >= 0) note(kind_of(fd), name, offset, &part, 1);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t write(int fd, const void *bytes, size_t length) {
    char path[PATH_MAX];
    struct iovec part = {(void *)bytes, length};
    if (fd == STDOUT_FILENO) {
        pthread_mutex_lock(&lock);
        is_armed = 1;
        ssize_t written = real_write(fd, bytes, length);
        note('p', "", 0, &part, 1);
        pthread_mutex_unlock(&lock);
        return written;
    }
    const char *name = watched(fd, path);
    if (!name) return real_write(fd, bytes, length);
    pthread_mutex_lock(&lock);
    ssize_t written = -1;
    if (is_half_written) {
        is_half_written = 0;
        errno = ENOSPC;
    } else if (fails('w')) {
        if (is_short && length > 1) written = real_write(fd, bytes, length / 2);
        is_half_written = written >= 0;
        errno = fail_as;
    } else {
        off_t offset = lseek(fd, 0, SEEK_CUR);
        written = real_write(fd, bytes, length);
        if (written >= 0) {
            part.iov_len = (size_t)written;
            note(kind_of(fd), name, offset, &part, 1);
        }
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}

static int flush(int fd, int (*real)(int)) {
    char path[PATH_MAX];
    const char *name = watched(fd, path);
    if (!name) return real(fd);
    pthread_mutex_lock(&lock);
    int result = -1;
    if (fails('s')) {
        errno = fail_as;
    } else {
        result = real(fd);
        if (result == 0) note('s', name, 0, NULL, 0);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}
int fsync(int fd) { return flush(fd, real_fsync); }
int fdatasync(int fd) { return flush(fd, real_fdatasync); }

static int is_failing(int fd, char kind) {
    char path[PATH_MAX];
    if (!watched(fd, path)) return 0;
    pthread_mutex_lock(&lock);
    int failing = fails(kind);
    pthread_mutex_unlock(&lock);
    return failing;
}

ssize_t read(int fd, void *bytes, size_t length) {
    if (!is_failing(fd, 'i')) return real_read(fd, bytes, length);
    errno = EIO;
    return -1;
}

ssize_t pread64(int fd, void *bytes, size_t length, off_t offset) {
    if (!is_failing(fd, 'i')) return real_pread(fd, bytes, length, offset);
    errno = EIO;
    return -1;
}
ssize_t pread(int fd, void *bytes, size_t length, off_t offset) { return pread64(fd, bytes, length, offset); }

int ftruncate64(int fd, off_t length) {
    char path[PATH_MAX];
    const char *name = watched(fd, path);
    if (!name) return real_ftruncate(fd, length);
    pthread_mutex_lock(&lock);
    int result = -1, error = fail_as;
    if (!fails('t')) {
        result = real_ftruncate(fd, length);
        error = errno;
        if (result == 0) note('t', name, length, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int close(int fd) {
    char path[PATH_MAX];
    const char *name = trace < 0 ? NULL : watched(fd, path);
    if (!name) return real_close(fd);
    pthread_mutex_lock(&lock);
    int result = real_close(fd);
    note('c', name, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

/* A call on names or on a file's reserved space, as it was made. */
struct call {
    long number;
    long arguments[5];
};

static long made(const struct call *call) {
    const long *a = call->arguments;
    long result = syscall(call->number, a[0], a[1], a[2], a[3], a[4], (long)MARK);
    return result == -1 ? -errno : result;
}

static void note_two(char kind, const char *from, const char *to) {
    struct iovec part = {(void *)to, strlen(to)};
    note(kind, from, 0, &part, 1);
}

/* Makes a call on one or two names, unless it is the one that fails. */
static long on_names(const struct call *call, char kind, const char *one, const char *other) {
    if (!one && !other) return made(call);
    if (fails(kind)) return -fail_as;
    long result = made(call);
    if (result >= 0 && (kind == 'u' || kind == 'm')) note(kind, one, 0, NULL, 0);
    if (result >= 0 && (kind == 'r' || kind == 'x' || kind == 'l')) note_two(kind, one ? one : "", other ? other : "");
    return result;
}

static long on_open(const struct call *call, int at, const char *name, int flags) {
    char path[PATH_MAX], opened[PATH_MAX];
    if (!named(at, name, path)) return made(call);
    int is_there = faccessat(at, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    if (fails('o')) return -fail_as;
    long result = made(call);
    const char *found = result >= 0 ? watched((int)result, opened) : NULL;
    if (found) {
        note(is_there || !(flags & O_CREAT) ? 'o' : 'n', found, 0, NULL, 0);
        if (is_there && (flags & O_TRUNC)) note('t', found, 0, NULL, 0);
    }
    return result;
}

static long on_room(const struct call *call) {
    char path[PATH_MAX];
    const long *a = call->arguments;
    const char *name = watched((int)a[0], path);
    if (!name) return made(call);
    if (fails('a')) return -fail_as;
    long result = made(call);
    if (result >= 0) note('a', name, a[2] + a[3], NULL, 0);
    return result;
}

static long on_call(const struct call *call) {
    char one[PATH_MAX], other[PATH_MAX];
    const long *a = call->arguments;
#define NAME(at, name, path) named((int)(at), (const char *)(name), path)
    switch (call->number) {
#ifdef SYS_open
    case SYS_open: return on_open(call, AT_FDCWD, (const char *)a[0], (int)a[1]);
    case SYS_rename: return on_names(call, 'r', NAME(AT_FDCWD, a[0], one), NAME(AT_FDCWD, a[1], other));
    case SYS_link: return on_names(call, 'l', NAME(AT_FDCWD, a[0], one), NAME(AT_FDCWD, a[1], other));
    case SYS_unlink:
    case SYS_rmdir: return on_names(call, 'u', NAME(AT_FDCWD, a[0], one), NULL);
    case SYS_mkdir: return on_names(call, 'm', NAME(AT_FDCWD, a[0], one), NULL);
#endif
#ifdef SYS_renameat
    case SYS_renameat: return on_names(call, 'r', NAME(a[0], a[1], one), NAME(a[2], a[3], other));
#endif
    case SYS_renameat2:
        return on_names(call, a[4] & RENAME_EXCHANGE ? 'x' : 'r', NAME(a[0], a[1], one), NAME(a[2], a[3], other));
    case SYS_openat: return on_open(call, (int)a[0], (const char *)a[1], (int)a[2]);
    case SYS_linkat: return on_names(call, 'l', NAME(a[0], a[1], one), NAME(a[2], a[3], other));
    case SYS_unlinkat: return on_names(call, 'u', NAME(a[0], a[1], one), NULL);
    case SYS_mkdirat: return on_names(call, 'm', NAME(a[0], a[1], one), NULL);
    case SYS_fallocate: return on_room(call);
    default: return made(call);
    }
}

static const int met[] = {
#ifdef SYS_open
    SYS_open, SYS_rename, SYS_link, SYS_unlink, SYS_rmdir, SYS_mkdir,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    SYS_renameat2, SYS_openat, SYS_linkat, SYS_unlinkat, SYS_mkdirat, SYS_fallocate,
};
#define MET (sizeof met / sizeof *met)

static void on_signal(int number, siginfo_t *info, void *context) {
    (void)number;
    int error = errno;
    struct call call = {.number = info->si_syscall};
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
#if defined __x86_64__
    static const int places[5] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8};
    for (int i = 0; i < 5; i++) call.arguments[i] = machine->gregs[places[i]];
#elif defined __aarch64__
    for (int i = 0; i < 5; i++) call.arguments[i] = (long)machine->regs[i];
#else
#error "the places of a call's arguments on this machine have to be added"
#endif
    pthread_mutex_lock(&lock);
    long result = on_call(&call);
    pthread_mutex_unlock(&lock);
#if defined __x86_64__
    machine->gregs[REG_RAX] = result;
#else
    machine->regs[0] = (unsigned long)result;
#endif
    errno = error;
}

/* The address ranges of code. */
#define RANGES_MAX 30

/* Adds the steps that pass a call unless it comes from this program's code. */
static size_t pass_others(struct sock_filter *filter) {
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long ranges[RANGES_MAX][2];
    size_t count = 0, at = 0;
    char line[PATH_MAX + 128], access[5];
    while (maps && fgets(line, sizeof line, maps) && count < RANGES_MAX) {
        unsigned long *range = ranges[count];
        if (sscanf(line, "%lx-%lx %4s", &range[0], &range[1], access) != 3 || access[2] != 'x') continue;
        count++;
        unsigned long middle = (range[1] - 1) >> 32 << 32;
        if (range[0] < middle && count < RANGES_MAX) {
            ranges[count][0] = middle;
            ranges[count++][1] = range[1];
            range[1] = middle;
        }
    }
    if (maps) fclose(maps);
    for (size_t i = 0; i < count; i++) {
        unsigned char to_end = (unsigned char)(5 * (count - i) - 4);
        size_t low = offsetof(struct seccomp_data, instruction_pointer);
        filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)low + 4);
        filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(ranges[i][0] >> 32), 0, 3);
        filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)low);
        filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)ranges[i][0], 0, 1);
        filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (unsigned)(ranges[i][1] - 1), 0, to_end);
    }
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return at;
}

/* Installs the filter for calls that bypass the C library. */
static void meet_calls(void) {
    struct sock_filter filter[5 * RANGES_MAX + 1 + MET + 6];
    size_t at = pass_others(filter);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < MET; i++) {
        unsigned char to_mark = (unsigned char)(MET - i);
        filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)met[i], to_mark, 0);
    }
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5]));
    filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MARK, 0, 1);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sock_fprog program = {.len = (unsigned short)at, .filter = filter};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (sigaction(SIGSYS, &action, NULL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("shim: the kernel sends no calls");
        _exit(70);
    }
}

__attribute__((constructor)) static void start(void) {
    real_read = dlsym(RTLD_NEXT, "read");
    real_write = dlsym(RTLD_NEXT, "write");
    real_writev = dlsym(RTLD_NEXT, "writev");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_pwritev = dlsym(RTLD_NEXT, "pwritev64");
    real_pread = dlsym(RTLD_NEXT, "pread64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_close = dlsym(RTLD_NEXT, "close");
    folder = getenv("SHIM_FOLDER");
    count_file = getenv("SHIM_COUNT");
    const char *at = getenv("SHIM_FAIL_AT"), *as = getenv("SHIM_FAIL_AS"), *path = getenv("SHIM_TRACE");
    is_armed = !getenv("SHIM_ARM");
    fail_at = at ? atol(at) : 0;
    is_short = as && strcmp(as, "short") == 0;
    is_kill = as && strcmp(as, "kill") == 0;
    fail_as = as && strcmp(as, "enospc") == 0 ? ENOSPC : EIO;
    if (path) trace = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    /* Child programs are not traced. */
    unsetenv("LD_PRELOAD");
    if (folder) meet_calls();
}

__attribute__((destructor)) static void end(void) {
    if (!count_file) return;
    FILE *file = fopen(count_file, "w");
    if (file) {
        fwrite(counted, 1, (size_t)(calls < COUNTED_MAX ? calls : COUNTED_MAX), file);
        fclose(file);
    }
}
