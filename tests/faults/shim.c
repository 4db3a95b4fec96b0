/* Stands between a program and the system's calls on the files of one folder, loaded with LD_PRELOAD.
 *
 * SHIM_FOLDER   the folder; calls on files elsewhere pass
 * SHIM_ARM      with any value, calls count only from the first line that the program prints
 * SHIM_FAIL_AT  the number of the call that fails, from 1; none without it
 * SHIM_FAIL_AS  eio, enospc, or short (half is written; a call that writes nothing fails with EIO)
 * SHIM_COUNT    a file that gets the number of calls at the end of the program
 * SHIM_TRACE    a file that gets what reaches data.mdb, in order, and what the program prints:
 *               a letter (w write, d write through to the disk, s flush, p print), offset and length
 *               as 8 bytes each in the machine's order, then the bytes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static long fail_at, calls;
static int fail_as, is_short, is_armed, trace = -1;
static const char *count_file;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_fallocate)(int, int, off_t, off_t);

__attribute__((constructor)) static void start(void) {
    real_write = dlsym(RTLD_NEXT, "write");
    real_writev = dlsym(RTLD_NEXT, "writev");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_pwritev = dlsym(RTLD_NEXT, "pwritev64");
    real_pread = dlsym(RTLD_NEXT, "pread64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_fallocate = dlsym(RTLD_NEXT, "fallocate64");
    folder = getenv("SHIM_FOLDER");
    count_file = getenv("SHIM_COUNT");
    const char *at = getenv("SHIM_FAIL_AT"), *as = getenv("SHIM_FAIL_AS"), *path = getenv("SHIM_TRACE");
    is_armed = !getenv("SHIM_ARM");
    fail_at = at ? atol(at) : 0;
    is_short = as && strcmp(as, "short") == 0;
    fail_as = as && strcmp(as, "enospc") == 0 ? ENOSPC : EIO;
    if (path) trace = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    /* Programs that this one starts are not of interest. */
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void) {
    if (!count_file) return;
    FILE *file = fopen(count_file, "w");
    if (file) {
        fprintf(file, "%ld\n", calls);
        fclose(file);
    }
}

/* Whether the descriptor is a file of the folder; *data tells whether it is data.mdb. */
static int watched(int fd, int *data) {
    char link[64], path[PATH_MAX];
    *data = 0;
    if (!folder) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    if (strncmp(path, folder, strlen(folder)) != 0) return 0;
    *data = length > 9 && strcmp(path + length - 9, "/data.mdb") == 0;
    return 1;
}

static void note(char kind, off_t offset, const struct iovec *parts, int count) {
    if (trace < 0) return;
    uint64_t head[2] = {(uint64_t)offset, 0};
    for (int i = 0; i < count; i++) head[1] += parts[i].iov_len;
    real_write(trace, &kind, 1);
    real_write(trace, head, sizeof head);
    for (int i = 0; i < count; i++) real_write(trace, parts[i].iov_base, parts[i].iov_len);
}

/* Whether this call is the one that fails. */
static int fails(void) { return is_armed && ++calls == fail_at; }

static char kind_of(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_DSYNC) ? 'd' : 'w';
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) {
    int data;
    if (!watched(fd, &data)) return real_pwritev(fd, parts, count, offset);
    pthread_mutex_lock(&lock);
    ssize_t written;
    if (fails()) {
        written = is_short && count > 0 ? real_pwrite(fd, parts[0].iov_base, parts[0].iov_len / 2, offset) : -1;
        errno = fail_as;
    } else {
        written = real_pwritev(fd, parts, count, offset);
        if (data && written >= 0) note(kind_of(fd), offset, parts, count);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) { return pwritev64(fd, parts, count, offset); }

/* LMDB seeks and then writes several pages at once. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
    int data;
    if (!watched(fd, &data)) return real_writev(fd, parts, count);
    pthread_mutex_lock(&lock);
    ssize_t written;
    if (fails()) {
        written = is_short && count > 0 ? real_write(fd, parts[0].iov_base, parts[0].iov_len / 2) : -1;
        errno = fail_as;
    } else {
        off_t offset = data ? lseek(fd, 0, SEEK_CUR) : 0;
        written = real_writev(fd, parts, count);
        if (data && written >= 0) note(kind_of(fd), offset, parts, count);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
    int data;
    if (!watched(fd, &data)) return real_pwrite(fd, bytes, length, offset);
    pthread_mutex_lock(&lock);
    ssize_t written;
    if (fails()) {
        written = is_short && length > 1 ? real_pwrite(fd, bytes, length / 2, offset) : -1;
        errno = fail_as;
    } else {
        struct iovec part = {(void *)bytes, length};
        written = real_pwrite(fd, bytes, length, offset);
        if (data && written >= 0) note(kind_of(fd), offset, &part, 1);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t write(int fd, const void *bytes, size_t length) {
    int data;
    if (fd == STDOUT_FILENO) {
        struct iovec part = {(void *)bytes, length};
        pthread_mutex_lock(&lock);
        is_armed = 1;
        ssize_t written = real_write(fd, bytes, length);
        note('p', 0, &part, 1);
        pthread_mutex_unlock(&lock);
        return written;
    }
    if (!watched(fd, &data)) return real_write(fd, bytes, length);
    pthread_mutex_lock(&lock);
    int failing = fails();
    pthread_mutex_unlock(&lock);
    if (!failing) return real_write(fd, bytes, length);
    ssize_t written = is_short && length > 1 ? real_write(fd, bytes, length / 2) : -1;
    errno = fail_as;
    return written;
}

static int flush(int fd, int (*real)(int)) {
    int data;
    if (!watched(fd, &data)) return real(fd);
    pthread_mutex_lock(&lock);
    int result = -1;
    if (fails()) {
        errno = fail_as;
    } else {
        result = real(fd);
        if (data && result == 0) note('s', 0, NULL, 0);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}
int fsync(int fd) { return flush(fd, real_fsync); }
int fdatasync(int fd) { return flush(fd, real_fdatasync); }

static int is_failing(int fd) {
    int data;
    if (!watched(fd, &data)) return 0;
    pthread_mutex_lock(&lock);
    int failing = fails();
    pthread_mutex_unlock(&lock);
    return failing;
}

ssize_t pread64(int fd, void *bytes, size_t length, off_t offset) {
    if (!is_failing(fd)) return real_pread(fd, bytes, length, offset);
    errno = EIO;
    return -1;
}
ssize_t pread(int fd, void *bytes, size_t length, off_t offset) { return pread64(fd, bytes, length, offset); }

int ftruncate64(int fd, off_t length) {
    if (!is_failing(fd)) return real_ftruncate(fd, length);
    errno = fail_as;
    return -1;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int fallocate64(int fd, int mode, off_t offset, off_t length) {
    if (!is_failing(fd)) return real_fallocate(fd, mode, offset, length);
    errno = fail_as;
    return -1;
}
int fallocate(int fd, int mode, off_t offset, off_t length) { return fallocate64(fd, mode, offset, length); }
