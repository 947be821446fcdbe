/// Demuxes, decodes and converts audio, and scales pictures, with FFmpeg's libraries behind plain C types.
///
/// A reader sees only the bytes of one file descriptor: no names, protocols or other files. It uses only demuxers and
/// decoders for audio. No allocation is larger than 256 MiB, whatever headers claim. Use a reader or converter from one
/// thread at a time.
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
  /// None of the allowed demuxers recognizes the bytes.
  LAVStatusUnknownFormat,
  /// The container has no audio stream, or its stream contains no frame.
  LAVStatusNoAudio,
  /// There is no decoder for the codec, or the stream is encrypted.
  LAVStatusUnsupportedCodec,
  /// The sample rate or channel count is out of range.
  LAVStatusAbsurdHeader,
  /// The container or the stream is damaged.
  LAVStatusCorrupt,
  /// The system could not read; see `LAVReport.readErrno`.
  LAVStatusReadError,
  LAVStatusOutOfMemory,
} LAVStatus;

/// A decoder's representation of samples, whether planar or not.
typedef enum LAVSampleType {
  LAVSampleTypeUInt8,
  LAVSampleTypeInt16,
  LAVSampleTypeInt32,
  LAVSampleTypeFloat,
  LAVSampleTypeDouble,
} LAVSampleType;

/// Limits that a stream must not exceed.
#define LAV_MINIMUM_SAMPLE_RATE 1000
#define LAV_MAXIMUM_SAMPLE_RATE 1536000
#define LAV_MAXIMUM_CHANNEL_COUNT 64

/// Up to eight bytes that a reader sees in place of the file's bytes.
typedef struct LAVMask {
  int64_t offset;
  uint8_t bytes[8];
  int count;
} LAVMask;

/// The bytes that a reader sees: `prefix`, followed by the file from `start` to `end`.
typedef struct LAVInput {
  int descriptor;
  int64_t start;
  int64_t end;
  /// The prefix, which is copied; may be NULL.
  const uint8_t *prefix;
  int prefixCount;
  /// The masks, sorted by offset and without overlaps, which are copied; may be NULL.
  const LAVMask *masks;
  int maskCount;
  /// The short name of the demuxer, such as "mov"; NULL to probe.
  const char *demuxer;
  /// True if the descriptor is a pipe or similar, which is read once, in order, and whose length is unknown. A stream
  /// allows no prefix and no masks.
  bool isStream;
  /// Excludes MPEG audio and ADTS AAC from probing. These formats have no signature: FFmpeg accepts a few bytes that
  /// look like a header.
  bool excludesFrames;
  /// Computes `packetChecksum` of the report.
  bool sumsPackets;
  /// The format that a demuxer of raw PCM ("s16le") assumes; 0 to leave it to the demuxer.
  int sampleRate;
  int channelCount;
} LAVInput;

/// Loads libavcodec and libavformat now instead of on first use.
void lav_load(void);

/// True if readers may use the demuxer with this name.
bool lav_reads_format(const char *demuxer);

/// The format of the selected stream. The strings are static.
typedef struct LAVFormat {
  const char *container;
  const char *codec;
  int sampleRate;
  int channelCount;
  /// The speaker mask, if channels are in native order; otherwise 0.
  uint64_t channelMask;
  LAVSampleType sampleType;
  /// 0 if the codec has no bit depth.
  int bitDepth;
  /// Bits per second; 0 if the container does not state it.
  int64_t bitRate;
  bool isLossless;
  /// Length claimed by the container, in frames of `sampleRate`; -1 if unknown.
  int64_t claimedFrameCount;
  /// Length estimated from bit rate and size if the container claims none; -1 if unknown.
  int64_t estimatedFrameCount;
} LAVFormat;

/// Statistics about reading, and errors.
typedef struct LAVReport {
  int64_t packetCount;
  /// Total size of all packets that were not bad.
  int64_t packetByteCount;
  /// Number of packets that the decoder rejected or the demuxer marked as damaged.
  int64_t badPacketCount;
  /// Number of packets that were decoded although parts of them are damaged: the decoder reports it, or their lengths
  /// are wrong.
  int64_t flawedPacketCount;
  /// True if the last packet of the stream was flawed.
  bool lastPacketIsFlawed;
  /// Number of MP3 packets in other containers whose granules leave bits unused: most encoders fill all.
  int64_t unevenPacketCount;
  /// Number of packets of MP4, CAF, and Opus in Matroska with at most half of the audio that they should contain.
  int64_t shortPacketCount;
  /// Number of Matroska packets whose timestamps are before that of the previous packet.
  int64_t disorderCount;
  /// Number of Matroska packets after which at least one is missing according to the timestamps.
  int64_t missingCount;
  /// True if the first frame of layer III refers to earlier ones.
  bool startsMidStream;
  /// Bytes of all packets, including the bad ones.
  int64_t demuxedByteCount;
  /// True if the last packet of the stream was bad.
  bool lastPacketIsBad;
  /// Number of FLAC frames whose frame number does not follow that of the previous frame.
  int64_t gapCount;
  /// Number of PCM frames by which timestamps are ahead of packets that were decoded completely. A length that is the
  /// sum of durations includes these frames.
  int64_t timestampGap;
  /// Number of MPEG audio frames that have a checksum.
  int64_t checksumCount;
  /// Number of MPEG audio frames whose checksum is wrong.
  int64_t wrongChecksumCount;
  /// CRC-16 of the bytes of all packets, as in LAME's tag: polynomial 0x8005, reflected bits, an initial value of 0.
  /// Valid if `sumsPackets` was set.
  uint16_t packetChecksum;
  /// Number of changes of the sample rate or channels in mid-stream.
  int64_t formatChangeCount;
  /// True if the demuxer stopped because of an error, not at the end.
  bool endedByError;
  /// Number of demuxer errors after which reading continued.
  int64_t demuxerErrorCount;
  /// True if reading was abandoned, because too many bytes contained no packet or were read too often.
  bool lostSync;
  /// errno of a failed read; 0 if there was none.
  int readErrno;
  /// The MD5 of the samples as defined by FLAC; zero unless `lav_hash_samples` was called.
  uint8_t digest[16];
} LAVReport;

typedef struct LAVReader LAVReader;

/// Opens a container and selects its best audio stream. On success, the caller must close `*reader`. With
/// LAVStatusReadError, `*readErrno` is the reason.
LAVStatus lav_open(const LAVInput *input, LAVReader **reader, int *readErrno);
void lav_close(LAVReader *reader);

/// Returns the format according to the container, before anything is decoded.
LAVFormat lav_format(const LAVReader *reader);
LAVReport lav_report(const LAVReader *reader);

/// An encoded packet, with the container's metadata for decoders.
typedef struct LAVPacket {
  const uint8_t *bytes;
  int count;
  /// FFmpeg's AV_PKT_FLAG_…: for example, whether the packet is damaged or its frames are to be discarded.
  int flags;
  /// Number of decoded frames to drop at the start and at the end.
  uint32_t droppedAtStart;
  uint32_t droppedAtEnd;
  /// Codec parameters from this packet on; NULL if unchanged.
  const uint8_t *parameters;
  int parameterCount;
  /// Start in seconds relative to the first audible frame; NAN if the container does not state it.
  double start;
  /// Duration in seconds; 0 if unknown.
  double duration;
  /// Offset of the packet in the file, in bytes; -1 if the demuxer does not report it.
  int64_t offset;
} LAVPacket;

/// Reads the next packet of the selected stream, which is valid until the next call. Returns false at the end.
bool lav_next_packet(LAVReader *reader, LAVPacket *packet);

/// Returns the codec parameters outside the packets (FFmpeg's extradata), which are valid until the reader is closed.
void lav_extradata(const LAVReader *reader, const uint8_t **bytes, int *count);

/// Opens the decoder and decodes the first frame; afterwards `lav_format` describes the decoded audio. Frames are
/// returned with the sample rate and channels of `like`, or of the first frame if `like` is NULL.
LAVStatus lav_start(LAVReader *reader, const LAVFormat *like);

/// Enables `LAVReport.digest`. Only for FLAC; call it right after `lav_start`.
void lav_hash_samples(LAVReader *reader);

/// Decodes up to `capacity` frames to planar floats (full scale ±1); channel c starts at `samples + c * stride`. The
/// sample rate and channel count stay as set by `lav_start`, even if the stream changes. Returns the number of frames;
/// 0 at the end.
int lav_read(LAVReader *reader, float *samples, int stride, int capacity);

/// A tag to write, in UTF-8, with FFmpeg's generic name for it ("title", "track") or any other name.
typedef struct LAVTag {
  const char *name;
  const char *value;
} LAVTag;

/// Remuxes the packets of a reader into a new container, without re-encoding them.
typedef struct LAVWriter LAVWriter;

typedef enum LAVWriteStatus {
  LAVWriteStatusOK = 0,
  /// The container does not support the codec, or FFmpeg was built without the container.
  LAVWriteStatusUnsupported,
  /// The system could not write; see `writeErrno`.
  LAVWriteStatusWriteError,
  LAVWriteStatusOutOfMemory,
} LAVWriteStatus;

/// Begins a file for the packets of the reader's stream.
///
/// `muxer` is FFmpeg's short name, such as "ipod". Bytes are written to `descriptor`, a regular file, from offset 0 on.
/// `isContinuation` means that the stream does not start with its first packet, so it lacks the encoder delay. On
/// success, the caller must close `*writer`.
LAVWriteStatus lav_writer_open(const LAVReader *reader, const char *muxer, int descriptor, const LAVTag *tags,
                               int tagCount, bool isContinuation, LAVWriter **writer, int *writeErrno);

/// Writes the packet that `lav_next_packet` last returned. The first packet written starts at time 0.
LAVWriteStatus lav_writer_write(LAVWriter *writer, const LAVReader *reader, int *writeErrno);

/// Finishes the file; nothing can be written afterwards.
LAVWriteStatus lav_writer_finish(LAVWriter *writer, int *writeErrno);
void lav_writer_close(LAVWriter *writer);

/// The version of the loaded FFmpeg, such as "5.1.9".
const char *lav_version(void);

/// True if this build of FFmpeg has a decoder with this name.
bool lav_has_decoder(const char *name);

/// A conversion to 16-bit mono at 11,025 Hz, with the parameters of Chromaprint's `fpcalc`.
typedef struct LAVConverter LAVConverter;

/// Returns NULL if the conversion is impossible or memory is short. If `channelMask` is 0, channels are in FFmpeg's
/// default order for their number.
LAVConverter *lav_converter_create(int sampleRate, int channelCount, uint64_t channelMask, LAVSampleType sampleType);
void lav_converter_free(LAVConverter *converter);

/// Returns the maximum number of frames that `lav_converter_push` may write for `frameCount` more frames.
int lav_converter_room(LAVConverter *converter, int frameCount);

/// Converts planar floats. Writes whole numbers from -32768 to 32767 and returns their count, or -1 on failure.
int lav_converter_push(LAVConverter *converter, const float *samples, int stride, int frameCount, float *output,
                       int capacity);

typedef enum LAVPictureStatus {
  LAVPictureStatusOK = 0,
  LAVPictureStatusNone,
  /// The picture is not JPEG, PNG, WebP, GIF or BMP, or it is damaged or too large.
  LAVPictureStatusUnsupported,
  LAVPictureStatusOutOfMemory,
} LAVPictureStatus;

/// Maximum number of pixels in a picture, and of bytes in its file.
#define LAV_MAXIMUM_PICTURE_PIXELS 50000000
#define LAV_MAXIMUM_PICTURE_SIZE (20 << 20)

/// Returns the front cover of an audio file of `length` bytes, or else the file's first picture, unchanged. Free the
/// picture with `lav_free_picture`.
LAVPictureStatus lav_attached_picture(int descriptor, int64_t length, uint8_t **bytes, size_t *count);

/// Converts a picture to JPEG, scaled down so that its longer side has at most `side` pixels. Free the result with
/// `lav_free_picture`.
LAVPictureStatus lav_thumbnail(const uint8_t *picture, size_t pictureCount, int side, uint8_t **bytes, size_t *count);
void lav_free_picture(uint8_t *bytes);

/// Computes the SHA-256 (32 bytes) of `bytes`; false if memory is short.
bool LAVSHA256(const uint8_t *bytes, size_t count, uint8_t *digest);

/// Computes the HMAC-SHA-256 (32 bytes) of `bytes`; false if memory is short.
bool LAVHMACSHA256(const uint8_t *key, size_t keyCount, const uint8_t *bytes, size_t count, uint8_t *code);

/// Computes the MD5 (16 bytes) of `bytes`.
void LAVMD5(const uint8_t *bytes, size_t count, uint8_t *digest);

/// An incremental SHA-256 or MD5 digest.
typedef struct LAVDigest LAVDigest;

/// Creates a SHA-256 digest, or MD5 if `isSHA256` is false; NULL if memory is short. The caller closes it.
LAVDigest *LAVDigestOpen(bool isSHA256);
void LAVDigestUpdate(LAVDigest *digest, const void *bytes, size_t count);
/// Writes the digest of 32 or 16 bytes, and returns its length.
int LAVDigestFinish(LAVDigest *digest, uint8_t *result);
void LAVDigestClose(LAVDigest *digest);

#ifdef __cplusplus
}
#endif

#endif
