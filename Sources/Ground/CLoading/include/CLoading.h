/// Shared libraries that are loaded when their functions are first needed, and not when the program starts.
///
/// FFmpeg's libraries and libsndfile need some 130 libraries in turn, which takes 30 ms and 30 MB: most of what a search or
/// a server would take that never decodes.
#ifndef CLOADING_H
#define CLOADING_H

/// A function of a library, and where to put its address.
typedef struct CLoadingFunction {
  const char *name;
  void **address;
} CLoadingFunction;

/// Loads a library and looks up functions; the list ends with a name that is NULL. If one cannot be found, the program says so
/// and ends with status 127, as if it were linked with the library.
/// - Parameter package: Where to find it in Debian.
void cloading_load(const char *library, const char *package, const CLoadingFunction *functions);

/// Takes code and constants of all loaded libraries out of this process's memory. The system maps a page again when it is next
/// touched, without a debugger's breakpoints. To resolve symbols, the loader reads parts of each library that nobody needs later:
/// 25 MB with FFmpeg's.
void cloading_release_pages(void);

#endif
