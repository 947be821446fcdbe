// The files of Sources/Likeness/Resources, compiled in: a bundle is not found once the executable is moved.
#ifndef NOCTURNE_CLIKENESSRESOURCES_H
#define NOCTURNE_CLIKENESSRESOURCES_H

#include <stddef.h>

/// Bytes that are there for as long as the process.
typedef struct {
  const void *bytes;
  size_t count;
} clikenessresources_file;

/// What turns statistics of sound into a descriptor: binary16, little-endian.
clikenessresources_file clikenessresources_projection(void);

#endif
