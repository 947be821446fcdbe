#include "CChromaprint.h"

#include <CLoading.h>
#include <pthread.h>
#include <stddef.h>

static CChromaprintFunctions functions;

static void load(void) {
#define CCHROMAPRINT_ENTRY(name) {#name, (void **)&functions.name},
  const CLoadingFunction names[] = {CCHROMAPRINT_FUNCTIONS(CCHROMAPRINT_ENTRY){NULL, NULL}};
#undef CCHROMAPRINT_ENTRY
  // The header lacks the ABI version, which has been 1 since 2010.
  cloading_load("libchromaprint.so.1", "libchromaprint1", names);
}

const CChromaprintFunctions *cchromaprint(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return &functions;
}
