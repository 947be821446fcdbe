#include "CLoading.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static void fail(const char *package) {
  fprintf(stderr, "nocturne: %s. Install Debian's package %s, or what has this library on your system.\n", dlerror(), package);
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
