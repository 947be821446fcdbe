/// Functions of FFmpeg's libraries, loaded on first use and called as `LAV(av_read_frame)(…)`. The functions of
/// libavutil, called as `LAVU(av_malloc)(…)`, are separate, because digests need no other library. An internal header,
/// not visible to Swift.
#ifndef CLIBAV_LOADED_H
#define CLIBAV_LOADED_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <libavutil/channel_layout.h>
#include <libavutil/crc.h>
#include <libavutil/hmac.h>
#include <libavutil/md5.h>
#include <libavutil/opt.h>
#include <libavutil/sha.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

#define LAV_UTIL_FUNCTIONS(of)                                                                                         \
  of(av_channel_layout_compare) of(av_channel_layout_copy) of(av_channel_layout_default)                               \
  of(av_channel_layout_describe) of(av_channel_layout_from_mask) of(av_channel_layout_uninit) of(av_crc)               \
  of(av_crc_get_table) of(av_dict_copy)                                                                                \
  of(av_dict_free) of(av_dict_get) of(av_dict_set) of(av_dict_set_int) of(av_fast_malloc) of(av_frame_alloc)           \
  of(av_frame_free) of(av_frame_get_buffer) of(av_frame_unref) of(av_free) of(av_freep) of(av_get_bytes_per_sample)    \
  of(av_get_packed_sample_fmt) of(av_hmac_alloc) of(av_hmac_calc) of(av_hmac_free) of(av_log_set_callback)             \
  of(av_log_set_level) of(av_malloc) of(av_mallocz) of(av_match_list) of(av_max_alloc) of(av_md5_alloc)                \
  of(av_md5_final) of(av_md5_init)                                                                                     \
  of(av_md5_size) of(av_md5_sum) of(av_md5_update) of(av_memdup) of(av_opt_set_double) of(av_opt_set_int)              \
  of(av_rescale_q) of(av_sample_fmt_is_planar) of(av_samples_alloc_array_and_samples) of(av_sha_alloc)                 \
  of(av_sha_final) of(av_sha_init) of(av_sha_update) of(av_version_info)

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

#define LAV_RESAMPLE_FUNCTIONS(of)                                                                                     \
  of(swr_alloc_set_opts2) of(swr_convert) of(swr_free) of(swr_get_out_samples) of(swr_init)

#define LAV_SCALE_FUNCTIONS(of) of(sws_freeContext) of(sws_getContext) of(sws_scale)

#define LAV_MEMBER(name) __typeof__(name) *name;

typedef struct LAVUtilFunctions {
  LAV_UTIL_FUNCTIONS(LAV_MEMBER)
} LAVUtilFunctions;

typedef struct LAVFunctions {
  LAV_CODEC_FUNCTIONS(LAV_MEMBER)
  LAV_FORMAT_FUNCTIONS(LAV_MEMBER)
  LAV_RESAMPLE_FUNCTIONS(LAV_MEMBER)
  LAV_SCALE_FUNCTIONS(LAV_MEMBER)
} LAVFunctions;

#undef LAV_MEMBER

/// Loads the libraries on the first call.
const LAVUtilFunctions *lavUtilFunctions(void);
const LAVFunctions *lavFunctions(void);

#define LAVU(name) (*lavUtilFunctions()->name)
#define LAV(name) (*lavFunctions()->name)

#endif
