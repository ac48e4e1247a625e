/* Loaded before the C library: makes one operation on the files below a folder fail, be cut short, or be the last.
 *
 * An operation is named by its kind and its number among its kind since `faults_arm`, so that the same one is met again
 * whatever other threads do. Only operations that change something are counted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* The order of OPERATIONS and FAULTS in shim.py. */
enum operation { OPEN, WRITE, FSYNC, RENAME, LINK, UNLINK, CHMOD, CHOWN, SETXATTR, MKDIR, TRUNCATE, COPY, OPERATIONS };
enum fault { EIO_ONCE, FULL, SHORT, KILLED_BEFORE, KILLED_AFTER, DENIED, READ_ONLY };
enum { GO_ON = 0, DIE_AFTER = -1, HALF = -2 };

static char root[PATH_MAX];
static size_t root_length;
static atomic_long counts[OPERATIONS];
static atomic_int armed, tripped;
static enum operation wanted;
static long ordinal;
static enum fault fault;
static _Atomic char below[4096]; /* which open files lie below the folder */

void faults_arm(const char *folder, int operation, long number, int kind) {
    strncpy(root, folder, sizeof root - 1);
    root_length = strlen(root);
    for (int each = 0; each < OPERATIONS; each++) counts[each] = 0;
    wanted = operation;
    ordinal = number;
    fault = kind;
    tripped = 0;
    armed = 1;
}
void faults_disarm(void) { armed = 0; }
long faults_count(int operation) { return counts[operation]; }
int faults_tripped(void) { return tripped; }

static int is_below(const char *path) {
    return path && !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}
static int is_tracked(int file) { return file >= 0 && file < (int)sizeof below && below[file]; }
static int is_met(int folder, const char *path) { return path && path[0] == '/' ? is_below(path) : is_tracked(folder); }

/* What becomes of an operation: GO_ON, an errno, or one of the others. */
static int becomes(enum operation operation, int takes_room) {
    if (atomic_fetch_add(&counts[operation], 1) + 1 == ordinal && operation == wanted) {
        tripped = 1;
        switch (fault) {
        case EIO_ONCE: return EIO;
        case FULL: return ENOSPC;
        case SHORT: return operation == WRITE || operation == COPY ? HALF : ENOSPC;
        case KILLED_BEFORE: kill(getpid(), SIGKILL); break;
        case KILLED_AFTER: return DIE_AFTER;
        case DENIED: return operation == CHMOD || operation == CHOWN || operation == SETXATTR ? EPERM : EACCES;
        case READ_ONLY: return EROFS;
        }
    }
    if (tripped && (fault == FULL || fault == SHORT) && takes_room) return ENOSPC;
    return tripped && fault == READ_ONLY ? EROFS : GO_ON;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define REACH(name) static __typeof__(&name) real; if (!real) real = REAL(name)
#define FINISH(coming, call) do { \
        if ((coming) > 0 || (coming) == HALF) { errno = (coming) == HALF ? ENOSPC : (coming); return -1; } \
        __typeof__(call) done = (call); \
        if ((coming) == DIE_AFTER) kill(getpid(), SIGKILL); \
        return done; } while (0)

static int opened(int file, int tracked) {
    if (file >= 0 && file < (int)sizeof below) below[file] = tracked;
    return file;
}
#define OPENS(name, folder, call) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); } \
    REACH(name); \
    int tracked = armed && is_met(folder, path), coming = GO_ON; \
    if (tracked && flags & (O_WRONLY | O_RDWR | O_CREAT)) coming = becomes(OPEN, flags & O_CREAT); \
    FINISH(coming, opened(call, tracked))
int open(const char *path, int flags, ...) { OPENS(open, -1, real(path, flags, mode)); }
int open64(const char *path, int flags, ...) { OPENS(open64, -1, real(path, flags, mode)); }
int openat(int folder, const char *path, int flags, ...) { OPENS(openat, folder, real(folder, path, flags, mode)); }
int openat64(int folder, const char *path, int flags, ...) { OPENS(openat64, folder, real(folder, path, flags, mode)); }
int close(int file) { REACH(close); if (file >= 0 && file < (int)sizeof below) below[file] = 0; return real(file); }

#define MOVES(name, operation, file, size, call, half) \
    REACH(name); \
    int coming = armed && is_tracked(file) ? becomes(operation, 1) : GO_ON; \
    if (coming == HALF && (size) > 1) return half; \
    FINISH(coming, call)
ssize_t write(int file, const void *data, size_t size) {
    MOVES(write, WRITE, file, size, real(file, data, size), real(file, data, size / 2));
}
ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
    MOVES(pwrite, WRITE, file, size, real(file, data, size, at), real(file, data, size / 2, at));
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
    MOVES(pwrite64, WRITE, file, size, real(file, data, size, at), real(file, data, size / 2, at));
}
ssize_t sendfile(int to, int from, off_t *at, size_t size);
ssize_t sendfile64(int to, int from, off64_t *at, size_t size);
ssize_t sendfile(int to, int from, off_t *at, size_t size) {
    MOVES(sendfile, COPY, to, size, real(to, from, at, size), real(to, from, at, 100));
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t size) {
    MOVES(sendfile64, COPY, to, size, real(to, from, at, size), real(to, from, at, 100));
}
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *there, size_t size, unsigned flags) {
    MOVES(copy_file_range, COPY, to, size, real(from, at, to, there, size, flags), real(from, at, to, there, 100, flags));
}

#define ACTS(name, operation, met, room, call) \
    REACH(name); \
    int coming = armed && (met) ? becomes(operation, room) : GO_ON; \
    FINISH(coming, call)
int fsync(int file) { ACTS(fsync, FSYNC, is_tracked(file), 0, real(file)); }
int fdatasync(int file) { ACTS(fdatasync, FSYNC, is_tracked(file), 0, real(file)); }
int ftruncate(int file, off_t size) { ACTS(ftruncate, TRUNCATE, is_tracked(file), 0, real(file, size)); }
int ftruncate64(int file, off64_t size) { ACTS(ftruncate64, TRUNCATE, is_tracked(file), 0, real(file, size)); }
int rename(const char *a, const char *b) { ACTS(rename, RENAME, is_below(b), 0, real(a, b)); }
int renameat(int f, const char *a, int t, const char *b) { ACTS(renameat, RENAME, is_met(t, b), 0, real(f, a, t, b)); }
int link(const char *a, const char *b) { ACTS(link, LINK, is_below(b), 1, real(a, b)); }
int linkat(int f, const char *a, int t, const char *b, int flags) {
    ACTS(linkat, LINK, is_met(t, b), 1, real(f, a, t, b, flags));
}
int unlink(const char *path) { ACTS(unlink, UNLINK, is_below(path), 0, real(path)); }
int unlinkat(int f, const char *path, int flags) { ACTS(unlinkat, UNLINK, is_met(f, path), 0, real(f, path, flags)); }
int rmdir(const char *path) { ACTS(rmdir, UNLINK, is_below(path), 0, real(path)); }
int chmod(const char *path, mode_t mode) { ACTS(chmod, CHMOD, is_below(path), 0, real(path, mode)); }
int fchmod(int file, mode_t mode) { ACTS(fchmod, CHMOD, is_tracked(file), 0, real(file, mode)); }
int fchmodat(int f, const char *path, mode_t mode, int flags) {
    ACTS(fchmodat, CHMOD, is_met(f, path), 0, real(f, path, mode, flags));
}
int chown(const char *path, uid_t u, gid_t g) { ACTS(chown, CHOWN, is_below(path), 0, real(path, u, g)); }
int lchown(const char *path, uid_t u, gid_t g) { ACTS(lchown, CHOWN, is_below(path), 0, real(path, u, g)); }
int fchown(int file, uid_t u, gid_t g) { ACTS(fchown, CHOWN, is_tracked(file), 0, real(file, u, g)); }
int setxattr(const char *path, const char *name, const void *value, size_t size, int flags);
int setxattr(const char *path, const char *name, const void *value, size_t size, int flags) {
    ACTS(setxattr, SETXATTR, is_below(path), 1, real(path, name, value, size, flags));
}
int lsetxattr(const char *path, const char *name, const void *value, size_t size, int flags);
int lsetxattr(const char *path, const char *name, const void *value, size_t size, int flags) {
    ACTS(lsetxattr, SETXATTR, is_below(path), 1, real(path, name, value, size, flags));
}
int mkdir(const char *path, mode_t mode) { ACTS(mkdir, MKDIR, is_below(path), 1, real(path, mode)); }
int mkdirat(int f, const char *path, mode_t mode) { ACTS(mkdirat, MKDIR, is_met(f, path), 1, real(f, path, mode)); }
