/// What the files of this module share; not for Swift.
#ifndef CLIBAV_STREAM_H
#define CLIBAV_STREAM_H

#include "CLibAV.h"

#include "loaded.h"

/// Sets the limits of FFmpeg that hold for the whole process; to be called before anything else of it.
void lavPrepare(void);
/// Opens what `(*context)->pb` gives with the demuxers and decoders that are allowed. On failure `*context` is NULL.
int lavOpenInput(AVFormatContext **context, const AVInputFormat *format);

/// The chosen stream.
const AVStream *readerStream(const LAVReader *reader);
/// The packet that `lav_next_packet` gave last.
const AVPacket *readerPacket(const LAVReader *reader);

#endif
