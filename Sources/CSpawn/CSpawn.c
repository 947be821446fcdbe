#define _GNU_SOURCE
#include "CSpawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

/* The limit before cspawn_limit_memory, to restore it for started programs. */
static struct rlimit memory_limit_before;
static volatile int is_memory_limited;

/* Runs in the memory of the parent, which waits for it: only system calls are allowed. Returns only on failure. */
static int become(char *const argv[], int leads_session, int input, int output, int error, pid_t parent) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
  if ((leads_session ? setsid() < 0 : setpgid(0, 0) != 0)) return errno;
  if (prctl(PR_SET_PDEATHSIG, leads_session ? SIGUSR1 : SIGKILL) != 0) return errno;
  if (getppid() != parent) return ESRCH;
  if (input < 0) input = open("/dev/null", O_RDONLY);
  if (input < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(error, 2) < 0) return errno;
  closefrom(3);
  if (is_memory_limited && setrlimit(RLIMIT_DATA, &memory_limit_before) != 0) return errno;
  if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) return errno;
  execvp(argv[0], argv);
  return errno;
}

int cspawn_start(pid_t *process, char *const argv[], int leads_session, int input, int output, int error) {
  /* If this process has closed 0, 1 or 2, a pipe may have that number and the first dup2 would overwrite it. */
  if ((input >= 0 && input <= 2) || output <= 2 || error <= 2) return EBADF;

  /* posix_spawn cannot request the signal at the parent's end. No handler may run in the child, hence the mask. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int problem = 0;
  pid_t parent = getpid();
  pid_t child = vfork();
  if (child == 0) {
    problem = become(argv, leads_session, input, output, error, parent);
    _exit(127);
  }
  if (child < 0) problem = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (child > 0 && problem != 0) {
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
  }
  if (problem == 0) *process = child;
  return problem;
}

int cspawn_copy(pid_t *process) {
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)) _exit(127);
  *process = child;
  return 0;
}

/* Sanitizers reserve terabytes that are never written, and the limit would count them. */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
int cspawn_limit_memory(size_t bytes) { return ENOTSUP; }
#else
int cspawn_limit_memory(size_t bytes) {
  if (getrlimit(RLIMIT_DATA, &memory_limit_before) != 0) return errno;
  struct rlimit limit = {bytes, memory_limit_before.rlim_max};
  if (setrlimit(RLIMIT_DATA, &limit) != 0) return errno;
  is_memory_limited = 1;
  return 0;
}
#endif

void cspawn_share_heap(void) { mallopt(M_ARENA_MAX, 1); }

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

/* Processes may start others during the search: a few passes find those too. */
void cspawn_kill_others_in_session(pid_t session) {
  for (int pass = 0; pass < 3; pass++) {
    DIR *processes = opendir("/proc");
    if (processes == NULL) return;
    for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
      pid_t member = (pid_t)strtol(entry->d_name, NULL, 10);
      if (member > 0 && member != session && getsid(member) == session) kill(member, SIGKILL);
    }
    closedir(processes);
  }
}

void cspawn_kill(pid_t process) {
  kill(-process, SIGKILL);
  if (getsid(process) == process) cspawn_kill_others_in_session(process);
}

int cspawn_kill_and_reap(pid_t process, int *status, int *signal_number) {
  cspawn_kill(process);
  return cspawn_reap(process, status, signal_number);
}

int cspawn_reap(pid_t process, int *status, int *signal_number) {
  int wait_status = 0;
  pid_t reaped;
  *status = 0;
  *signal_number = 0;
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
