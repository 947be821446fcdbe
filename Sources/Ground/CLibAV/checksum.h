/// An internal header, which is not visible to Swift.
#ifndef CLIBAV_CHECKSUM_H
#define CLIBAV_CHECKSUM_H

#include <stdint.h>

typedef enum LAVChecksum {
  /// The frame has no checksum, or is truncated.
  LAVChecksumNone,
  LAVChecksumRight,
  LAVChecksumWrong,
} LAVChecksum;

/// Verifies the checksum of an MPEG audio frame. The checksum covers the header and the description of how the samples
/// are coded (side information of layer III, allocations of layers I and II), where a wrong bit spoils the frame. It
/// does not cover the samples themselves.
LAVChecksum lavMPEGChecksum(const uint8_t *bytes, int count);

#endif
