/* Faults of a disk and of a clock, loaded with LD_PRELOAD; `tests/siege/faults.py` compiles it.
 *
 * Only operations on files in one folder count: write, truncate, sync, rename, open for writing. A
 * fault begins at a given operation. FAIL: this and the next operations return an error. TORN: the
 * first of them writes half of its bytes before. POWER: what was not synced is lost, in part or as a
 * whole, renames whose folder was not synced are undone, and the process ends.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { OFF, FAIL, TORN, POWER };
enum { MOST = 256 };

static struct {
    char path[PATH_MAX];
    off_t synced;
} unsynced[MOST];
static struct {
    char from[PATH_MAX], to[PATH_MAX], old[PATH_MAX];
} renamed[MOST];
static int n_unsynced, n_renamed, mode, error;
static long done, first, last;
static char folder[PATH_MAX];
static long long offset; /* of the clock, in seconds */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void siege_arm(const char *where, int what, int number, long begin, long many) {
    pthread_mutex_lock(&lock);
    snprintf(folder, sizeof folder, "%s", where);
    mode = what, error = number, first = begin, last = begin + many, done = 0;
    n_unsynced = n_renamed = 0;
    pthread_mutex_unlock(&lock);
}

long siege_count(void) { return done; }

void siege_clock(long long seconds) { offset = seconds; }

static int is_inside(const char *path) {
    size_t n = strlen(folder), m = strlen(path);
    /* SQLite does not sync its index of the log, which it rebuilds. */
    return n && !strncmp(path, folder, n) && !(m > 4 && !strcmp(path + m - 4, "-shm"));
}

static int path_of(int file, char *path) {
    if (!folder[0]) return 0;
    char link[64];
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    errno = before;
    if (n < 0) return 0;
    path[n] = 0;
    return is_inside(path);
}

static void undo_renames(void) {
    while (n_renamed--) {
        REAL(rename)(renamed[n_renamed].to, renamed[n_renamed].from);
        if (renamed[n_renamed].old[0]) REAL(rename)(renamed[n_renamed].old, renamed[n_renamed].to);
    }
}

static void lose_power(void) {
    struct stat now;
    for (int i = 0; i < n_unsynced; i++)
        if (!stat(unsynced[i].path, &now) && now.st_size > unsynced[i].synced) {
            off_t more = now.st_size - unsynced[i].synced;
            if (truncate(unsynced[i].path, unsynced[i].synced + (done % 2 ? more / 2 : 0))) break;
        }
    if (done % 3) undo_renames();
    kill(getpid(), SIGKILL);
    pause();
}

/* Count an operation; return 0, 1 if it fails, 2 if it is torn. */
static int fault(void) {
    long now = done++;
    if (mode == OFF || now < first) return 0;
    if (mode == POWER) lose_power();
    if (now >= last) return 0;
    errno = error;
    return mode == TORN && now == first ? 2 : 1;
}

static void note_write(int file, const char *path) {
    struct stat now;
    for (int i = 0; i < n_unsynced; i++)
        if (!strcmp(unsynced[i].path, path)) return;
    if (n_unsynced < MOST && !fstat(file, &now)) {
        strcpy(unsynced[n_unsynced].path, path);
        unsynced[n_unsynced++].synced = now.st_size;
    }
}

static ssize_t written(int file, const void *bytes, size_t n, off_t at, int has_place) {
    char path[PATH_MAX];
    __typeof__(&write) plain = REAL(write);
    __typeof__(&pwrite64) placed = REAL(pwrite64);
    if (!path_of(file, path)) return has_place ? placed(file, bytes, n, at) : plain(file, bytes, n);
    pthread_mutex_lock(&lock);
    int found = fault();
    ssize_t result = -1;
    if (found != 1) {
        note_write(file, path);
        size_t size = found == 2 ? (n + 1) / 2 : n;
        result = has_place ? placed(file, bytes, size, at) : plain(file, bytes, size);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

ssize_t write(int file, const void *bytes, size_t n) { return written(file, bytes, n, 0, 0); }
ssize_t pwrite64(int file, const void *bytes, size_t n, off64_t at) {
    return written(file, bytes, n, at, 1);
}
ssize_t pwrite(int file, const void *bytes, size_t n, off_t at) {
    return written(file, bytes, n, at, 1);
}

static int synced(int file, int (*plain)(int)) {
    char path[PATH_MAX];
    struct stat now;
    if (!path_of(file, path)) return plain(file);
    pthread_mutex_lock(&lock);
    int result = fault() ? -1 : plain(file);
    if (!result && !fstat(file, &now) && S_ISDIR(now.st_mode)) {
        while (n_renamed)
            if (renamed[--n_renamed].old[0]) unlink(renamed[n_renamed].old);
    } else if (!result)
        for (int i = 0; i < n_unsynced; i++)
            if (!strcmp(unsynced[i].path, path)) unsynced[i--] = unsynced[--n_unsynced];
    pthread_mutex_unlock(&lock);
    return result;
}

int fsync(int file) { return synced(file, REAL(fsync)); }
int fdatasync(int file) { return synced(file, REAL(fdatasync)); }

static int shortened(int file, off_t size, int (*plain)(int, off_t)) {
    char path[PATH_MAX];
    if (!path_of(file, path)) return plain(file, size);
    pthread_mutex_lock(&lock);
    int result = fault() ? -1 : plain(file, size);
    for (int i = 0; !result && i < n_unsynced; i++)
        if (!strcmp(unsynced[i].path, path) && size < unsynced[i].synced) unsynced[i].synced = size;
    pthread_mutex_unlock(&lock);
    return result;
}

int ftruncate(int file, off_t size) { return shortened(file, size, REAL(ftruncate)); }
int ftruncate64(int file, off64_t size) { return shortened(file, size, REAL(ftruncate64)); }

int rename(const char *from, const char *to) {
    __typeof__(&rename) plain = REAL(rename);
    if (!is_inside(to)) return plain(from, to);
    pthread_mutex_lock(&lock);
    int result = fault() ? -1 : 0;
    if (!result) {
        char old[PATH_MAX] = "";
        if (mode == POWER && n_renamed < MOST && !access(to, F_OK) &&
            snprintf(old, sizeof old, "%s.%ld.before", to, done) > 0 && link(to, old))
            old[0] = 0;
        result = plain(from, to);
        for (int i = 0; !result && i < n_unsynced; i++)
            if (!strcmp(unsynced[i].path, from)) strcpy(unsynced[i].path, to);
        if (!result && mode == POWER && n_renamed < MOST) {
            strcpy(renamed[n_renamed].from, from);
            strcpy(renamed[n_renamed].to, to);
            strcpy(renamed[n_renamed++].old, old);
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static int opened(int where, const char *path, int flags, mode_t permissions) {
    __typeof__(&openat64) plain = REAL(openat64);
    if (!(flags & (O_WRONLY | O_RDWR | O_CREAT)) || !is_inside(path))
        return plain(where, path, flags, permissions);
    pthread_mutex_lock(&lock);
    int result = fault() ? -1 : plain(where, path, flags, permissions);
    pthread_mutex_unlock(&lock);
    return result;
}

#define OPEN(name, declared, where)                       \
    int name declared {                                   \
        va_list more;                                     \
        va_start(more, flags);                            \
        mode_t permissions = va_arg(more, int);           \
        va_end(more);                                     \
        return opened(where, path, flags, permissions);   \
    }
OPEN(open, (const char *path, int flags, ...), AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD)
OPEN(openat, (int where, const char *path, int flags, ...), where)
OPEN(openat64, (int where, const char *path, int flags, ...), where)

int clock_gettime(clockid_t which, struct timespec *when) {
    int result = REAL(clock_gettime)(which, when);
    if (which == CLOCK_REALTIME) when->tv_sec += offset;
    return result;
}

time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict when, void *restrict zone) {
    int result = REAL(gettimeofday)(when, zone);
    when->tv_sec += offset;
    return result;
}
