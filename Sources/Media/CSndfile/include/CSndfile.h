/// libsndfile, loaded on first use (`CLoading`) because it depends on eight codec libraries.
#ifndef CSNDFILE_H
#define CSNDFILE_H

#include <sndfile.h>

#define CSNDFILE_FUNCTIONS(of)                                                                                         \
  of(sf_close) of(sf_command) of(sf_error) of(sf_error_number) of(sf_format_check) of(sf_open) of(sf_open_virtual)      \
  of(sf_readf_float) of(sf_set_string) of(sf_version_string) of(sf_writef_float) of(sf_writef_int)

/// The functions of libsndfile.
typedef struct CSndfileFunctions {
#define CSNDFILE_MEMBER(name) __typeof__(name) *_Nonnull name;
  CSNDFILE_FUNCTIONS(CSNDFILE_MEMBER)
#undef CSNDFILE_MEMBER
} CSndfileFunctions;

/// Returns the functions, and loads the library on the first call.
const CSndfileFunctions *_Nonnull csndfile(void);

#endif
