// The files of Sources/Tempo/Resources, compiled in: a bundle is not found once the executable is moved. By #embed, as the array
// that Swift's `.embedInCode` would make of the weights takes the compiler half a minute.
#ifndef NOCTURNE_CTEMPORESOURCES_H
#define NOCTURNE_CTEMPORESOURCES_H

#include <stddef.h>

/// Bytes that are there for as long as the process.
typedef struct {
  const void *bytes;
  size_t count;
} ctemporesources_file;

/// The weights of the network that hears beats: binary16, little-endian.
ctemporesources_file ctemporesources_beat_network(void);
/// The weights of the choice of grid, by the names of the features: text.
ctemporesources_file ctemporesources_grid_weights(void);
/// The weights and thresholds of bars: text.
ctemporesources_file ctemporesources_bar_weights(void);
/// The coefficients of the confidence: text.
ctemporesources_file ctemporesources_confidence(void);

#endif
