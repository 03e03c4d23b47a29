/* Faults for a process and its children, injected between it and the C library (LD_PRELOAD).
 *
 * Every call that changes a file is counted in a page that all processes share, so "the 7th change" means the same
 * in each run. What happens then is said in HOOKWRIGHT_FAULT, as KIND or KIND@N:
 *
 *   count        nothing; only the counter moves
 *   kill@N       the N-th change is not done, and its process dies of SIGKILL
 *   torn@N       as kill, but a write is half done first, and any other change wholly
 *   errno=E@N    from the N-th change on each fails with E: a full disk, a disk that went read-only
 *   once=E@N     only the N-th fails with E: an interruption
 *   slow         each change takes 20 ms longer
 *   clock        the wall clock jumps a day ahead and back with every look at it
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { NOTHING, KILL, TORN, ERRNO, ONCE, SLOW, CLOCK };

static enum kind kind = NOTHING;
static int error_number, at;
static volatile int *changes, *looks;

#define REAL(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
    const char *fault = getenv("HOOKWRIGHT_FAULT"), *page = getenv("HOOKWRIGHT_FAULT_PAGE");
    if (!fault || !page) return;
    int fd = REAL(open)(page, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (shared == MAP_FAILED) return;
    changes = shared;
    looks = changes + 1;
    const char *number = strchr(fault, '@'), *equals = strchr(fault, '=');
    at = number ? atoi(number + 1) : 0;
    error_number = equals ? atoi(equals + 1) : 0;
    static const struct { const char *word; enum kind kind; } words[] = {
        {"kill", KILL}, {"torn", TORN}, {"errno", ERRNO}, {"once", ONCE},
        {"slow", SLOW}, {"clock", CLOCK},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(fault, words[i].word, strlen(words[i].word))) kind = words[i].kind;
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Counts a change. 1: it must fail, errno is set. 2: it is the last thing this process does. */
static int fate(void) {
    if (!changes) return 0;
    int now = __sync_add_and_fetch(changes, 1);
    if (kind == SLOW) {
        struct timespec nap = {0, 20 * 1000 * 1000};
        nanosleep(&nap, NULL);
    }
    if (kind == KILL && now == at) die();
    if (kind == TORN && now == at) return 2;
    if ((kind == ERRNO && now >= at) || (kind == ONCE && now == at)) {
        errno = error_number;
        return 1;
    }
    return 0;
}

#define CHANGE(call)                    \
    do {                                \
        int its_fate = fate();          \
        if (its_fate == 1) return -1;   \
        __auto_type done = (call);      \
        if (its_fate == 2) die();       \
        return done;                    \
    } while (0)

/* A pipe or a socket is never full in the way a disk is. */
static int is_on_disk(int fd) {
    struct stat about;
    return fstat(fd, &about) || S_ISREG(about.st_mode);
}

ssize_t write(int fd, const void *data, size_t size) {
    if (kind == ERRNO && !is_on_disk(fd)) return REAL(write)(fd, data, size);
    int its_fate = fate();
    if (its_fate == 1) return -1;
    if (its_fate == 2) {
        REAL(write)(fd, data, size / 2);
        die();
    }
    return REAL(write)(fd, data, size);
}

static int opening(int flags) { return flags & (O_CREAT | O_TRUNC) ? fate() : 0; }

#define OPENER(name, ...)                                   \
    {                                                               \
        va_list rest;                                               \
        va_start(rest, flags);                                      \
        int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0; \
        va_end(rest);                                               \
        int its_fate = opening(flags);                              \
        if (its_fate == 1) return -1;                               \
        int fd = REAL(name)(__VA_ARGS__, flags, mode);              \
        if (its_fate == 2) die();                                   \
        return fd;                                                  \
    }

int open(const char *path, int flags, ...) OPENER(open, path)
int open64(const char *path, int flags, ...) OPENER(open64, path)
int openat(int folder, const char *path, int flags, ...) OPENER(openat, folder, path)
int openat64(int folder, const char *path, int flags, ...) OPENER(openat64, folder, path)

ssize_t writev(int fd, const struct iovec *parts, int count) { CHANGE(REAL(writev)(fd, parts, count)); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t to) { CHANGE(REAL(pwrite64)(fd, data, size, to)); }
int rename(const char *from, const char *to) { CHANGE(REAL(rename)(from, to)); }
int renameat(int a, const char *from, int b, const char *to) { CHANGE(REAL(renameat)(a, from, b, to)); }
int link(const char *from, const char *to) { CHANGE(REAL(link)(from, to)); }
int symlink(const char *target, const char *path) { CHANGE(REAL(symlink)(target, path)); }
int unlink(const char *path) { CHANGE(REAL(unlink)(path)); }
int unlinkat(int folder, const char *path, int flags) { CHANGE(REAL(unlinkat)(folder, path, flags)); }
int rmdir(const char *path) { CHANGE(REAL(rmdir)(path)); }
int mkdir(const char *path, mode_t mode) { CHANGE(REAL(mkdir)(path, mode)); }
int mkdirat(int folder, const char *path, mode_t mode) { CHANGE(REAL(mkdirat)(folder, path, mode)); }
int ftruncate64(int fd, off64_t size) { CHANGE(REAL(ftruncate64)(fd, size)); }
int fchmod(int fd, mode_t mode) { CHANGE(REAL(fchmod)(fd, mode)); }
int chmod(const char *path, mode_t mode) { CHANGE(REAL(chmod)(path, mode)); }
int fsync(int fd) { CHANGE(REAL(fsync)(fd)); }

int clock_gettime(clockid_t which, struct timespec *now) {
    int done = REAL(clock_gettime)(which, now);
    if (kind == CLOCK && which == CLOCK_REALTIME && looks)
        now->tv_sec += __sync_add_and_fetch(looks, 1) % 2 ? 86400 : -86400;
    return done;
}
