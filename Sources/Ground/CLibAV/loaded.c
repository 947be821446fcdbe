#include "loaded.h"

#include "CLibAV.h"

#include <CLoading.h>
#include <libavutil/macros.h>
#include <pthread.h>
#include <stddef.h>

static LAVUtilFunctions utilFunctions;
static LAVFunctions functions;

#define LAV_NAME(library, version) library ".so." AV_STRINGIFY(version), library AV_STRINGIFY(version)

static void loadUtil(void) {
#define LAV_ENTRY(name) {#name, (void **)&utilFunctions.name},
  const CLoadingFunction util[] = {LAV_UTIL_FUNCTIONS(LAV_ENTRY){NULL, NULL}};
#undef LAV_ENTRY
  cloading_load(LAV_NAME("libavutil", LIBAVUTIL_VERSION_MAJOR), util);
}

static void load(void) {
#define LAV_ENTRY(name) {#name, (void **)&functions.name},
  const CLoadingFunction codec[] = {LAV_CODEC_FUNCTIONS(LAV_ENTRY){NULL, NULL}};
  const CLoadingFunction format[] = {LAV_FORMAT_FUNCTIONS(LAV_ENTRY){NULL, NULL}};
  const CLoadingFunction resample[] = {LAV_RESAMPLE_FUNCTIONS(LAV_ENTRY){NULL, NULL}};
  const CLoadingFunction scale[] = {LAV_SCALE_FUNCTIONS(LAV_ENTRY){NULL, NULL}};
#undef LAV_ENTRY
  cloading_load(LAV_NAME("libavcodec", LIBAVCODEC_VERSION_MAJOR), codec);
  cloading_load(LAV_NAME("libavformat", LIBAVFORMAT_VERSION_MAJOR), format);
  cloading_load(LAV_NAME("libswresample", LIBSWRESAMPLE_VERSION_MAJOR), resample);
  cloading_load(LAV_NAME("libswscale", LIBSWSCALE_VERSION_MAJOR), scale);
}

void lav_load(void) { lavFunctions(); }

const LAVUtilFunctions *lavUtilFunctions(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, loadUtil);
  return &utilFunctions;
}

const LAVFunctions *lavFunctions(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return &functions;
}
