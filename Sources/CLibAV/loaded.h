/// libavcodec and libavformat, whose functions are called as `LAV(av_read_frame)(…)`; not for Swift.
#ifndef CLIBAV_LOADED_H
#define CLIBAV_LOADED_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#define LAV_CODEC_FUNCTIONS(of)                                                                                        \
  of(av_codec_is_decoder) of(av_codec_iterate) of(av_get_exact_bits_per_sample) of(av_new_packet) of(av_packet_alloc)    \
  of(av_packet_free) of(av_packet_get_side_data) of(av_packet_ref) of(av_packet_rescale_ts) of(av_packet_unref)          \
  of(avcodec_alloc_context3) of(avcodec_descriptor_get) of(avcodec_find_decoder) of(avcodec_find_decoder_by_name)        \
  of(avcodec_find_encoder) of(avcodec_free_context) of(avcodec_get_name) of(avcodec_open2) of(avcodec_parameters_copy)   \
  of(avcodec_parameters_to_context) of(avcodec_receive_frame) of(avcodec_receive_packet) of(avcodec_send_frame)          \
  of(avcodec_send_packet)

#define LAV_FORMAT_FUNCTIONS(of)                                                                                       \
  of(av_find_best_stream) of(av_find_input_format) of(av_interleaved_write_frame) of(av_read_frame)                      \
  of(av_write_trailer) of(avformat_alloc_context) of(avformat_alloc_output_context2) of(avformat_close_input)            \
  of(avformat_find_stream_info) of(avformat_free_context) of(avformat_new_stream) of(avformat_open_input)                \
  of(avformat_write_header) of(avio_alloc_context) of(avio_context_free) of(avio_flush)

typedef struct LAVFunctions {
#define LAV_MEMBER(name) __typeof__(name) *name;
  LAV_CODEC_FUNCTIONS(LAV_MEMBER)
  LAV_FORMAT_FUNCTIONS(LAV_MEMBER)
#undef LAV_MEMBER
} LAVFunctions;

/// Loads the libraries at the first call.
const LAVFunctions *lavFunctions(void);

#define LAV(function) (*lavFunctions()->function)

#endif
