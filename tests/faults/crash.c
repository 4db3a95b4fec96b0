/* Preloaded into the program: kills the process that checks a file, as memory corruption by a malicious file would. */

#include <signal.h>
#include <string.h>

__attribute__((constructor)) static void crash(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "walk") == 0) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
}
