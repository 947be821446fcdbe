#include "CLibAV.h"

#include <libavutil/mem.h>
#include <libavutil/sha.h>

bool LAVSHA256(const uint8_t *bytes, size_t count, uint8_t *digest) {
  struct AVSHA *sha = av_sha_alloc();
  if (sha == NULL) return false;
  av_sha_init(sha, 256);
  av_sha_update(sha, bytes, count);
  av_sha_final(sha, digest);
  av_free(sha);
  return true;
}
