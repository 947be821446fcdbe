/// libsndfile, which needs eight libraries of codecs: loaded when it is first needed (`CLoading`).
#ifndef CSNDFILE_H
#define CSNDFILE_H

#include <sndfile.h>

#define CSNDFILE_FUNCTIONS(of)                                                                                         \
  of(sf_close) of(sf_command) of(sf_error) of(sf_error_number) of(sf_format_check) of(sf_open) of(sf_open_virtual)      \
  of(sf_readf_float) of(sf_set_string) of(sf_version_string) of(sf_writef_float) of(sf_writef_int)

/// Its functions, by their names.
typedef struct CSndfileFunctions {
#define CSNDFILE_MEMBER(name) __typeof__(name) *_Nonnull name;
  CSNDFILE_FUNCTIONS(CSNDFILE_MEMBER)
#undef CSNDFILE_MEMBER
} CSndfileFunctions;

/// Loads the library at the first call.
const CSndfileFunctions *_Nonnull csndfile(void);

#endif
