#include "loaded.h"

#include "CLibAV.h"

#include <CLoading.h>
#include <libavutil/macros.h>
#include <pthread.h>
#include <stddef.h>

static LAVFunctions functions;

static void load(void) {
#define LAV_ENTRY(name) {#name, (void **)&functions.name},
  const CLoadingFunction codec[] = {LAV_CODEC_FUNCTIONS(LAV_ENTRY){NULL, NULL}};
  const CLoadingFunction format[] = {LAV_FORMAT_FUNCTIONS(LAV_ENTRY){NULL, NULL}};
#undef LAV_ENTRY
#define LAV_NAME(library, version) library ".so." AV_STRINGIFY(version), library AV_STRINGIFY(version)
  cloading_load(LAV_NAME("libavcodec", LIBAVCODEC_VERSION_MAJOR), codec);
  cloading_load(LAV_NAME("libavformat", LIBAVFORMAT_VERSION_MAJOR), format);
#undef LAV_NAME
}

void lav_load(void) { lavFunctions(); }

const LAVFunctions *lavFunctions(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return &functions;
}
