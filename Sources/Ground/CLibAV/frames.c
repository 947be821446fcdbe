#include "frames.h"

/// Reads up to 32 bits from bit `*position` on.
static uint32_t take(const uint8_t *bytes, int *position, int count) {
  uint32_t value = 0;
  for (; count > 0; count--, ++*position) value = value << 1 | (bytes[*position >> 3] >> (7 - (*position & 7)) & 1);
  return value;
}

bool lavTakeLayerIII(LAVReservoir *reservoir, const uint8_t *bytes, int count, bool *refersBack) {
  *refersBack = false;
  if (count < 40 || bytes[0] != 0xFF || (bytes[1] & 0xE6) != 0xE2) return true;
  bool isFirstVersion = (bytes[1] >> 3 & 3) == 3;
  int channelCount = bytes[3] >> 6 == 3 ? 1 : 2;
  int granuleCount = isFirstVersion ? 2 : 1;
  int sideStart = bytes[1] & 1 ? 4 : 6;
  int sideCount = isFirstVersion ? (channelCount == 1 ? 17 : 32) : (channelCount == 1 ? 9 : 17);
  int own = count - sideStart - sideCount;
  if (own < 0) return true;
  int position = 8 * sideStart;
  int back = (int)take(bytes, &position, isFirstVersion ? 9 : 8);
  // Private bits, and in version 1 the sharing of scale factors.
  position += isFirstVersion ? (channelCount == 1 ? 5 + 4 : 3 + 8) : channelCount;
  int needed = 0;
  for (int i = 0; i < granuleCount * channelCount; i++) {
    needed += (int)take(bytes, &position, 12);
    position += (isFirstVersion ? 59 : 63) - 12;
  }
  *refersBack = !reservoir->isBegun && back > 0;
  bool isKnown = reservoir->isBegun && back <= reservoir->byteCount;
  reservoir->isBegun = true;
  int limit = isFirstVersion ? 511 : 255;
  reservoir->byteCount = reservoir->byteCount + own < limit ? reservoir->byteCount + own : limit;
  return (!isKnown && back > 0) || needed <= 8 * (back + own);
}

bool lavIsWholeDTS(const uint8_t *bytes, int count) {
  int position = 0;
  while (count - position >= 14) {
    const uint8_t *head = bytes + position;
    uint32_t sync = (uint32_t)head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3];
    int bit = 0, length;
    if (sync == 0x7FFE8001) {
      length = ((head[5] & 3) << 12 | head[6] << 4 | head[7] >> 4) + 1;
    } else if (sync == 0x64582025) {
      // Two index bits, and one that selects the width of the sizes of header and frame.
      const uint8_t *fields = head + 5;
      take(fields, &bit, 2);
      bool isWide = take(fields, &bit, 1);
      take(fields, &bit, isWide ? 12 : 8);
      length = (int)take(fields, &bit, isWide ? 20 : 16) + 1;
    } else {
      break;
    }
    position += length;
    if (position > count) return false;
    // Extensions start at whole words.
    while (position & 3 && position < count && bytes[position] == 0) position++;
  }
  if (position == 0) return true;
  while (position < count && bytes[position] == 0) position++;
  return position == count;
}

bool lavIsWholeMLP(const uint8_t *bytes, int count) {
  return count >= 4 && 2 * ((bytes[0] & 15) << 8 | bytes[1]) == count;
}
