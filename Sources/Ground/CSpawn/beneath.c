#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

const int cspawn_path_only = O_PATH;

int cspawn_open_beneath(int folder, const char *path, int flags, int follows_links, int *opened) {
  /* Retries, because a concurrent rename causes EAGAIN. */
  enum { attempts = 32 };
  struct open_how how = {
      .flags = (unsigned)flags,
      .resolve = RESOLVE_BENEATH | (follows_links ? RESOLVE_NO_MAGICLINKS : RESOLVE_NO_SYMLINKS)};
  for (int attempt = 1;; attempt++) {
    long descriptor = syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (descriptor >= 0) {
      *opened = (int)descriptor;
      return 0;
    }
    if (errno != EINTR && !(errno == EAGAIN && attempt < attempts)) return errno;
  }
}
