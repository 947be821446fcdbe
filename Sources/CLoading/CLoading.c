#include "CLoading.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *package) {
  const char *reason = dlerror();
  fprintf(stderr, "nocturne: error while loading shared libraries: %s. ", reason);
  if (strstr(reason, "No such file") != NULL)
    fprintf(stderr, "Install Debian's package %s, or what has this library on your system.\n", package);
  else
    fprintf(stderr, "If the memory of this program is limited (ulimit -v), raise the limit.\n");
  _exit(127);
}

void cloading_load(const char *library, const char *package, const CLoadingFunction *functions) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) fail(package);
  for (; functions->name != NULL; functions++) {
    *functions->address = dlsym(handle, functions->name);
    if (*functions->address == NULL) fail(package);
  }
}
