#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/statfs.h>

int cspawn_exchange(const char *one, const char *other) {
  return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0 ? 0 : errno;
}

/* Network file systems return EAGAIN for all files that their server has not delegated. */
static int is_remote(int file) {
  enum { nfs = 0x6969, smb = 0x517B, cifs = 0xFF534D42, smb2 = 0xFE534D42, afs = 0x5346414F, ceph = 0x00C36400 };
  struct statfs system;
  if (fstatfs(file, &system) != 0) return 1;
  switch ((unsigned)system.f_type) {
    case nfs: case smb: case (unsigned)cifs: case (unsigned)smb2: case afs: case ceph: return 1;
    default: return 0;
  }
}

int cspawn_lease(int file) {
  /* SIGURG is ignored by default, unlike SIGIO, which would end the program. */
  if (fcntl(file, F_SETSIG, SIGURG) != 0) return errno;
  if (fcntl(file, F_SETLEASE, F_RDLCK) == 0) return 0;
  int problem = errno;
  return problem == EAGAIN && is_remote(file) ? ENOTSUP : problem;
}

int cspawn_lease_is_whole(int file) { return fcntl(file, F_GETLEASE) == F_RDLCK; }

void cspawn_end_lease(int file) { fcntl(file, F_SETLEASE, F_UNLCK); }
