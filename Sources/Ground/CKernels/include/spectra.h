// What surrounds a Fourier transform: its window before, and the powers of its bins after.
#ifndef NOCTURNE_SPECTRA_H
#define NOCTURNE_SPECTRA_H

#include <stddef.h>

/// Writes the products of `count` samples and weights; nothing overlaps.
void cspectra_weigh(const float *samples, const float *window, ptrdiff_t count, float *products);

/// Writes the powers |X|² of `count` bins.
///
/// - `bins`: real and imaginary parts alternate.
/// - `powers`: do not overlap `bins`.
void cspectra_powers(const float *bins, ptrdiff_t count, float *powers);

#endif
