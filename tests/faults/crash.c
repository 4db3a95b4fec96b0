/* Loaded into the program (LD_PRELOAD): the process that walks a file dies as one does whose memory a file has damaged. */

#include <signal.h>
#include <string.h>

__attribute__((constructor)) static void crash(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "walk") == 0) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
}
