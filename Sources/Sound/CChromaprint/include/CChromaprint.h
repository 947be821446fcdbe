/// Loads libchromaprint, which depends on libavcodec, on first use (`CLoading`).
#ifndef CCHROMAPRINT_H
#define CCHROMAPRINT_H

#include <chromaprint.h>

#define CCHROMAPRINT_FUNCTIONS(of)                                                                                     \
  of(chromaprint_clear_fingerprint) of(chromaprint_dealloc) of(chromaprint_decode_fingerprint) of(chromaprint_feed)      \
  of(chromaprint_finish) of(chromaprint_free) of(chromaprint_get_delay) of(chromaprint_get_delay_ms)                     \
  of(chromaprint_get_fingerprint) of(chromaprint_get_raw_fingerprint) of(chromaprint_get_raw_fingerprint_size)           \
  of(chromaprint_get_version) of(chromaprint_new) of(chromaprint_start)

/// Functions of libchromaprint by name.
typedef struct CChromaprintFunctions {
#define CCHROMAPRINT_MEMBER(name) __typeof__(name) *_Nonnull name;
  CCHROMAPRINT_FUNCTIONS(CCHROMAPRINT_MEMBER)
#undef CCHROMAPRINT_MEMBER
} CChromaprintFunctions;

/// Returns the functions, loading the library on the first call.
const CChromaprintFunctions *_Nonnull cchromaprint(void);

#endif
