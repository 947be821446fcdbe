// The files of Sources/Recognition/Resources, compiled in; see CTempoResources.h.
#ifndef NOCTURNE_CRECOGNITIONRESOURCES_H
#define NOCTURNE_CRECOGNITIONRESOURCES_H

#include <stddef.h>

/// Bytes that are there for as long as the process.
typedef struct {
  const void *bytes;
  size_t count;
} crecognitionresources_file;

/// The weights of the network that hears landmarks: binary16, little-endian.
crecognitionresources_file crecognitionresources_landmark_network(void);
/// The coefficients of the confidence: text.
crecognitionresources_file crecognitionresources_confidence(void);
/// The coefficients of how rarely pairs come true: text.
crecognitionresources_file crecognitionresources_rarity(void);

#endif
