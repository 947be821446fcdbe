#ifndef CSPAWN_H
#define CSPAWN_H

/* Without <sys/types.h>: Swift would take its types from this module or from Glibc, depending on the order of files.
   */
#include <stddef.h>

/* Runs programs with GNU extensions that Swift's Glibc module does not expose. Functions return 0 or an errno unless
   noted otherwise. */

/* A program and its execution environment. */
struct cspawn_program {
  /* The name (looked up in PATH if it has no slash) and the arguments, followed by NULL. */
  char *const *arguments;
  /* NAME=value entries, followed by NULL; NULL to use the environment of this process. */
  char *const *environment;
  /* The working folder; NULL to use the working folder of this process. */
  const char *folder;
  /* The descriptors that become the program's descriptors 0, 1 and 2. None of them may itself be 0, 1 or 2; -1 means
     /dev/null. */
  int descriptors[3];
  /* True if the program leads a new session, which contains everything it starts, even in other process groups.
     Otherwise it leads a new process group. */
  int leads_session;
  /* Limits on writable memory in bytes, and on processor time in seconds; 0 for no limit. The program cannot raise
     them. */
  size_t memory_limit;
  unsigned processor_seconds;
  /* Minimum niceness. */
  int niceness;
};

/* The command line of this process, read without /proc: the name of the program and its arguments. NULL beyond the
   last. */
int cspawn_argument_count(void);
const char *cspawn_argument(int position);

/* Starts a program with default signal handling, with only the given descriptors, and without the limit set by
   cspawn_limit_memory. The program is killed when the thread or process that started it ends. A session leader gets
   SIGUSR1 instead, which kills it unless it handles that signal (cspawn_end_session_with_parent). */
int cspawn_start(int *process, const struct cspawn_program *program);

/* Forks this process, which must have a single thread; `*process` is 0 in the copy. The copy keeps all open descriptors
   and is killed when this process ends. */
int cspawn_copy(int *process);

/* Waits for a process that has ended or is about to end, and reports how it ended, like cspawn_kill_and_reap. */
int cspawn_reap(int process, int *status, int *signal);

/* Limits the writable memory of this process, but not of programs it starts: allocations beyond it fail. Call it once.
   */
int cspawn_limit_memory(size_t bytes);

/* Makes all threads share one heap. In limited address space, glibc finds no room for a heap per thread and searches
   again at every allocation. Call it before the second thread is started. */
void cspawn_share_heap(void);

/* Keeps up to 32 MB of freed memory for later allocations, including large ones, which glibc otherwise returns to the
   system at once. */
void cspawn_keep_heap(void);

/* Like write(2), but never raises SIGPIPE. On success, `*written` is the count. */
int cspawn_write(int descriptor, const void *bytes, size_t count, size_t *written);

/* True if the program has ended. The program is not reaped, so its process group keeps its number. */
int cspawn_has_ended(int process);

/* Kills an unreaped program, the rest of its process group and, if it leads a session, the rest of that. */
void cspawn_kill(int process);

/* Like cspawn_kill, but waits for the end of the program, reaps it, and reports how it ended: exit status in `*status`,
   or signal number in `*signal` (otherwise 0). */
int cspawn_kill_and_reap(int process, int *status, int *signal);

/* Kills everything in a session except its leader. */
void cspawn_kill_others_in_session(int session);

/* For a session leader started by cspawn_start: kills the whole session, not only this process, when its parent ends
   for any reason. Uses SIGUSR1 and a thread. Call it once. */
int cspawn_end_session_with_parent(void);

/* Sets a minimum niceness for all threads of this process, at least the niceness of the main thread: libdispatch resets
   its own threads in a process whose niceness root has set. With `idle_disk`, threads access the disk only when no
   other process does (the idle class, or the lowest best-effort priority if the idle class is denied); schedulers
   without such classes ignore it. Programs started later inherit both. */
void cspawn_lower_priority(int nice_value, int idle_disk);

/* Gives the calling thread the priority that cspawn_lower_priority gave to the main thread. For worker threads started
   later: they may be started by a libdispatch thread, which has niceness 0 in root's processes. */
void cspawn_share_priority(void);

/* Sets a minimum niceness for the calling thread. Programs that it starts later inherit it. */
void cspawn_lower_thread_priority(int nice_value);

/* Copies all extended attributes, including access control lists, from one open file to another. Attributes that only
   the system may set (security.*) are skipped where it does not allow them to be set. Returns 0 or an errno. */
int cspawn_copy_attributes(int from, int to);

/* Exchanges the names of two files on one file system. Returns 0 or an errno, which is EINVAL if the file system cannot
   exchange names. */
int cspawn_exchange(const char *one, const char *other);

/* Blocks programs that try to open the file for writing until cspawn_end_lease is called. The file must be open for
   reading only. Returns 0, EAGAIN if another program has it open for writing, or another errno where leases are not
   supported. */
int cspawn_lease(int file);

/* True if no program is waiting to open the file for writing. */
int cspawn_lease_is_whole(int file);

void cspawn_end_lease(int file);

/* Opens a file or folder below a folder with openat2(2). Symbolic links in the path fail with ELOOP, or are followed
   unless they lead out of the folder, which fails with EXDEV. Returns 0 or an errno: ENOSYS before Linux 5.6, and
   ENOSYS or EPERM if a system call filter (seccomp) does not recognize the call. */
int cspawn_open_beneath(int folder, const char *path, int flags, int follows_links, int *opened);

/* O_PATH */
extern const int cspawn_path_only;

#endif
