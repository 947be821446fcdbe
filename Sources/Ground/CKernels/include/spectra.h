// Windowing before a Fourier transform, and the powers of its bins afterwards.
#ifndef NOCTURNE_SPECTRA_H
#define NOCTURNE_SPECTRA_H

#include <stddef.h>

/// Writes the product of each of `count` samples and its weight; the arrays must not overlap.
void cspectra_weigh(const float *samples, const float *window, ptrdiff_t count, float *products);

/// Writes the powers |X|² of `count` bins.
///
/// - `bins`: real and imaginary parts alternate.
/// - `powers`: must not overlap `bins`.
void cspectra_powers(const float *bins, ptrdiff_t count, float *powers);

#endif
