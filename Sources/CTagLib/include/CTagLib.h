#ifndef CTAGLIB_H
#define CTAGLIB_H

// Parses one tag, held in memory, with TagLib, and hands out what it holds as plain data. Finding the tag in a file,
// bounding its size and disarming what TagLib 1.13 cannot take is the caller's part.
//
// Reentrant: calls share no state. No C++ exception leaves these functions.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  // From "ID3" on. Frames must be plain: neither compressed, encrypted nor unsynchronised.
  CTAGLIB_ID3V2,
  // 128 bytes from "TAG" on.
  CTAGLIB_ID3V1,
  // Items and, at the very end, the 32 bytes of the footer, without a header. Binary items give nothing.
  CTAGLIB_APEV2,
  // From the length of the vendor string on.
  CTAGLIB_VORBIS_COMMENT,
  // The content of a LIST chunk, from "INFO" on.
  CTAGLIB_RIFF_INFO,
  // The children of an `ilst` atom that hold text; others give nothing.
  CTAGLIB_MP4_ILST,
  // The ASF header object, from its GUID on; only the objects with tags are needed.
  CTAGLIB_ASF_HEADER,
  // Whole files of trackers.
  CTAGLIB_MOD,
  CTAGLIB_S3M,
  CTAGLIB_IT,
  CTAGLIB_XM
} ctaglib_kind;

typedef enum {
  CTAGLIB_OK = 0,
  // Nothing that could be read as a tag of this kind.
  CTAGLIB_INVALID = 1,
  CTAGLIB_OUT_OF_MEMORY = 2,
  // TagLib threw something else.
  CTAGLIB_FAILED = 3
} ctaglib_status;

// Where the content of a tag goes. Pointers are valid during the call only; lengths are in bytes.
typedef struct {
  void *context;
  // One value of one field, both UTF-8. Fields with several values come once for each of them, in the order of the tag.
  //
  // Keys are those of the format: `TPE1`, `TXXX:description`, `COMM:description`, `UFID:owner`, `WXXX:description`,
  // `USLT` for ID3v2 (frames of 2.2 and 2.3 under their names in 2.4); `title`, `artist`, `album`, `date`, `comment`,
  // `track`, `genre` for ID3v1; the atom's name or `----:mean:name` for MP4; `Title`, `Author`, `Copyright`,
  // `Description`, `Rating` of the content description, or the attribute's name, for ASF; `title`, `comment`, `tracker`
  // for trackers; upper-case keys for the rest.
  void (*text)(void *context, const char *key, size_t key_length, const char *value, size_t value_length);
  // One picture of an ASF header; in the other kinds pictures are the caller's part too. `type` is numbered as in
  // ID3v2's APIC.
  void (*picture)(
      void *context, int type, const char *mime, size_t mime_length, const uint8_t *data, size_t data_length);
} ctaglib_sink;

ctaglib_status ctaglib_read(ctaglib_kind kind, const uint8_t *bytes, size_t count, const ctaglib_sink *sink);

// Name of an ID3v1 genre number, with the extensions of Winamp, as a static NUL-terminated string; NULL for numbers
// without a name.
const char *ctaglib_genre_name(int number);

// Inflates a zlib stream (RFC 1950) into `output`, writing at most `capacity` bytes. Returns the number of bytes
// written, or -1 if the stream is damaged or holds more than fits.
ptrdiff_t ctaglib_inflate(const uint8_t *input, size_t count, uint8_t *output, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
