#ifndef CSPAWN_H
#define CSPAWN_H

#include <sys/types.h>

/* Running programs with GNU extensions that Swift's Glibc module does not show. Functions return 0 or an errno. */

/* A program, and what it gets. */
struct cspawn_program {
  /* Its name, looked up in PATH if it has no slash, its arguments, and NULL. */
  char *const *arguments;
  /* Lines NAME=value, and NULL; not given, the environment of this process. */
  char *const *environment;
  /* Where it works; NULL for the folder of this process. */
  const char *folder;
  /* Its descriptors 0, 1 and 2: none of these numbers; -1 for /dev/null. */
  int descriptors[3];
  /* Whether it leads a new session, which also contains everything it will start, even in other process groups.
     Otherwise it leads a new process group. */
  int leads_session;
  /* Bytes of writable memory, and seconds of processor time; 0 for no limit. Neither can be raised by the program. */
  size_t memory_limit;
  unsigned processor_seconds;
  /* The least. */
  int niceness;
};

/* Starts a program. It gets default signal handling, no descriptor that is not named, and no limit set by
   cspawn_limit_memory. When the thread or process that started it ends, it is killed. The leader of a session gets
   SIGUSR1 instead, which kills it unless it handles that (cspawn_end_session_with_parent). */
int cspawn_start(pid_t *process, const struct cspawn_program *program);

/* Makes a copy of this process, which must have a single thread; `*process` is 0 in the copy. The copy keeps all open
   descriptors, and is killed when this process ends. */
int cspawn_copy(pid_t *process);

/* Waits for a process that has ended, or is about to, and reports how, like cspawn_kill_and_reap. */
int cspawn_reap(pid_t process, int *status, int *signal);

/* Bounds the writable memory of this process, not of programs it starts: allocations beyond it fail. Call it once. */
int cspawn_limit_memory(size_t bytes);

/* Makes all threads share one heap: in limited address space, glibc finds no room for a heap per thread and searches
   again at every allocation. Call it before the second thread is started. */
void cspawn_share_heap(void);

/* Keeps up to 32 MB of freed memory for the next allocation, also that of large ones, which glibc else gives back at once. */
void cspawn_keep_heap(void);

/* write(2) that never raises SIGPIPE: `*written` is the count on success. */
int cspawn_write(int descriptor, const void *bytes, size_t count, size_t *written);

/* Whether the program has ended (it stays unreaped, so its process group keeps its number). */
int cspawn_has_ended(pid_t process);

/* Kills an unreaped program and what is left of its process group and, if it leads one, of its session. */
void cspawn_kill(pid_t process);

/* Does the same, reaps the program and reports how it ended: exit status in `*status`, or the signal's number in
   `*signal` (otherwise 0). Waits until it is gone. */
int cspawn_kill_and_reap(pid_t process, int *status, int *signal);

/* Kills everything in a session except its leader. */
void cspawn_kill_others_in_session(pid_t session);

/* For a session leader started by cspawn_start: kills the whole session, not only this process, when its parent ends,
   however that happens. Uses SIGUSR1 and a thread. Call it once. */
int cspawn_end_session_with_parent(void);

/* Gives all threads of this process at least this niceness, and that of the main thread: libdispatch resets its own
   threads in a process whose niceness root has set. With `idle_disk` they access the disk only when no other process
   does (the idle class, or the lowest of best effort if that is denied); schedulers without such classes ignore it.
   Programs started later inherit both. */
void cspawn_lower_priority(int nice_value, int idle_disk);

/* Gives the calling thread the priority that cspawn_lower_priority gave to the main thread. For worker threads started
   later: a thread of libdispatch may have started them, and those have niceness 0 in root's processes. */
void cspawn_share_priority(void);

/* Gives the calling thread at least this niceness. Programs that it starts later inherit it. */
void cspawn_lower_thread_priority(int nice_value);

/* Gives the open file `to` all extended attributes of the open file `from`, access control lists among them. What only the
   system may set (security.*) is left out where it does not allow that. Returns 0 or an errno. */
int cspawn_copy_attributes(int from, int to);

/* Lets two files of one file system change names. Returns 0 or an errno: EINVAL where the file system cannot. */
int cspawn_exchange(const char *one, const char *other);

/* Holds up all who would open the file, open for reading only, for writing, until cspawn_end_lease. Returns 0, EAGAIN if
   another program has it open for writing, or another errno where there are no leases. */
int cspawn_lease(int file);

/* Whether nobody waits to open the file for writing. */
int cspawn_lease_is_whole(int file);

void cspawn_end_lease(int file);

/* Opens what is below a folder: openat2(2). Symbolic links in the path are the error ELOOP, or are followed while they do
   not lead out of the folder, which is the error EXDEV. Returns 0 or an errno: ENOSYS before Linux 5.6, and that or EPERM
   where a filter of system calls (seccomp) does not know it. */
int cspawn_open_beneath(int folder, const char *path, int flags, int follows_links, int *opened);

/* O_PATH */
extern const int cspawn_path_only;

#endif
