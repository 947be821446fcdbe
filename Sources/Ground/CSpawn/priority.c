#define _GNU_SOURCE
#include "CSpawn.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ioprio_set(2): 1 means one thread; the class is in the upper three of sixteen bits. glibc has no names for these. */
enum { one_thread = 1, best_effort_lowest = 2 << 13 | 7, idle = 3 << 13 };

/* Returns 1 if anything changed. */
static int lower_thread(id_t thread, int nice_value, int idle_disk) {
  int changed = 0;
  errno = 0;
  int niceness = getpriority(PRIO_PROCESS, thread);
  if (errno == 0 && niceness < nice_value) changed |= setpriority(PRIO_PROCESS, thread, nice_value) == 0;
  if (idle_disk && syscall(SYS_ioprio_get, one_thread, (int)thread) >> 13 != idle >> 13) {
    int set = syscall(SYS_ioprio_set, one_thread, (int)thread, idle) == 0;
    /* Fallback for systems where the idle class needs privileges. */
    if (!set) syscall(SYS_ioprio_set, one_thread, (int)thread, best_effort_lowest);
    changed |= set;
  }
  return changed;
}

void cspawn_lower_priority(int nice_value, int idle_disk) {
  errno = 0;
  int inherited = getpriority(PRIO_PROCESS, (id_t)getpid());
  if (errno == 0 && inherited > nice_value) nice_value = inherited;
  /* On Linux, each thread has its own niceness and disk class, which new threads inherit. The next round finds threads
     started in the meantime. */
  for (int changed = 1, round = 0; changed && round < 8; round++) {
    changed = 0;
    DIR *threads = opendir("/proc/self/task");
    if (!threads) {
      lower_thread(0, nice_value, idle_disk);
      return;
    }
    for (struct dirent *entry; (entry = readdir(threads));) {
      int thread = atoi(entry->d_name);
      if (thread > 0) changed |= lower_thread((id_t)thread, nice_value, idle_disk);
    }
    closedir(threads);
  }
}

void cspawn_share_priority(void) {
  errno = 0;
  int niceness = getpriority(PRIO_PROCESS, (id_t)getpid());
  if (errno != 0) return;
  int disk = (int)syscall(SYS_ioprio_get, one_thread, (int)getpid());
  lower_thread(0, niceness, disk >> 13 == idle >> 13 || disk == best_effort_lowest);
}

void cspawn_lower_thread_priority(int nice_value) { lower_thread(0, nice_value, 0); }
