// Needed for dl_iterate_phdr.
#define _GNU_SOURCE
#include "CLoading.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void fail(const char *package) {
  const char *reason = dlerror();
  fprintf(stderr, "nocturne: error while loading shared libraries: %s. ", reason);
  if (strstr(reason, "No such file") != NULL)
    fprintf(stderr, "Install the Debian package %s, or the package that provides this library on your system.\n", package);
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

/// True if the loader has modified the code of this library, so that memory differs from the file.
static bool isRelocatedInPlace(const struct dl_phdr_info *object) {
  for (int k = 0; k < object->dlpi_phnum; k++) {
    if (object->dlpi_phdr[k].p_type != PT_DYNAMIC) continue;
    const ElfW(Dyn) *entry = (const void *)(object->dlpi_addr + object->dlpi_phdr[k].p_vaddr);
    for (; entry->d_tag != DT_NULL; entry++)
      if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL)) return true;
  }
  return false;
}

static int releasePages(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size, (void)context;
  if (isRelocatedInPlace(object)) return 0;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int k = 0; k < object->dlpi_phnum; k++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[k];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    const uintptr_t start = object->dlpi_addr + segment->p_vaddr, offset = start % page;
    madvise((void *)(start - offset), segment->p_memsz + offset, MADV_DONTNEED);
  }
  return 0;
}

void cloading_release_pages(void) { dl_iterate_phdr(releasePages, NULL); }
