#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

int cspawn_copy_attributes(int from, int to) {
  /* Maximum size of the list, and of a value, in Linux. */
  enum { limit = 1 << 16 };
  char *names = malloc(2 * limit);
  if (names == NULL) return ENOMEM;
  char *value = names + limit;
  int problem = 0;
  ssize_t size = flistxattr(from, names, limit);
  if (size < 0 && errno != ENOTSUP) problem = errno;
  for (char *name = names; problem == 0 && name < names + size; name += strlen(name) + 1) {
    ssize_t length = fgetxattr(from, name, value, limit);
    if (length >= 0 && fsetxattr(to, name, value, (size_t)length, 0) == 0) continue;
    if (strncmp(name, "security.", 9) != 0) problem = errno;
  }
  free(names);
  return problem;
}
