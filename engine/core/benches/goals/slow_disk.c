/* A disk that takes its time, loaded with LD_PRELOAD: each flush waits SLOW_FLUSH_MICROS longer. LMDB flushes
 * twice for a commit: the pages, and the header through a descriptor that writes through. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static void wait_for_the_disk(void) {
    const char *micros = getenv("SLOW_FLUSH_MICROS");
    if (micros) usleep((useconds_t)atoi(micros));
}

int fdatasync(int file) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_for_the_disk();
    return real(file);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
    ssize_t (*real)(int, const void *, size_t, off_t) =
        (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    int flags = fcntl(file, F_GETFL);
    if (flags >= 0 && (flags & O_DSYNC)) wait_for_the_disk();
    return real(file, bytes, length, offset);
}
