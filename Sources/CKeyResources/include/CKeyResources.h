// The files of Sources/Key/Resources, compiled in: a bundle is not found once the executable is moved.
#ifndef NOCTURNE_CKEYRESOURCES_H
#define NOCTURNE_CKEYRESOURCES_H

#include <stddef.h>

/// Bytes that are there for as long as the process.
typedef struct {
  const void *bytes;
  size_t count;
} ckeyresources_file;

/// The weights of the network that hears keys: binary16, little-endian.
ckeyresources_file ckeyresources_key_network(void);

#endif
