#include "CLibAV.h"
#include "loaded.h"

#include <libavutil/hmac.h>
#include <libavutil/md5.h>
#include <libavutil/mem.h>
#include <libavutil/sha.h>

bool LAVSHA256(const uint8_t *bytes, size_t count, uint8_t *digest) {
  struct AVSHA *sha = LAVU(av_sha_alloc)();
  if (sha == NULL) return false;
  LAVU(av_sha_init)(sha, 256);
  LAVU(av_sha_update)(sha, bytes, count);
  LAVU(av_sha_final)(sha, digest);
  LAVU(av_free)(sha);
  return true;
}

bool LAVHMACSHA256(const uint8_t *key, size_t keyCount, const uint8_t *bytes, size_t count, uint8_t *code) {
  AVHMAC *hmac = LAVU(av_hmac_alloc)(AV_HMAC_SHA256);
  if (hmac == NULL) return false;
  int written = LAVU(av_hmac_calc)(hmac, bytes, (unsigned)count, key, (unsigned)keyCount, code, 32);
  LAVU(av_hmac_free)(hmac);
  return written == 32;
}

void LAVMD5(const uint8_t *bytes, size_t count, uint8_t *digest) { LAVU(av_md5_sum)(digest, bytes, count); }

struct LAVDigest {
  struct AVSHA *sha;
  struct AVMD5 *md5;
};

LAVDigest *LAVDigestOpen(bool isSHA256) {
  LAVDigest *digest = LAVU(av_mallocz)(sizeof *digest);
  if (digest == NULL) return NULL;
  if (isSHA256) digest->sha = LAVU(av_sha_alloc)();
  else digest->md5 = LAVU(av_md5_alloc)();
  if (digest->sha != NULL) LAVU(av_sha_init)(digest->sha, 256);
  else if (digest->md5 != NULL) LAVU(av_md5_init)(digest->md5);
  else LAVU(av_freep)(&digest);
  return digest;
}

void LAVDigestUpdate(LAVDigest *digest, const void *bytes, size_t count) {
  if (digest->sha != NULL) LAVU(av_sha_update)(digest->sha, bytes, count);
  else LAVU(av_md5_update)(digest->md5, bytes, count);
}

int LAVDigestFinish(LAVDigest *digest, uint8_t *result) {
  if (digest->sha != NULL) LAVU(av_sha_final)(digest->sha, result);
  else LAVU(av_md5_final)(digest->md5, result);
  return digest->sha != NULL ? 32 : 16;
}

void LAVDigestClose(LAVDigest *digest) {
  LAVU(av_free)(digest->sha);
  LAVU(av_free)(digest->md5);
  LAVU(av_free)(digest);
}
