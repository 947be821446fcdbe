/// Declarations shared by the files of this module; not visible to Swift.
#ifndef CLIBAV_STREAM_H
#define CLIBAV_STREAM_H

#include "CLibAV.h"

#include "loaded.h"

/// Sets FFmpeg's process-wide limits. Must be called before any other FFmpeg function.
void lavPrepare(void);
/// Opens the input `(*context)->pb` with the allowed demuxers and decoders. On failure `*context` is NULL.
int lavOpenInput(AVFormatContext **context, const AVInputFormat *format);

const AVStream *readerStream(const LAVReader *reader);
/// The packet last returned by `lav_next_packet`.
const AVPacket *readerPacket(const LAVReader *reader);

#endif
