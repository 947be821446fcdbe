/// Internal header, not visible to Swift.
#ifndef CLIBAV_FRAMES_H
#define CLIBAV_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/// The bit reservoir of layer III: main data that later frames may refer to (ISO/IEC 11172-3, 2.4.1.7 and 2.4.2.7).
typedef struct LAVReservoir {
  int byteCount;
  /// True after the first frame.
  bool isBegun;
} LAVReservoir;

/// Adds the next frame of layer III. Sets `*refersBack` if it is the first frame, and its main data begins before it.
/// Returns false if its granules claim more bits than the frame and the reservoir have.
bool lavTakeLayerIII(LAVReservoir *reservoir, const uint8_t *bytes, int count, bool *refersBack);

/// Returns true if a packet of DTS consists of complete frames (ETSI TS 102 114, 5.3 and 7.4) and zeros, or is not in
/// 16-bit words.
bool lavIsWholeDTS(const uint8_t *bytes, int count);

/// Returns true if a packet of MLP or TrueHD is as long as its header claims.
bool lavIsWholeMLP(const uint8_t *bytes, int count);

#endif
