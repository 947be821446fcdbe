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

/* The limit before cspawn_limit_memory was called, which is restored for started programs. */
static struct rlimit memory_limit_before;
static volatile int is_memory_limited;

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
/* No memory limit: sanitizers reserve terabytes that are never written, but would count toward it. */
enum { limits_memory = 0 };
#else
enum { limits_memory = 1 };
#endif

/* Lowers a limit irreversibly. */
static int lower_limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return errno;
  if (limit.rlim_max > hard) limit.rlim_max = hard;
  limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
  return setrlimit(resource, &limit) == 0 ? 0 : errno;
}

/* Applies all limits before the program starts. */
static int limit_resources(const struct cspawn_program *program) {
  if (is_memory_limited && setrlimit(RLIMIT_DATA, &memory_limit_before) != 0) return errno;
  int problem = 0;
  if (limits_memory && program->memory_limit > 0) {
    problem = lower_limit(RLIMIT_DATA, program->memory_limit, program->memory_limit);
  }
  /* The soft limit is reached first, so its signal identifies the cause. */
  rlim_t seconds = program->processor_seconds;
  if (problem == 0 && seconds > 0) problem = lower_limit(RLIMIT_CPU, seconds, seconds + 1);
  if (problem == 0 && program->niceness > 0 && getpriority(PRIO_PROCESS, 0) < program->niceness) {
    setpriority(PRIO_PROCESS, 0, program->niceness);
  }
  return problem;
}

/* Runs in the memory of the parent, which is waiting, so only system calls are allowed. Returns only on failure. */
static int become(const struct cspawn_program *program, pid_t parent) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
  if ((program->leads_session ? setsid() < 0 : setpgid(0, 0) != 0)) return errno;
  if (prctl(PR_SET_PDEATHSIG, program->leads_session ? SIGUSR1 : SIGKILL) != 0) return errno;
  if (getppid() != parent) return ESRCH;
  for (int number = 0; number <= 2; number++) {
    int given = program->descriptors[number];
    if (given < 0) given = open("/dev/null", number == 0 ? O_RDONLY : O_WRONLY);
    if (given < 0 || dup2(given, number) < 0) return errno;
  }
  closefrom(3);
  if (program->folder != NULL && chdir(program->folder) != 0) return errno;
  int problem = limit_resources(program);
  if (problem != 0) return problem;
  if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) return errno;
  execvpe(program->arguments[0], program->arguments, program->environment != NULL ? program->environment : environ);
  return errno;
}

int cspawn_start(pid_t *process, const struct cspawn_program *program) {
  for (int number = 0; number <= 2; number++) {
    /* The first dup2 would overwrite descriptors 0 to 2. */
    if (program->descriptors[number] >= 0 && program->descriptors[number] <= 2) return EBADF;
  }

  /* posix_spawn cannot request a signal for when the parent ends. The mask keeps handlers from running in the child. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int problem = 0;
  pid_t parent = getpid();
  pid_t child = vfork();
  if (child == 0) {
    problem = become(program, parent);
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

int cspawn_limit_memory(size_t bytes) {
  if (!limits_memory) return ENOTSUP;
  if (getrlimit(RLIMIT_DATA, &memory_limit_before) != 0) return errno;
  struct rlimit limit = {bytes, memory_limit_before.rlim_max};
  if (setrlimit(RLIMIT_DATA, &limit) != 0) return errno;
  is_memory_limited = 1;
  return 0;
}

void cspawn_share_heap(void) { mallopt(M_ARENA_MAX, 1); }

void cspawn_keep_heap(void) {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
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

/* Processes may start others during the search; a few passes find those as well. */
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
  /* A copy belongs to this process's group, so the call above does not reach it. */
  kill(process, SIGKILL);
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
