/// Not for Swift.
#ifndef CLIBAV_CHECKSUM_H
#define CLIBAV_CHECKSUM_H

#include <stdint.h>

typedef enum LAVChecksum {
  /// The frame has none, or is cut off.
  LAVChecksumNone,
  LAVChecksumRight,
  LAVChecksumWrong,
} LAVChecksum;

/// Compares the checksum of a frame of MPEG audio with what it covers: the header, and what says how the samples are coded
/// (side information of layer III, allocations of layers I and II). A wrong bit there spoils the frame; the samples
/// themselves are not covered.
LAVChecksum lavMPEGChecksum(const uint8_t *bytes, int count);

#endif
