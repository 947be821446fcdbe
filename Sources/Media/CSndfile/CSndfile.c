#include "CSndfile.h"

#include <CLoading.h>
#include <pthread.h>
#include <stddef.h>

static CSndfileFunctions functions;

static void load(void) {
#define CSNDFILE_ENTRY(name) {#name, (void **)&functions.name},
  const CLoadingFunction names[] = {CSNDFILE_FUNCTIONS(CSNDFILE_ENTRY){NULL, NULL}};
#undef CSNDFILE_ENTRY
  // The header does not contain the ABI version, which has been 1 since 2006.
  cloading_load("libsndfile.so.1", "libsndfile1", names);
}

const CSndfileFunctions *csndfile(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return &functions;
}
