// The files of Sources/Server/App/Pages, compiled in: a bundle is not found once the executable is moved.
#ifndef NOCTURNE_CAPPRESOURCES_H
#define NOCTURNE_CAPPRESOURCES_H

#include <stddef.h>

/// Bytes that are there for as long as the process.
typedef struct {
  /// As in the address of the file, such as `app.css`.
  const char *name;
  const void *bytes;
  size_t count;
} cappresources_file;

/// How many files there are.
size_t cappresources_count(void);
/// One of them, by a number below their count.
cappresources_file cappresources_at(size_t index);

#endif
