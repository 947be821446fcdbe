/// What the writer takes from a reader; not for Swift.
#ifndef CLIBAV_STREAM_H
#define CLIBAV_STREAM_H

#include "CLibAV.h"

#include <libavformat/avformat.h>

/// The chosen stream.
const AVStream *readerStream(const LAVReader *reader);
/// The packet that `lav_next_packet` gave last.
const AVPacket *readerPacket(const LAVReader *reader);

#endif
