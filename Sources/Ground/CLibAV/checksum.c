#include "checksum.h"

#include <stdbool.h>

// ISO/IEC 11172-3, 2.4.1 and 2.4.3.1; 13818-3, 2.4.1.

/// A reader for the bits of a frame that the checksum covers.
typedef struct Bits {
  const uint8_t *bytes;
  int bitCount;
  int position;
  /// CRC-16 with the polynomial x¹⁶ + x¹⁵ + x² + 1, initialized to all ones.
  uint16_t checksum;
} Bits;

static int readBits(Bits *bits, int count) {
  int value = 0;
  for (; count > 0 && bits->position < bits->bitCount; count--, bits->position++) {
    int bit = bits->bytes[bits->position >> 3] >> (7 - (bits->position & 7)) & 1;
    bool isFedBack = (bits->checksum >> 15) != bit;
    bits->checksum = (uint16_t)(bits->checksum << 1 ^ (isFedBack ? 0x8005 : 0));
    value = value << 1 | bit;
  }
  return value;
}

/// The subbands of layer II that can have an allocation, and the width of the allocation in bits (tables B.2a to B.2d
/// of 11172-3, B.1 of 13818-3).
typedef struct AllocationTable {
  int subbandCount;
  /// The first subband with 3 bits, and the first with 2 bits; lower subbands have 4 bits.
  int three, two;
} AllocationTable;

static AllocationTable allocationTable(bool isFirstVersion, int sampleRate, int kilobitsPerChannel) {
  if (!isFirstVersion) return (AllocationTable){30, 4, 11};
  if (kilobitsPerChannel <= 48) return sampleRate == 32000 ? (AllocationTable){12, 2, 12} : (AllocationTable){8, 2, 8};
  if (kilobitsPerChannel <= 80 || sampleRate == 48000) return (AllocationTable){27, 11, 23};
  return (AllocationTable){30, 11, 23};
}

/// Reads the allocations of layer II, and the number of scale factors of each subband.
static void readLayerII(Bits *bits, AllocationTable table, int channelCount, int bound) {
  bool isUsed[32][2] = {{false}};
  for (int subband = 0; subband < table.subbandCount; subband++) {
    int width = subband < table.three ? 4 : subband < table.two ? 3 : 2;
    for (int channel = 0; channel < channelCount; channel++) {
      bool isShared = channel > 0 && subband >= bound;
      isUsed[subband][channel] = isShared ? isUsed[subband][0] : readBits(bits, width) != 0;
    }
  }
  for (int subband = 0; subband < table.subbandCount; subband++) {
    for (int channel = 0; channel < channelCount; channel++) {
      if (isUsed[subband][channel]) readBits(bits, 2);
    }
  }
}

LAVChecksum lavMPEGChecksum(const uint8_t *bytes, int count) {
  static const int layerII[2][15] = {{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
                                     {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}};
  static const int rates[3] = {44100, 48000, 32000};
  if (count < 6 || bytes[0] != 0xFF || (bytes[1] & 0xE1) != 0xE0) return LAVChecksumNone;
  bool isFirstVersion = (bytes[1] >> 3 & 3) == 3;
  int layer = 4 - (bytes[1] >> 1 & 3);
  int bitRateIndex = bytes[2] >> 4, rateIndex = bytes[2] >> 2 & 3;
  if (bitRateIndex == 0 || bitRateIndex == 15 || rateIndex == 3) return LAVChecksumNone;
  int mode = bytes[3] >> 6;
  int channelCount = mode == 3 ? 1 : 2;
  int bound = mode == 1 ? 4 * (bytes[3] >> 4 & 3) + 4 : 32;
  // The checksum follows the header and covers its last two bytes.
  Bits header = {.bytes = bytes, .bitCount = 32, .position = 16, .checksum = 0xFFFF};
  readBits(&header, 16);
  Bits bits = {.bytes = bytes + 6, .bitCount = 8 * (count - 6), .checksum = header.checksum};
  int needed = 0;
  switch (layer) {
  case 1:
    needed = 4 * (mode == 3 ? 32 : 32 + bound);
    readBits(&bits, needed);
    break;
  case 2: {
    int kilobits = layerII[isFirstVersion ? 0 : 1][bitRateIndex];
    AllocationTable table = allocationTable(isFirstVersion, rates[rateIndex], kilobits / channelCount);
    readLayerII(&bits, table, channelCount, bound);
    needed = bits.position;
    break;
  }
  case 3:
    needed = 8 * (isFirstVersion ? (channelCount == 1 ? 17 : 32) : (channelCount == 1 ? 9 : 17));
    readBits(&bits, needed);
    break;
  default: return LAVChecksumNone;
  }
  // Truncated frames are reported elsewhere.
  if (bits.position < needed || bits.position >= bits.bitCount) return LAVChecksumNone;
  return bits.checksum == (bytes[4] << 8 | bytes[5]) ? LAVChecksumRight : LAVChecksumWrong;
}
