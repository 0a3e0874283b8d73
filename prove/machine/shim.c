/*
 * Preloaded into the service to make its disk slow, failing or hung, and its clock wrong. Controlled by a file that the
 * proof writes and this library maps; PROVE_SHIM names it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct control {
  volatile int64_t wall_ms;       /* added to the wall clock */
  volatile int64_t asleep_ms;     /* added to the time since boot: a machine that was suspended */
  volatile int64_t steady_ms;     /* added to the clock that stands still while a machine is suspended */
  volatile int64_t sync_delay_ms; /* before each fsync */
  volatile int64_t sync_errno;    /* each fsync fails with this, without having synced */
  volatile int64_t sync_hangs;    /* no fsync returns while this is not 0 */
};

static struct control none;
static struct control *control = &none;

__attribute__((constructor)) static void map_control(void) {
  const char *path = getenv("PROVE_SHIM");
  if (path == NULL) return;
  int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof *control, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED) control = mapped;
}

static void pause_ms(int64_t ms) {
  struct timespec left = {ms / 1000, (ms % 1000) * 1000000};
  nanosleep(&left, NULL);
}

static int sync_by(long number, int fd) {
  while (control->sync_hangs) pause_ms(5);
  if (control->sync_delay_ms > 0) pause_ms(control->sync_delay_ms);
  if (control->sync_errno != 0) {
    errno = (int)control->sync_errno;
    return -1;
  }
  return (int)syscall(number, fd);
}

int fsync(int fd) { return sync_by(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_by(SYS_fdatasync, fd); }

static void add_ms(struct timespec *at, int64_t ms) {
  at->tv_sec += ms / 1000;
  at->tv_nsec += (ms % 1000) * 1000000;
  if (at->tv_nsec >= 1000000000) {
    at->tv_nsec -= 1000000000;
    at->tv_sec += 1;
  } else if (at->tv_nsec < 0) {
    at->tv_nsec += 1000000000;
    at->tv_sec -= 1;
  }
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, at);
  if (result != 0) return result;
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI) add_ms(at, control->wall_ms);
  if (clock == CLOCK_BOOTTIME) add_ms(at, control->asleep_ms);
  if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE) add_ms(at, control->steady_ms);
  return 0;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at != NULL) *at = now.tv_sec;
  return now.tv_sec;
}

/* /proc/uptime, from which Node takes the time since boot. */
static int open_uptime(void) {
  struct timespec now;
  char text[64];
  clock_gettime(CLOCK_BOOTTIME, &now);
  int length = snprintf(text, sizeof text, "%lld.%02ld 0.00\n", (long long)now.tv_sec, now.tv_nsec / 10000000);
  int fd = (int)syscall(SYS_memfd_create, "uptime", 1u /* MFD_CLOEXEC */);
  if (fd >= 0 && write(fd, text, (size_t)length) == length) lseek(fd, 0, SEEK_SET);
  return fd;
}

static int open_by(const char *path, int flags, mode_t mode) {
  if (strcmp(path, "/proc/uptime") == 0) return open_uptime();
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_by(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_by(path, flags | O_LARGEFILE, mode);
}
