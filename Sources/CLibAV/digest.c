#include "CLibAV.h"

#include <libavutil/hmac.h>
#include <libavutil/md5.h>
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

bool LAVHMACSHA256(const uint8_t *key, size_t keyCount, const uint8_t *bytes, size_t count, uint8_t *code) {
  AVHMAC *hmac = av_hmac_alloc(AV_HMAC_SHA256);
  if (hmac == NULL) return false;
  int written = av_hmac_calc(hmac, bytes, (unsigned)count, key, (unsigned)keyCount, code, 32);
  av_hmac_free(hmac);
  return written == 32;
}

void LAVMD5(const uint8_t *bytes, size_t count, uint8_t *digest) { av_md5_sum(digest, bytes, count); }
