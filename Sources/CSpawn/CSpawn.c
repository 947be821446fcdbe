#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int make_pipe(int *reading, int *writing, int nonblocking_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  if (fcntl(ends[nonblocking_end], F_SETFL, O_NONBLOCK) != 0) {
    int problem = errno;
    close(ends[0]);
    close(ends[1]);
    return problem;
  }
  *reading = ends[0];
  *writing = ends[1];
  return 0;
}

int cspawn_input_pipe(int *reading, int *writing) { return make_pipe(reading, writing, 1); }

int cspawn_output_pipe(int *reading, int *writing) { return make_pipe(reading, writing, 0); }

int cspawn_start(pid_t *process, char *const argv[], int input, int output, int error) {
  /* Should this process have 0, 1 or 2 closed, a pipe may sit there and would be overwritten by the first dup2. */
  if ((input >= 0 && input <= 2) || output <= 2 || error <= 2) return EBADF;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int problem = posix_spawn_file_actions_init(&actions);
  if (problem != 0) return problem;
  problem = posix_spawnattr_init(&attributes);
  if (problem != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return problem;
  }

  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  problem = input >= 0 ? posix_spawn_file_actions_adddup2(&actions, input, 0)
                       : posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (problem == 0) problem = posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (problem == 0) problem = posix_spawn_file_actions_adddup2(&actions, error, 2);
  if (problem == 0) problem = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  if (problem == 0) problem = posix_spawnattr_setsigmask(&attributes, &none);
  if (problem == 0) problem = posix_spawnattr_setsigdefault(&attributes, &all);
  if (problem == 0) problem = posix_spawnattr_setpgroup(&attributes, 0);
  if (problem == 0) {
    problem = posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  if (problem == 0) problem = posix_spawnp(process, argv[0], &actions, &attributes, argv, environ);

  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return problem;
}

int cspawn_write(int descriptor, const void *bytes, size_t count, size_t *written) {
  sigset_t pipe_signal, before, pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigpending(&pending);
  int was_pending = sigismember(&pending, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);

  ssize_t result = write(descriptor, bytes, count);
  int problem = result < 0 ? errno : 0;
  if (problem == EPIPE && !was_pending) {
    struct timespec now = {0, 0};
    while (sigtimedwait(&pipe_signal, NULL, &now) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (problem == 0) *written = (size_t)result;
  return problem;
}

int cspawn_has_ended(pid_t process) {
  siginfo_t info;
  info.si_pid = 0;
  if (waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != EINTR;
  return info.si_pid != 0;
}

int cspawn_kill_and_reap(pid_t process, int *status, int *signal_number) {
  int wait_status = 0;
  pid_t reaped;
  *status = 0;
  *signal_number = 0;
  kill(-process, SIGKILL);
  do {
    reaped = waitpid(process, &wait_status, 0);
  } while (reaped < 0 && errno == EINTR);
  if (reaped < 0) return errno;
  if (WIFSIGNALED(wait_status)) {
    *signal_number = WTERMSIG(wait_status);
  } else {
    *status = WEXITSTATUS(wait_status);
  }
  return 0;
}
