/// Loads shared libraries when their functions are first needed instead of at launch.
///
/// FFmpeg's libraries and libsndfile in turn need about 130 other libraries. Loading all of them takes 30 ms and 30 MB,
/// which is most of the cost of a search or server that never decodes.
#ifndef CLOADING_H
#define CLOADING_H

/// A function of a library, and the place to store its address.
typedef struct CLoadingFunction {
  const char *name;
  void **address;
} CLoadingFunction;

/// Loads a library and looks up functions in it; the list ends with a NULL name. If anything cannot be found, the
/// program reports it and exits with status 127, as if it were linked with the library.
/// - Parameter package: The Debian package that contains the library.
void cloading_load(const char *library, const char *package, const CLoadingFunction *functions);

/// Drops the code and constants of all loaded libraries from this process's memory. The system maps a page again when
/// it is next accessed, but without a debugger's breakpoints. To resolve symbols, the loader reads parts of each
/// library that are never needed again: 25 MB for FFmpeg's libraries.
void cloading_release_pages(void);

#endif
