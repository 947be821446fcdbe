#include "checksum.h"
#include "frames.h"
#include "stream.h"

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <libavutil/channel_layout.h>
#include <libavutil/crc.h>
#include <libavutil/md5.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The demuxers of formats that contain their own audio: no playlists, image sequences, network protocols or devices.
#define MARKED_DEMUXERS                                                                                                \
  "ac3,aiff,amr,amrnb,amrwb,ape,asf,au,caf,dsf,dts,dtshd,eac3,flac,iff,loas,mov,matroska,webm,mlp,mpc,mpc8,"           \
  "nistsphere,ogg,oma,qcp,rm,shn,sox,tak,tta,truehd,voc,w64,wav,wv"
static const char markedDemuxers[] = MARKED_DEMUXERS;
static const char demuxers[] =
    MARKED_DEMUXERS ",aac,mp3,"
    // Raw PCM, which probing never finds.
    "alaw,f32be,f32le,f64be,f64le,mulaw,s16be,s16le,s24be,s24le,s32be,s32le,s8,u16be,u16le,u24be,u24le,u32be,u32le,u8";

enum {
  ioBufferSize = 1 << 16,
  /// Maximum number of bytes read without reaching a packet of the stream; larger than any tag or index in a real file.
  syncLimit = 64 << 20,
  /// The same limit for bare streams, which have neither tags nor indices; FFmpeg keeps all bytes read as one packet.
  bareSyncLimit = 8 << 20,
  /// A demuxer may read each byte of a file this many times (for the index, both ends and the audio), plus `syncLimit`.
  /// A demuxer that reads more is in a loop.
  passLimit = 8,
  /// Maximum size of an allocation by FFmpeg, because damaged indices request any size.
  allocationLimit = 256 << 20,
  /// Maximum number of demuxer errors after which reading continues.
  demuxerErrorLimit = 64,
};

struct LAVReader {
  int descriptor;
  uint8_t *prefix;
  int64_t prefixCount;
  LAVMask *masks;
  int maskCount;
  int64_t start;
  int64_t length;
  bool isStream;
  int64_t position;
  int64_t sincePacket;
  int64_t syncLimit;
  bool sumsPackets;
  int64_t totalRead;

  AVIOContext *io;
  AVFormatContext *format;
  AVStream *stream;
  const AVCodec *decoder;
  AVCodecContext *codec;
  /// Decodes MP3 in WAV and other containers, which have no checksums, once more and only for its messages; else NULL.
  AVCodecContext *strict;
  AVFrame *strictFrame;
  AVPacket *packet;
  AVFrame *frame;
  /// Frames with another sample rate or channel count, converted to the format of the first frame.
  AVFrame *converted;
  SwrContext *swr;
  int swrRate;
  int swrFormat;
  AVChannelLayout swrLayout;

  int sampleRate;
  AVChannelLayout layout;
  int sampleFormat;

  /// The frame being returned, and the position reached in it.
  AVFrame *current;
  int currentOffset;
  bool frameIsPending;
  bool packetsEnded;
  bool ended;
  int lastPacketSize;
  /// Duration and start of the last packet in PCM frames. The start is AV_NOPTS_VALUE if unknown.
  int64_t packetDuration;
  int64_t packetStart;
  bool packetIsTrimmed;
  /// Number of PCM frames decoded from the last packet, and maximum of all packets.
  int64_t packetFrameCount;
  int64_t maxPacketFrameCount;
  LAVReservoir reservoir;
  /// The decoder reported an error in the last packet.
  bool isFlawed;
  /// `strict` reported granules with unused bits in the last packet.
  bool isUneven;
  /// Expected number of the next FLAC frame; -1 if unknown.
  int64_t nextFrameNumber;
  LAVReport report;

  struct AVMD5 *hash;
  uint8_t *hashBuffer;
  unsigned hashBufferSize;
};

/// The reader whose decoder runs on this thread.
static _Thread_local LAVReader *listening;

/// Receives FFmpeg's messages, none of which is printed. Its decoders of TrueHD and MLP return frames with wrong
/// checksums, and report them only in messages.
static void hear(void *context, int level, const char *format, va_list arguments) {
  (void)arguments;
  if (level > AV_LOG_WARNING || !listening) return;
  if (context == listening->strict) listening->isUneven |= strncmp(format, "bits_left", 9) == 0;
  if (context != listening->codec) return;
  bool isLossless = strncmp(format, "Lossless check failed", 21) == 0;
  if (level <= AV_LOG_ERROR || isLossless) listening->isFlawed = true;
}

/// The names of all audio decoders. Attached pictures and videos are never decoded, not even for probing.
static char *audioDecoders;

static void prepareOnce(void) {
  LAVU(av_log_set_level)(AV_LOG_QUIET);
  LAVU(av_log_set_callback)(hear);
  LAVU(av_max_alloc)(allocationLimit);
  void *position = NULL;
  const AVCodec *codec;
  size_t used = 0;
  while ((codec = LAV(av_codec_iterate)(&position))) {
    if (!LAV(av_codec_is_decoder)(codec) || codec->type != AVMEDIA_TYPE_AUDIO) continue;
    size_t count = strlen(codec->name);
    char *grown = realloc(audioDecoders, used + count + 2);
    if (!grown) return;
    audioDecoders = grown;
    if (used > 0) audioDecoders[used++] = ',';
    memcpy(audioDecoders + used, codec->name, count + 1);
    used += count;
  }
}

void lavPrepare(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepareOnce);
}

// Input

/// Applies the masks to `count` bytes of the file from `offset` on.
static void applyMasks(const LAVReader *reader, int64_t offset, uint8_t *bytes, int64_t count) {
  int low = 0, high = reader->maskCount;
  while (low < high) {
    int middle = low + (high - low) / 2;
    const LAVMask *mask = &reader->masks[middle];
    if (mask->offset + mask->count <= offset) low = middle + 1;
    else high = middle;
  }
  for (; low < reader->maskCount && reader->masks[low].offset < offset + count; low++) {
    const LAVMask *mask = &reader->masks[low];
    for (int i = 0; i < mask->count; i++) {
      int64_t at = mask->offset + i - offset;
      if (at >= 0 && at < count) bytes[at] = mask->bytes[i];
    }
  }
}

/// Reads as many bytes of a pipe as are available, so that live audio is decoded as it arrives.
static int readStream(LAVReader *reader, uint8_t *buffer, int count) {
  if (reader->sincePacket > reader->syncLimit) {
    reader->report.lostSync = true;
    return AVERROR_EOF;
  }
  ssize_t got;
  do {
    got = read(reader->descriptor, buffer, count);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    reader->report.readErrno = errno;
    return AVERROR(errno);
  }
  if (got == 0) return AVERROR_EOF;
  reader->sincePacket += got;
  return (int)got;
}

static int readBytes(void *opaque, uint8_t *buffer, int count) {
  LAVReader *reader = opaque;
  if (reader->isStream) return readStream(reader, buffer, count);
  int64_t left = reader->length - reader->position;
  if (left <= 0) return AVERROR_EOF;
  if (reader->sincePacket > reader->syncLimit || reader->totalRead > reader->length * passLimit + syncLimit) {
    reader->report.lostSync = true;
    return AVERROR_EOF;
  }
  if (count > left) count = (int)left;
  if (reader->position < reader->prefixCount) {
    int64_t fromPrefix = reader->prefixCount - reader->position;
    if (count > fromPrefix) count = (int)fromPrefix;
    memcpy(buffer, reader->prefix + reader->position, count);
  } else {
    int64_t offset = reader->start + reader->position - reader->prefixCount;
    ssize_t got;
    do {
      got = pread(reader->descriptor, buffer, count, offset);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      reader->report.readErrno = errno;
      return AVERROR(errno);
    }
    if (got == 0) return AVERROR_EOF;
    count = (int)got;
    applyMasks(reader, offset, buffer, count);
  }
  reader->position += count;
  reader->sincePacket += count;
  reader->totalRead += count;
  return count;
}

static int64_t seekBytes(void *opaque, int64_t offset, int whence) {
  LAVReader *reader = opaque;
  switch (whence & ~AVSEEK_FORCE) {
  case AVSEEK_SIZE: return reader->length;
  case SEEK_SET: break;
  case SEEK_CUR:
    if (__builtin_add_overflow(offset, reader->position, &offset)) return AVERROR(EINVAL);
    break;
  case SEEK_END:
    if (__builtin_add_overflow(offset, reader->length, &offset)) return AVERROR(EINVAL);
    break;
  default: return AVERROR(EINVAL);
  }
  if (offset < 0) return AVERROR(EINVAL);
  reader->position = offset;
  return offset;
}

/// Refuses demuxers access to other files.
static int refuseOpen(AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
  (void)format, (void)io, (void)url, (void)flags, (void)options;
  return AVERROR(EACCES);
}

bool lav_reads_format(const char *demuxer) {
  const AVInputFormat *format = LAV(av_find_input_format)(demuxer);
  return format && LAVU(av_match_list)(format->name, demuxers, ',') > 0;
}

/// Opens an input with the demuxers named in `list`. Consumes and frees `options`.
static int openInput(AVFormatContext **context, const AVInputFormat *format, const char *list, AVDictionary *options) {
  (*context)->io_open = refuseOpen;
  (*context)->max_streams = 256;
  LAVU(av_dict_set)(&options, "format_whitelist", list, 0);
  LAVU(av_dict_set)(&options, "codec_whitelist", audioDecoders, 0);
  LAVU(av_dict_set)(&options, "protocol_whitelist", "", 0);
  int error = LAV(avformat_open_input)(context, "", format, &options);
  LAVU(av_dict_free)(&options);
  return error;
}

int lavOpenInput(AVFormatContext **context, const AVInputFormat *format) {
  return openInput(context, format, demuxers, NULL);
}

void lav_close(LAVReader *reader) {
  if (!reader) return;
  LAVU(av_frame_free)(&reader->frame);
  LAVU(av_frame_free)(&reader->converted);
  LAVU(av_frame_free)(&reader->strictFrame);
  LAV(av_packet_free)(&reader->packet);
  LAV(swr_free)(&reader->swr);
  LAVU(av_channel_layout_uninit)(&reader->swrLayout);
  LAVU(av_channel_layout_uninit)(&reader->layout);
  LAV(avcodec_free_context)(&reader->codec);
  LAV(avcodec_free_context)(&reader->strict);
  LAV(avformat_close_input)(&reader->format);
  if (reader->io) {
    LAVU(av_freep)(&reader->io->buffer);
    LAV(avio_context_free)(&reader->io);
  }
  LAVU(av_free)(reader->hash);
  LAVU(av_free)(reader->hashBuffer);
  free(reader->masks);
  free(reader->prefix);
  free(reader);
}

static LAVStatus statusOfOpening(const LAVReader *reader, int error) {
  if (reader->report.readErrno) return LAVStatusReadError;
  if (error == AVERROR(ENOMEM)) return LAVStatusOutOfMemory;
  // EINVAL means that the demuxer is not allowed; INVALIDDATA can also mean that probing failed.
  return LAVStatusUnknownFormat;
}

static LAVStatus openContainer(LAVReader *reader, const LAVInput *input) {
  const AVInputFormat *format = NULL;
  const char *demuxer = input->demuxer;
  if (demuxer && !(format = LAV(av_find_input_format)(demuxer))) return LAVStatusUnsupportedCodec;

  uint8_t *buffer = LAVU(av_malloc)(ioBufferSize);
  if (!buffer) return LAVStatusOutOfMemory;
  reader->io = LAV(avio_alloc_context)(buffer, ioBufferSize, 0, reader, readBytes, NULL,
                                  reader->isStream ? NULL : seekBytes);
  if (!reader->io) {
    LAVU(av_free)(buffer);
    return LAVStatusOutOfMemory;
  }
  reader->format = LAV(avformat_alloc_context)();
  if (!reader->format) return LAVStatusOutOfMemory;
  reader->format->pb = reader->io;
  AVDictionary *options = NULL;
  if (input->sampleRate > 0) LAVU(av_dict_set_int)(&options, "sample_rate", input->sampleRate, 0);
  if (input->channelCount > 0) {
    char layout[64];
    AVChannelLayout standard = {0};
    LAVU(av_channel_layout_default)(&standard, input->channelCount);
    LAVU(av_channel_layout_describe)(&standard, layout, sizeof layout);
    LAVU(av_channel_layout_uninit)(&standard);
    LAVU(av_dict_set)(&options, "ch_layout", layout, 0);
  }
  int error = openInput(&reader->format, format, input->excludesFrames ? markedDemuxers : demuxers, options);
  if (error < 0) {
    LAVStatus status = statusOfOpening(reader, error);
    return status == LAVStatusUnknownFormat && format ? LAVStatusCorrupt : status;
  }
  return LAVStatusOK;
}

static LAVStatus chooseStream(LAVReader *reader) {
  AVFormatContext *format = reader->format;
  bool hasAudio = false;
  for (unsigned i = 0; i < format->nb_streams; i++) {
    bool isAudio = format->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
    if (!isAudio) format->streams[i]->discard = AVDISCARD_ALL;
    hasAudio = hasAudio || isAudio;
  }
  if (!hasAudio && !(format->ctx_flags & AVFMTCTX_NOHEADER)) return LAVStatusNoAudio;
  int error = LAV(avformat_find_stream_info)(format, NULL);
  if (error == AVERROR(ENOMEM)) return LAVStatusOutOfMemory;
  if (reader->report.readErrno) return LAVStatusReadError;

  int index = LAV(av_find_best_stream)(format, AVMEDIA_TYPE_AUDIO, -1, -1, &reader->decoder, 0);
  if (index == AVERROR_DECODER_NOT_FOUND) return LAVStatusUnsupportedCodec;
  if (index < 0) {
    // The decoder of TTA in FFmpeg 5.1 knows no layout of 5 channels.
    bool isTTA = format->nb_streams > 0 && format->streams[0]->codecpar->codec_id == AV_CODEC_ID_TTA;
    return isTTA ? LAVStatusUnsupportedCodec : LAVStatusNoAudio;
  }
  reader->stream = format->streams[index];
  for (unsigned i = 0; i < format->nb_streams; i++) {
    if ((int)i != index) format->streams[i]->discard = AVDISCARD_ALL;
  }
  bool isBare = strcmp(format->iformat->name, "mp3") == 0 || strcmp(format->iformat->name, "aac") == 0;
  reader->syncLimit = isBare ? bareSyncLimit : syncLimit;
  reader->sincePacket = 0;
  reader->report.lostSync = false;
  return LAVStatusOK;
}

LAVStatus lav_open(const LAVInput *input, LAVReader **result, int *readErrno) {
  lavPrepare();
  *result = NULL;
  *readErrno = 0;
  if (input->end < input->start || input->start < 0 || input->prefixCount < 0) return LAVStatusNoAudio;
  LAVReader *reader = calloc(1, sizeof *reader);
  if (!reader) return LAVStatusOutOfMemory;
  reader->descriptor = input->descriptor;
  reader->nextFrameNumber = -1;
  reader->packetStart = AV_NOPTS_VALUE;
  reader->start = input->start;
  reader->isStream = input->isStream;
  reader->sumsPackets = input->sumsPackets;
  reader->syncLimit = syncLimit;
  reader->prefixCount = input->prefixCount;
  reader->length = input->prefixCount + (input->end - input->start);
  LAVStatus status = LAVStatusOutOfMemory;
  reader->packet = LAV(av_packet_alloc)();
  reader->frame = LAVU(av_frame_alloc)();
  reader->converted = LAVU(av_frame_alloc)();
  if (!reader->packet || !reader->frame || !reader->converted) goto fail;
  if (input->prefixCount > 0) {
    reader->prefix = malloc(input->prefixCount);
    if (!reader->prefix) goto fail;
    memcpy(reader->prefix, input->prefix, input->prefixCount);
  }
  if (input->maskCount > 0) {
    reader->masks = calloc(input->maskCount, sizeof *reader->masks);
    if (!reader->masks) goto fail;
    memcpy(reader->masks, input->masks, input->maskCount * sizeof *reader->masks);
    reader->maskCount = input->maskCount;
  }
  status = openContainer(reader, input);
  if (status != LAVStatusOK) goto fail;
  status = chooseStream(reader);
  if (status != LAVStatusOK) goto fail;
  *result = reader;
  return LAVStatusOK;
fail:
  *readErrno = reader->report.readErrno;
  lav_close(reader);
  return status;
}

// Description

static LAVSampleType sampleType(int format) {
  switch (LAVU(av_get_packed_sample_fmt)(format)) {
  case AV_SAMPLE_FMT_U8: return LAVSampleTypeUInt8;
  case AV_SAMPLE_FMT_S16: return LAVSampleTypeInt16;
  case AV_SAMPLE_FMT_FLT: return LAVSampleTypeFloat;
  case AV_SAMPLE_FMT_DBL: return LAVSampleTypeDouble;
  default: return LAVSampleTypeInt32;
  }
}

LAVFormat lav_format(const LAVReader *reader) {
  const AVCodecParameters *parameters = reader->stream->codecpar;
  const AVCodecDescriptor *descriptor = LAV(avcodec_descriptor_get)(parameters->codec_id);
  bool isStarted = reader->sampleRate > 0;
  LAVFormat format = {
      .container = reader->format->iformat->name,
      .codec = LAV(avcodec_get_name)(parameters->codec_id),
      .sampleRate = isStarted ? reader->sampleRate : parameters->sample_rate,
      .channelCount = isStarted ? reader->layout.nb_channels : parameters->ch_layout.nb_channels,
      .sampleType = sampleType(isStarted ? reader->sampleFormat : parameters->format),
      .bitRate = parameters->bit_rate > 0 ? parameters->bit_rate : 0,
      .claimedFrameCount = -1,
      .estimatedFrameCount = -1,
  };
  const AVChannelLayout *layout = isStarted ? &reader->layout : &parameters->ch_layout;
  if (layout->order == AV_CHANNEL_ORDER_NATIVE) format.channelMask = layout->u.mask;
  // FFmpeg's table marks DTS as both lossless and lossy, because that depends on the kind of file. It does the same for
  // WavPack, which is hardly ever lossy.
  int properties = descriptor ? descriptor->props : 0;
  bool isDSD = strncmp(format.codec, "dsd_", 4) == 0 || parameters->codec_id == AV_CODEC_ID_DST;
  format.isLossless = isDSD || ((properties & AV_CODEC_PROP_LOSSLESS) &&
                                (!(properties & AV_CODEC_PROP_LOSSY) || parameters->codec_id == AV_CODEC_ID_WAVPACK));
  if (isDSD) {
    format.bitDepth = 1;
  } else if (format.isLossless) {
    format.bitDepth = parameters->bits_per_raw_sample > 0 ? parameters->bits_per_raw_sample
                                                          : parameters->bits_per_coded_sample;
    if (format.bitDepth < 0 || format.bitDepth > 64) format.bitDepth = 0;
  }
  if (reader->format->duration_estimation_method != AVFMT_DURATION_FROM_BITRATE && format.sampleRate > 0) {
    AVRational frames = {1, format.sampleRate};
    AVRational microseconds = {1, AV_TIME_BASE};
    if (reader->stream->duration > 0 && reader->stream->time_base.num > 0 && reader->stream->time_base.den > 0) {
      format.claimedFrameCount = LAVU(av_rescale_q)(reader->stream->duration, reader->stream->time_base, frames);
    } else if (reader->format->duration > 0) {
      format.claimedFrameCount = LAVU(av_rescale_q)(reader->format->duration, microseconds, frames);
    }
    // Ogg positions include the samples that Opus drops at the start.
    if (strcmp(format.container, "ogg") == 0) format.claimedFrameCount -= parameters->initial_padding;
    if (format.claimedFrameCount < 0) format.claimedFrameCount = -1;
  } else if (reader->format->duration > 0 && format.sampleRate > 0) {
    AVRational frames = {1, format.sampleRate};
    format.estimatedFrameCount = LAVU(av_rescale_q)(reader->format->duration, (AVRational){1, AV_TIME_BASE}, frames);
  }
  return format;
}

LAVReport lav_report(const LAVReader *reader) {
  LAVReport report = reader->report;
  if (reader->hash) {
    // Finishing destroys the state.
    struct AVMD5 *copy = LAVU(av_memdup)(reader->hash, LAVU(av_md5_size));
    if (copy) LAVU(av_md5_final)(copy, report.digest);
    LAVU(av_free)(copy);
  }
  return report;
}

void lav_extradata(const LAVReader *reader, const uint8_t **bytes, int *count) {
  *bytes = reader->stream->codecpar->extradata;
  *count = *bytes ? reader->stream->codecpar->extradata_size : 0;
}

// Packets

static void countBadPacket(LAVReader *reader) {
  if (reader->report.lastPacketIsBad) return;
  reader->report.badPacketCount++;
  reader->report.lastPacketIsBad = true;
  reader->report.packetByteCount -= reader->lastPacketSize;
}

/// Compares the number in the header of a FLAC frame (RFC 9639, section 9.1.5) with the number of the previous frame.
/// Frames of equal length are numbered consecutively. Frames of varying length have the number of their first sample,
/// which only has to increase.
static void checkFrameNumber(LAVReader *reader) {
  const uint8_t *bytes = reader->packet->data;
  // No frame is shorter than a header of six bytes, a subframe and a checksum; frames of silence are hardly longer.
  if (reader->packet->size < 9 || bytes[0] != 0xff || (bytes[1] & 0xfe) != 0xf8) return;
  int64_t number = bytes[4];
  int count = 0;
  if (number >= 0xc0) {
    while (count < 6 && (number << count & 0x40)) count++;
    if (reader->packet->size < 5 + count) return;
    number &= 0x3f >> count;
    for (int i = 0; i < count; i++) number = number << 6 | (bytes[5 + i] & 0x3f);
  }
  bool isCounted = !(bytes[1] & 1);
  int64_t expected = reader->nextFrameNumber;
  if (expected >= 0 && (isCounted ? number != expected : number < expected)) reader->report.gapCount++;
  reader->nextFrameNumber = number + 1;
}

static void checkMPEGFrame(LAVReader *reader) {
  LAVChecksum checksum = lavMPEGChecksum(reader->packet->data, reader->packet->size);
  if (checksum != LAVChecksumNone) reader->report.checksumCount++;
  if (checksum == LAVChecksumWrong) reader->report.wrongChecksumCount++;
}

/// Continues the checksum of all packets.
static void sumPacket(LAVReader *reader) {
  const AVCRC *table = LAVU(av_crc_get_table)(AV_CRC_16_ANSI_LE);
  if (!table) return;
  uint32_t sum = LAVU(av_crc)(table, reader->report.packetChecksum, reader->packet->data, reader->packet->size);
  reader->report.packetChecksum = (uint16_t)sum;
}

static bool isContainer(const LAVReader *reader, const char *name) {
  return LAVU(av_match_list)(name, reader->format->iformat->name, ',') > 0;
}

/// Compares the decoded length of the last packet with its duration. `next` is the start of the next packet in PCM
/// frames, or AV_NOPTS_VALUE at the end. The duration of a packet that is as long as others, or the last one, may include
/// a gap.
static void settlePacket(LAVReader *reader, int64_t next) {
  int64_t decoded = reader->packetFrameCount, duration = reader->packetDuration, most = reader->maxPacketFrameCount;
  bool isLast = next == AV_NOPTS_VALUE;
  if (!isLast && reader->packetStart != AV_NOPTS_VALUE && next > reader->packetStart) {
    duration = next - reader->packetStart;
  }
  if (decoded > most) reader->maxPacketFrameCount = most = decoded;
  bool isFull = decoded > 0 && (isLast || decoded == most);
  if (isFull && duration > decoded) reader->report.timestampGap += duration - decoded;
  if (isContainer(reader, "matroska")) {
    // Timestamps are in milliseconds.
    int64_t gap = duration - decoded, slack = reader->sampleRate / 200;
    if (decoded > 0 && !isLast && gap > slack && gap + slack > most) reader->report.missingCount++;
  }
  if (!isLast && !reader->packetIsTrimmed && !reader->report.lastPacketIsBad && decoded > 0) {
    bool isTimed = isContainer(reader, "mov") || isContainer(reader, "caf") ||
                   (isContainer(reader, "matroska") && reader->codec->codec_id == AV_CODEC_ID_OPUS);
    bool isShort = 2 * decoded <= (duration < most ? duration : most);
    if (isTimed && isShort) reader->report.shortPacketCount++;
  }
  reader->packetFrameCount = 0;
  reader->packetDuration = 0;
}

/// Counts the last packet if it is flawed.
static void settleFlaw(LAVReader *reader) {
  if (reader->isFlawed) reader->report.flawedPacketCount++;
  reader->report.lastPacketIsFlawed = reader->isFlawed;
  reader->isFlawed = false;
}

/// Settles the last packet, and records start and duration of the next one.
static void timePacket(LAVReader *reader) {
  if (!reader->codec || reader->codec->sample_rate <= 0) return;
  const AVPacket *packet = reader->packet;
  AVRational unit = reader->stream->time_base, frames = {1, reader->codec->sample_rate};
  int64_t start = AV_NOPTS_VALUE;
  if (packet->pts != AV_NOPTS_VALUE) start = LAVU(av_rescale_q)(packet->pts, unit, frames);
  bool hasOrder = start != AV_NOPTS_VALUE && reader->packetStart != AV_NOPTS_VALUE;
  if (reader->report.packetCount > 0) settlePacket(reader, start == AV_NOPTS_VALUE ? 0 : start);
  if (hasOrder && start < reader->packetStart && isContainer(reader, "matroska")) reader->report.disorderCount++;
  size_t size = 0;
  reader->packetIsTrimmed = LAV(av_packet_get_side_data)(packet, AV_PKT_DATA_SKIP_SAMPLES, &size) != NULL ||
                            (packet->flags & AV_PKT_FLAG_DISCARD) || reader->report.packetCount < 2;
  reader->packetDuration = LAVU(av_rescale_q)(packet->duration, unit, frames);
  reader->packetStart = start;
}

/// Compares the size of a packet with the lengths in its header.
static void checkLength(LAVReader *reader, enum AVCodecID codec) {
  const AVPacket *packet = reader->packet;
  bool isWhole = true, refersBack = false;
  switch (codec) {
  case AV_CODEC_ID_MP3:
    isWhole = lavTakeLayerIII(&reader->reservoir, packet->data, packet->size, &refersBack);
    if (refersBack) reader->report.startsMidStream = true;
    break;
  case AV_CODEC_ID_DTS: isWhole = lavIsWholeDTS(packet->data, packet->size); break;
  case AV_CODEC_ID_MLP:
  case AV_CODEC_ID_TRUEHD: isWhole = lavIsWholeMLP(packet->data, packet->size); break;
  default: break;
  }
  if (!isWhole) reader->isFlawed = true;
}

static bool nextPacket(LAVReader *reader) {
  while (!reader->packetsEnded) {
    LAV(av_packet_unref)(reader->packet);
    int64_t before = reader->position;
    int error = LAV(av_read_frame)(reader->format, reader->packet);
    if (error >= 0) {
      if (reader->packet->stream_index != reader->stream->index) continue;
      timePacket(reader);
      settleFlaw(reader);
      reader->sincePacket = 0;
      reader->report.packetCount++;
      reader->report.packetByteCount += reader->packet->size;
      reader->lastPacketSize = reader->packet->size;
      reader->report.lastPacketIsBad = false;
      enum AVCodecID codec = reader->stream->codecpar->codec_id;
      reader->report.demuxedByteCount += reader->packet->size;
      if (reader->sumsPackets) sumPacket(reader);
      checkLength(reader, codec);
      if (codec == AV_CODEC_ID_FLAC) checkFrameNumber(reader);
      bool isMPEG = codec == AV_CODEC_ID_MP1 || codec == AV_CODEC_ID_MP2 || codec == AV_CODEC_ID_MP3;
      if (isMPEG) checkMPEGFrame(reader);
      // PCM has no packets of its own: if the length is unknown, the last packet is short and marked as corrupt.
      bool isPCM = LAV(av_get_exact_bits_per_sample)(codec) > 0;
      if (!isPCM && (reader->packet->flags & AV_PKT_FLAG_CORRUPT)) countBadPacket(reader);
      return true;
    }
    bool mayGoOn = error == AVERROR_INVALIDDATA && reader->position > before && !reader->report.readErrno &&
                   !reader->report.lostSync && ++reader->report.demuxerErrorCount <= demuxerErrorLimit;
    if (mayGoOn) continue;
    // The Musepack 8 demuxer ends every file with -1.
    reader->report.endedByError = error != AVERROR_EOF && error != -1;
    settlePacket(reader, AV_NOPTS_VALUE);
    settleFlaw(reader);
    reader->packetsEnded = true;
  }
  LAV(av_packet_unref)(reader->packet);
  return false;
}

const AVStream *readerStream(const LAVReader *reader) { return reader->stream; }

const AVPacket *readerPacket(const LAVReader *reader) { return reader->packet; }

static uint32_t littleEndian(const uint8_t *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

bool lav_next_packet(LAVReader *reader, LAVPacket *packet) {
  if (!nextPacket(reader)) return false;
  *packet = (LAVPacket){
      .bytes = reader->packet->data, .count = reader->packet->size, .flags = reader->packet->flags};
  size_t size = 0;
  const uint8_t *dropped = LAV(av_packet_get_side_data)(reader->packet, AV_PKT_DATA_SKIP_SAMPLES, &size);
  if (dropped && size >= 8) {
    packet->droppedAtStart = littleEndian(dropped);
    packet->droppedAtEnd = littleEndian(dropped + 4);
  }
  packet->parameters = LAV(av_packet_get_side_data)(reader->packet, AV_PKT_DATA_NEW_EXTRADATA, &size);
  if (packet->parameters) packet->parameterCount = (int)size;
  AVRational unit = reader->stream->time_base;
  int64_t first = reader->stream->start_time == AV_NOPTS_VALUE ? 0 : reader->stream->start_time;
  bool isTimed = reader->packet->pts != AV_NOPTS_VALUE;
  packet->start = isTimed ? (double)(reader->packet->pts - first) * av_q2d(unit) : NAN;
  packet->duration = reader->packet->duration > 0 ? (double)reader->packet->duration * av_q2d(unit) : 0;
  int64_t position = reader->packet->pos;
  packet->offset = position < reader->prefixCount ? -1 : reader->start + position - reader->prefixCount;
  return true;
}

// Decoding

static bool isSupported(int format) {
  switch (LAVU(av_get_packed_sample_fmt)(format)) {
  case AV_SAMPLE_FMT_U8:
  case AV_SAMPLE_FMT_S16:
  case AV_SAMPLE_FMT_S32:
  case AV_SAMPLE_FMT_FLT:
  case AV_SAMPLE_FMT_DBL: return true;
  default: return false;
  }
}

static bool isWithinLimits(const AVFrame *frame) {
  return frame->sample_rate >= LAV_MINIMUM_SAMPLE_RATE && frame->sample_rate <= LAV_MAXIMUM_SAMPLE_RATE &&
         frame->ch_layout.nb_channels >= 1 && frame->ch_layout.nb_channels <= LAV_MAXIMUM_CHANNEL_COUNT &&
         isSupported(frame->format);
}

/// Adds a frame to the hash: interleaved, little-endian, with as many bytes per sample as the bit depth needs (RFC
/// 9639, section 8.2).
static void hashFrame(LAVReader *reader) {
  const AVFrame *frame = reader->frame;
  int channels = frame->ch_layout.nb_channels;
  int held = LAVU(av_get_bytes_per_sample)(frame->format);
  int bits = reader->codec->bits_per_raw_sample;
  if (bits <= 0 || bits > 8 * held || LAVU(av_sample_fmt_is_planar)(frame->format)) return;
  int64_t count = (int64_t)frame->nb_samples * channels;
  const uint8_t *bytes = frame->data[0];
  int width = (bits + 7) / 8;
  if (bits != 8 * held) {
    // The samples occupy the high bits.
    LAVU(av_fast_malloc)(&reader->hashBuffer, &reader->hashBufferSize, (size_t)(count * width));
    if (!reader->hashBuffer) return;
    uint8_t *to = reader->hashBuffer;
    for (int64_t i = 0; i < count; i++) {
      int32_t sample = held == 2 ? ((const int16_t *)bytes)[i] : ((const int32_t *)bytes)[i];
      sample >>= 8 * held - bits;
      for (int byte = 0; byte < width; byte++) *to++ = (uint8_t)(sample >> (8 * byte));
    }
    bytes = reader->hashBuffer;
  }
  LAVU(av_md5_update)(reader->hash, bytes, (size_t)(count * width));
}

/// Opens `strict`, unless the container is MP3's own, whose tables have checksums.
static void startStrict(LAVReader *reader) {
  if (reader->codec->codec_id != AV_CODEC_ID_MP3 || isContainer(reader, "mp3")) return;
  reader->strict = LAV(avcodec_alloc_context3)(reader->decoder);
  reader->strictFrame = LAVU(av_frame_alloc)();
  if (!reader->strict || !reader->strictFrame) return;
  // Not for the decoder of the audio: with this flag, it silences granules that some encoders do not fill.
  reader->strict->err_recognition = AV_EF_BUFFER;
  reader->strict->thread_count = 1;
  bool isReady = LAV(avcodec_parameters_to_context)(reader->strict, reader->stream->codecpar) >= 0 &&
                 LAV(avcodec_open2)(reader->strict, reader->decoder, NULL) >= 0;
  if (!isReady) LAV(avcodec_free_context)(&reader->strict);
}

static void checkStrictly(LAVReader *reader) {
  if (!reader->strict || !reader->strictFrame) return;
  reader->isUneven = false;
  listening = reader;
  if (LAV(avcodec_send_packet)(reader->strict, reader->packet) >= 0) {
    while (LAV(avcodec_receive_frame)(reader->strict, reader->strictFrame) >= 0) {
      LAVU(av_frame_unref)(reader->strictFrame);
    }
  }
  listening = NULL;
  if (reader->isUneven) reader->report.unevenPacketCount++;
}

/// Decodes into `reader->frame`. Returns false at the end.
static bool decodeFrame(LAVReader *reader) {
  enum AVCodecID codec = reader->codec->codec_id;
  bool listens = codec == AV_CODEC_ID_TRUEHD || codec == AV_CODEC_ID_MLP;
  int refusals = 0;
  while (!reader->ended) {
    LAVU(av_frame_unref)(reader->frame);
    listening = listens ? reader : NULL;
    int error = LAV(avcodec_receive_frame)(reader->codec, reader->frame);
    listening = NULL;
    if (error >= 0) {
      if (reader->frame->nb_samples <= 0) continue;
      reader->packetFrameCount += reader->frame->nb_samples;
      if (reader->hash) hashFrame(reader);
      return true;
    }
    if (error == AVERROR_EOF) break;
    if (error != AVERROR(EAGAIN)) {
      countBadPacket(reader);
      // A decoder that neither returns frames nor accepts packets would otherwise loop forever.
      if (++refusals > 64) break;
      continue;
    }
    refusals = 0;
    bool hasPacket = nextPacket(reader);
    if (hasPacket) checkStrictly(reader);
    listening = listens ? reader : NULL;
    error = LAV(avcodec_send_packet)(reader->codec, hasPacket ? reader->packet : NULL);
    listening = NULL;
    if (hasPacket && error < 0 && error != AVERROR(EAGAIN)) countBadPacket(reader);
    if (!hasPacket && error < 0 && error != AVERROR_EOF && error != AVERROR(EAGAIN)) break;
  }
  reader->ended = true;
  return false;
}

LAVStatus lav_start(LAVReader *reader, const LAVFormat *like) {
  reader->codec = LAV(avcodec_alloc_context3)(reader->decoder);
  if (!reader->codec) return LAVStatusOutOfMemory;
  if (LAV(avcodec_parameters_to_context)(reader->codec, reader->stream->codecpar) < 0) return LAVStatusOutOfMemory;
  reader->codec->pkt_timebase = reader->stream->time_base;
  reader->codec->thread_count = 1;
  // Lossless codecs and AC-3 have checksums. A frame with a wrong checksum is damaged, and would sound like a burst of
  // noise.
  enum AVCodecID codecID = reader->codec->codec_id;
  bool isChecked = lav_format(reader).isLossless || codecID == AV_CODEC_ID_AC3 || codecID == AV_CODEC_ID_EAC3;
  if (isChecked) reader->codec->err_recognition |= AV_EF_CRCCHECK | AV_EF_EXPLODE;
  int error = LAV(avcodec_open2)(reader->codec, reader->decoder, NULL);
  if (error == AVERROR(ENOMEM)) return LAVStatusOutOfMemory;
  if (error < 0) return LAVStatusUnsupportedCodec;
  startStrict(reader);

  if (!decodeFrame(reader)) {
    if (reader->report.readErrno) return LAVStatusReadError;
    return reader->report.badPacketCount > 0 ? LAVStatusCorrupt : LAVStatusNoAudio;
  }
  if (!isWithinLimits(reader->frame)) return LAVStatusAbsurdHeader;
  reader->sampleFormat = reader->frame->format;
  if (like) {
    reader->sampleRate = like->sampleRate;
    if (like->channelMask == 0 || LAVU(av_channel_layout_from_mask)(&reader->layout, like->channelMask) < 0) {
      LAVU(av_channel_layout_default)(&reader->layout, like->channelCount);
    }
  } else {
    reader->sampleRate = reader->frame->sample_rate;
    if (LAVU(av_channel_layout_copy)(&reader->layout, &reader->frame->ch_layout) < 0) return LAVStatusOutOfMemory;
  }
  reader->frameIsPending = true;
  return LAVStatusOK;
}

void lav_hash_samples(LAVReader *reader) {
  if (reader->hash || reader->codec->codec_id != AV_CODEC_ID_FLAC || !(reader->hash = LAVU(av_md5_alloc)())) return;
  LAVU(av_md5_init)(reader->hash);
  if (reader->frameIsPending) hashFrame(reader);
}

/// Determines a layout that libswresample can mix: the frame's own layout, or the default for its channel count.
static int mixableLayout(AVChannelLayout *layout, const AVChannelLayout *source) {
  if (source->order == AV_CHANNEL_ORDER_UNSPEC) {
    LAVU(av_channel_layout_default)(layout, source->nb_channels);
    return 0;
  }
  return LAVU(av_channel_layout_copy)(layout, source);
}

static bool hasChanged(const LAVReader *reader, const AVFrame *frame) {
  return frame->sample_rate != reader->sampleRate || frame->ch_layout.nb_channels != reader->layout.nb_channels;
}

static bool startConversion(LAVReader *reader, const AVFrame *frame) {
  AVChannelLayout input = {0}, output = {0};
  bool isReady = mixableLayout(&input, &frame->ch_layout) >= 0 && mixableLayout(&output, &reader->layout) >= 0 &&
                 LAV(swr_alloc_set_opts2)(&reader->swr, &output, AV_SAMPLE_FMT_FLTP, reader->sampleRate, &input,
                                     frame->format, frame->sample_rate, 0, NULL) >= 0 &&
                 LAV(swr_init)(reader->swr) >= 0;
  LAVU(av_channel_layout_uninit)(&reader->swrLayout);
  if (isReady) isReady = LAVU(av_channel_layout_copy)(&reader->swrLayout, &frame->ch_layout) >= 0;
  LAVU(av_channel_layout_uninit)(&input);
  LAVU(av_channel_layout_uninit)(&output);
  if (!isReady) LAV(swr_free)(&reader->swr);
  reader->swrRate = frame->sample_rate;
  reader->swrFormat = frame->format;
  return isReady;
}

/// Converts `count` frames of `data` into `reader->converted`; NULL flushes the converter.
static bool convert(LAVReader *reader, const uint8_t **data, int count) {
  int room = LAV(swr_get_out_samples)(reader->swr, count);
  if (room <= 0) return false;
  AVFrame *output = reader->converted;
  LAVU(av_frame_unref)(output);
  output->format = AV_SAMPLE_FMT_FLTP;
  output->sample_rate = reader->sampleRate;
  output->nb_samples = room;
  if (mixableLayout(&output->ch_layout, &reader->layout) < 0 || LAVU(av_frame_get_buffer)(output, 0) < 0) return false;
  int written = LAV(swr_convert)(reader->swr, output->extended_data, room, data, count);
  output->nb_samples = written > 0 ? written : 0;
  return written > 0;
}

/// Sets `reader->current` to the next frame to return. Returns false at the end.
static bool nextFrame(LAVReader *reader) {
  reader->current = NULL;
  reader->currentOffset = 0;
  for (;;) {
    bool hasFrame = reader->frameIsPending || decodeFrame(reader);
    reader->frameIsPending = hasFrame;
    AVFrame *frame = reader->frame;
    if (hasFrame && !isWithinLimits(frame)) {
      countBadPacket(reader);
      reader->frameIsPending = false;
      continue;
    }
    bool fits = hasFrame && reader->swr && frame->sample_rate == reader->swrRate &&
                frame->format == reader->swrFormat &&
                LAVU(av_channel_layout_compare)(&frame->ch_layout, &reader->swrLayout) == 0;
    if (reader->swr && !fits) {
      // The tail of the old conversion comes before the waiting frame.
      bool hasTail = convert(reader, NULL, 0);
      LAV(swr_free)(&reader->swr);
      if (hasFrame && !hasChanged(reader, frame)) reader->report.formatChangeCount++;
      if (hasTail) {
        reader->current = reader->converted;
        return true;
      }
    }
    if (!hasFrame) return false;
    reader->frameIsPending = false;
    if (!hasChanged(reader, frame)) {
      reader->current = frame;
      return true;
    }
    if (!reader->swr) {
      reader->report.formatChangeCount++;
      if (!startConversion(reader, frame)) {
        countBadPacket(reader);
        continue;
      }
    }
    if (convert(reader, (const uint8_t **)frame->extended_data, frame->nb_samples)) {
      reader->current = reader->converted;
      return true;
    }
  }
}

#define COPY_SAMPLES(TYPE, EXPRESSION)                                                                                 \
  do {                                                                                                                 \
    for (int c = 0; c < channels; c++) {                                                                               \
      float *restrict to = samples + (int64_t)c * stride;                                                              \
      if (isPlanar) {                                                                                                  \
        const TYPE *restrict from = (const TYPE *)frame->extended_data[c] + offset;                                    \
        for (int i = 0; i < count; i++) {                                                                              \
          TYPE x = from[i];                                                                                            \
          to[i] = (EXPRESSION);                                                                                        \
        }                                                                                                              \
      } else if (channels == 2) {                                                                                      \
        const TYPE *restrict from = (const TYPE *)frame->extended_data[0] + (int64_t)offset * 2 + c;                   \
        for (int i = 0; i < count; i++) {                                                                              \
          TYPE x = from[2 * i];                                                                                        \
          to[i] = (EXPRESSION);                                                                                        \
        }                                                                                                              \
      } else {                                                                                                         \
        const TYPE *restrict from = (const TYPE *)frame->extended_data[0] + (int64_t)offset * channels + c;            \
        for (int i = 0; i < count; i++) {                                                                              \
          TYPE x = from[(int64_t)i * channels];                                                                        \
          to[i] = (EXPRESSION);                                                                                        \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  } while (0)

static void copyFrames(const AVFrame *frame, int offset, int count, float *samples, int stride) {
  int channels = frame->ch_layout.nb_channels;
  bool isPlanar = LAVU(av_sample_fmt_is_planar)(frame->format);
  switch (LAVU(av_get_packed_sample_fmt)(frame->format)) {
  case AV_SAMPLE_FMT_U8: COPY_SAMPLES(uint8_t, (float)(x - 128) * (1.0f / 128)); break;
  case AV_SAMPLE_FMT_S16: COPY_SAMPLES(int16_t, (float)x * (1.0f / 32768)); break;
  case AV_SAMPLE_FMT_S32: COPY_SAMPLES(int32_t, (float)x * (1.0f / 2147483648.0f)); break;
  case AV_SAMPLE_FMT_FLT: COPY_SAMPLES(float, x); break;
  case AV_SAMPLE_FMT_DBL: COPY_SAMPLES(double, (float)x); break;
  default: break;
  }
}

int lav_read(LAVReader *reader, float *samples, int stride, int capacity) {
  int filled = 0;
  while (filled < capacity) {
    if (!reader->current || reader->currentOffset >= reader->current->nb_samples) {
      if (!nextFrame(reader)) break;
    }
    int count = reader->current->nb_samples - reader->currentOffset;
    if (count > capacity - filled) count = capacity - filled;
    copyFrames(reader->current, reader->currentOffset, count, samples + filled, stride);
    reader->currentOffset += count;
    filled += count;
  }
  return filled;
}

const char *lav_version(void) { return LAVU(av_version_info)(); }

bool lav_has_decoder(const char *name) { return LAV(avcodec_find_decoder_by_name)(name) != NULL; }
