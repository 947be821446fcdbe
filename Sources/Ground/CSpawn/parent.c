#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int wakeup[2];

static void parent_has_ended(int number) {
  int before = errno;
  char byte = 0;
  ssize_t written = write(wakeup[1], &byte, 1);
  (void)written;
  (void)number;
  errno = before;
}

static void *end_with_parent(void *nothing) {
  char byte;
  while (read(wakeup[0], &byte, 1) < 0 && errno == EINTR) {
  }
  cspawn_kill_others_in_session(getpid());
  kill(getpid(), SIGKILL);
  return nothing;
}

int cspawn_end_session_with_parent(void) {
  /* A session with another leader contains processes that this process did not start. */
  if (getsid(0) != getpid()) return EPERM;
  if (pipe2(wakeup, O_CLOEXEC) != 0) return errno;

  /* The thread starts in advance because it reads /proc, which a signal handler may not do. */
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int problem = pthread_create(&thread, &attributes, end_with_parent, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (problem != 0) return problem;

  struct sigaction action = {.sa_handler = parent_has_ended, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  /* cspawn_start has requested this signal, which until now would have ended only this process. */
  return sigaction(SIGUSR1, &action, NULL) == 0 ? 0 : errno;
}
