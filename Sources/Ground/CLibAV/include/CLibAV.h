/// Demuxing, decoding and conversion of audio, and pictures, by FFmpeg's libraries, behind plain C types.
///
/// A reader sees only the bytes of one file descriptor: no names, no protocols, no other files. It uses only demuxers
/// and decoders of audio. No allocation is larger than 256 MiB, whatever headers claim. A reader or converter belongs
/// to one thread at a time.
#ifndef CLIBAV_H
#define CLIBAV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum LAVStatus {
  LAVStatusOK = 0,
  /// No demuxer on the list recognizes the bytes.
  LAVStatusUnknownFormat,
  /// A container without an audio stream, or whose stream holds no frame.
  LAVStatusNoAudio,
  /// No decoder for the codec, or the stream is encrypted.
  LAVStatusUnsupportedCodec,
  /// Rate or channel count out of range.
  LAVStatusAbsurdHeader,
  /// The container or the stream is damaged.
  LAVStatusCorrupt,
  /// The system could not read; see `LAVReport.readErrno`.
  LAVStatusReadError,
  LAVStatusOutOfMemory,
} LAVStatus;

/// A decoder's representation of samples, planar or not.
typedef enum LAVSampleType {
  LAVSampleTypeUInt8,
  LAVSampleTypeInt16,
  LAVSampleTypeInt32,
  LAVSampleTypeFloat,
  LAVSampleTypeDouble,
} LAVSampleType;

/// The limits a stream must keep.
#define LAV_MINIMUM_SAMPLE_RATE 1000
#define LAV_MAXIMUM_SAMPLE_RATE 1536000
#define LAV_MAXIMUM_CHANNEL_COUNT 64

/// Up to eight bytes that a reader sees in place of the file's bytes.
typedef struct LAVMask {
  /// In the file.
  int64_t offset;
  uint8_t bytes[8];
  int count;
} LAVMask;

/// Where a reader finds its bytes: `prefix`, then the bytes from `start` to `end` of the file.
typedef struct LAVInput {
  int descriptor;
  int64_t start;
  int64_t end;
  /// Copied; may be NULL.
  const uint8_t *prefix;
  int prefixCount;
  /// Copied; may be NULL. In the order of their offsets, without overlaps.
  const LAVMask *masks;
  int maskCount;
  /// Short name of the demuxer, such as "mov"; NULL to probe.
  const char *demuxer;
  /// The descriptor is a pipe or the like: it is read once, in order, and no length is known. There is no prefix then,
  /// and there are no masks.
  bool isStream;
  /// Probing does not choose MPEG audio or AAC in ADTS, which have no mark: FFmpeg takes a few bytes that look like a header
  /// for them.
  bool excludesFrames;
  /// What a demuxer of bare PCM ("s16le") takes for granted; 0 to leave it to the demuxer.
  int sampleRate;
  int channelCount;
} LAVInput;

/// Loads libavcodec and libavformat now, and not at the first call that needs them.
void lav_load(void);

/// Whether a reader may be told to use the demuxer of this name.
bool lav_reads_format(const char *demuxer);

/// The chosen stream. Strings are static.
typedef struct LAVFormat {
  const char *container;
  const char *codec;
  int sampleRate;
  int channelCount;
  /// Speaker mask of the native channel order; 0 if there is none.
  uint64_t channelMask;
  LAVSampleType sampleType;
  /// 0 if the codec has none.
  int bitDepth;
  /// Bits per second; 0 if the container does not say.
  int64_t bitRate;
  bool isLossless;
  /// Length as the container claims it, in frames of `sampleRate`; -1 if it does not say.
  int64_t claimedFrameCount;
  /// Where the container does not say: the length by bit rate and size; -1 if unknown.
  int64_t estimatedFrameCount;
} LAVFormat;

/// What happened while reading.
typedef struct LAVReport {
  int64_t packetCount;
  /// In all packets that were not bad.
  int64_t packetByteCount;
  /// Packets that the decoder refused or the demuxer marked as damaged.
  int64_t badPacketCount;
  /// The last packet of the stream is among them.
  bool lastPacketIsBad;
  /// Places where the number of a FLAC frame does not follow that of the frame before.
  int64_t gapCount;
  /// Frames of MPEG audio with a checksum, and those of them whose checksum is wrong.
  int64_t checksumCount;
  int64_t wrongChecksumCount;
  /// Changes of rate, channels or both in mid-stream.
  int64_t formatChangeCount;
  /// The demuxer stopped with an error, not at the end.
  bool endedByError;
  /// Errors of the demuxer after which reading continued.
  int64_t demuxerErrorCount;
  /// Reading was given up: too many bytes without a single packet, or bytes read too often.
  bool lostSync;
  /// errno of a failed read; 0 if none.
  int readErrno;
  /// MD5 of the samples as FLAC defines it; zero unless `lav_hash_samples` was called.
  uint8_t digest[16];
} LAVReport;

typedef struct LAVReader LAVReader;

/// Opens a container and chooses its best audio stream. On success the caller must close `*reader`; for
/// LAVStatusReadError, `*readErrno` is the reason.
LAVStatus lav_open(const LAVInput *input, LAVReader **reader, int *readErrno);
void lav_close(LAVReader *reader);

/// Container and codec as described by the container, before anything is decoded.
LAVFormat lav_format(const LAVReader *reader);
LAVReport lav_report(const LAVReader *reader);

/// An encoded packet, with the container's information that decoders use.
typedef struct LAVPacket {
  const uint8_t *bytes;
  int count;
  /// FFmpeg's AV_PKT_FLAG_…, such as whether the packet is damaged and whether its frames are not to be heard.
  int flags;
  /// Frames to drop at the start and at the end of what the packet decodes to.
  uint32_t droppedAtStart;
  uint32_t droppedAtEnd;
  /// Codec parameters from this packet on; NULL if unchanged.
  const uint8_t *parameters;
  int parameterCount;
  /// Seconds from the first frame that is to be heard to the first of this packet; NAN if the container does not say.
  double start;
  /// Seconds; 0 if unknown.
  double duration;
  /// Where in the file the packet begins, in bytes; -1 if the demuxer does not say.
  int64_t offset;
} LAVPacket;

/// The next packet of the chosen stream; valid until the next call. False at the end.
bool lav_next_packet(LAVReader *reader, LAVPacket *packet);

/// Codec parameters outside the packets (what FFmpeg calls extradata); valid until the reader is closed.
void lav_extradata(const LAVReader *reader, const uint8_t **bytes, int *count);

/// Opens the decoder and decodes the first frame; then `lav_format` describes the decoded audio. Frames are handed out
/// with the rate and channels of `like` if that is not NULL, otherwise with those of the first frame.
LAVStatus lav_start(LAVReader *reader, const LAVFormat *like);

/// From now on computes `LAVReport.digest`. For FLAC only, right after `lav_start`.
void lav_hash_samples(LAVReader *reader);

/// Decodes up to `capacity` frames to planar floats (full scale ±1): channel c starts at `samples + c * stride`. Rate
/// and channel count stay as `lav_start` set them, even if the stream changes. Returns the number of frames, 0 at the
/// end.
int lav_read(LAVReader *reader, float *samples, int stride, int capacity);

/// A tag of a file that is written, by FFmpeg's generic name ("title", "track") or any other. UTF-8.
typedef struct LAVTag {
  const char *name;
  const char *value;
} LAVTag;

/// Writes packets of a reader, as they are, to a new container.
typedef struct LAVWriter LAVWriter;

typedef enum LAVWriteStatus {
  LAVWriteStatusOK = 0,
  /// This kind of container cannot hold the codec, or FFmpeg was built without it.
  LAVWriteStatusUnsupported,
  /// The system could not write; see `writeErrno`.
  LAVWriteStatusWriteError,
  LAVWriteStatusOutOfMemory,
} LAVWriteStatus;

/// Begins a file for packets of the reader's stream.
///
/// `muxer` is FFmpeg's short name, such as "ipod". Bytes go to `descriptor`, a regular file, from offset 0 on.
/// `isContinuation`: the first packet is not the first of the stream, so the encoder's delay is not in it. On success the
/// caller must close `*writer`.
LAVWriteStatus lav_writer_open(const LAVReader *reader, const char *muxer, int descriptor, const LAVTag *tags,
                               int tagCount, bool isContinuation, LAVWriter **writer, int *writeErrno);

/// Writes the packet that `lav_next_packet` gave last. Time starts at 0 with the first.
LAVWriteStatus lav_writer_write(LAVWriter *writer, const LAVReader *reader, int *writeErrno);

/// Ends the file; nothing can be written then.
LAVWriteStatus lav_writer_finish(LAVWriter *writer, int *writeErrno);
void lav_writer_close(LAVWriter *writer);

/// The version of the loaded FFmpeg, such as "5.1.9".
const char *lav_version(void);

/// Whether this build of FFmpeg has a decoder of that name.
bool lav_has_decoder(const char *name);

/// Conversion to 16-bit mono at 11,025 Hz with the parameters of Chromaprint's `fpcalc`.
typedef struct LAVConverter LAVConverter;

/// NULL if the conversion is impossible or memory is short. `channelMask` 0: FFmpeg's default order for the count.
LAVConverter *lav_converter_create(int sampleRate, int channelCount, uint64_t channelMask, LAVSampleType sampleType);
void lav_converter_free(LAVConverter *converter);

/// The most frames that `lav_converter_push` may write for `frameCount` more frames.
int lav_converter_room(LAVConverter *converter, int frameCount);

/// Converts planar floats. Writes whole numbers from -32768 to 32767 and returns their count, or -1 on failure.
int lav_converter_push(LAVConverter *converter, const float *samples, int stride, int frameCount, float *output,
                       int capacity);

typedef enum LAVPictureStatus {
  LAVPictureStatusOK = 0,
  /// There is no picture.
  LAVPictureStatusNone,
  /// Not JPEG, PNG, WebP, GIF or BMP, or damaged, or too large.
  LAVPictureStatusUnsupported,
  LAVPictureStatusOutOfMemory,
} LAVPictureStatus;

/// The most pixels a picture may have, and the most bytes as a file.
#define LAV_MAXIMUM_PICTURE_PIXELS 50000000
#define LAV_MAXIMUM_PICTURE_SIZE (20 << 20)

/// The front cover that an audio file of `length` bytes holds, or else its first picture, as it is in the file. To be
/// freed with `lav_free_picture`.
LAVPictureStatus lav_attached_picture(int descriptor, int64_t length, uint8_t **bytes, size_t *count);

/// A picture as JPEG whose longer side has at most `side` pixels; none is made larger. To be freed with
/// `lav_free_picture`.
LAVPictureStatus lav_thumbnail(const uint8_t *picture, size_t pictureCount, int side, uint8_t **bytes, size_t *count);
void lav_free_picture(uint8_t *bytes);

/// Writes the 32 bytes of the SHA-256 of `bytes`; false if memory is short.
bool LAVSHA256(const uint8_t *bytes, size_t count, uint8_t *digest);

/// Writes the 32 bytes of the HMAC of `bytes` with SHA-256; false if memory is short.
bool LAVHMACSHA256(const uint8_t *key, size_t keyCount, const uint8_t *bytes, size_t count, uint8_t *code);

/// Writes the 16 bytes of the MD5 of `bytes`.
void LAVMD5(const uint8_t *bytes, size_t count, uint8_t *digest);

/// SHA-256 or MD5 of bytes that come piece by piece.
typedef struct LAVDigest LAVDigest;

/// SHA-256, or else MD5; NULL if memory is short. The caller closes it.
LAVDigest *LAVDigestOpen(bool isSHA256);
void LAVDigestUpdate(LAVDigest *digest, const void *bytes, size_t count);
/// Writes the 32 or 16 bytes of the digest and returns their number.
int LAVDigestFinish(LAVDigest *digest, uint8_t *result);
void LAVDigestClose(LAVDigest *digest);

#ifdef __cplusplus
}
#endif

#endif
