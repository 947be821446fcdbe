#ifndef CSPAWN_H
#define CSPAWN_H

#include <sys/types.h>

/* Running programs with GNU extensions that Swift's Glibc module does not show. Functions return 0, or an errno. */

/* A pipe whose ends no started program inherits; the writing end does not block. */
int cspawn_input_pipe(int *reading, int *writing);

/* A pipe whose ends no started program inherits; the reading end does not block. */
int cspawn_output_pipe(int *reading, int *writing);

/* Starts argv[0] (looked up in PATH if it has no slash) as the leader of a new process group, or even of a new session,
   to which all belongs that it will start, whatever groups that makes. It gets default signal handling, the environment
   of this process and the given descriptors as 0, 1 and 2 (input -1: /dev/null); it inherits no other, and no limit set
   by cspawn_limit_memory. When the thread that started it ends, or the whole process, it is killed; the leader of a
   session gets SIGUSR1, which kills it unless it sees to that (cspawn_end_session_with_parent). */
int cspawn_start(pid_t *process, char *const argv[], int leads_session, int input, int output, int error);

/* Bounds the writable memory of this process, not of programs it starts: allocations beyond it fail. To be called once. */
int cspawn_limit_memory(size_t bytes);

/* Has all threads share one heap: where address space is limited, glibc finds no room for one of each thread's own, and
   looks again at every allocation. To be called before the second thread is started. */
void cspawn_share_heap(void);

/* write(2) that never raises SIGPIPE: `*written` is the count on success. */
int cspawn_write(int descriptor, const void *bytes, size_t count, size_t *written);

/* Whether the program has ended (it stays unreaped, so that its process group keeps its number). */
int cspawn_has_ended(pid_t process);

/* Kills what is left of the process group and, if it leads one, of the session of an unreaped program. */
void cspawn_kill(pid_t process);

/* Kills it all the same, reaps the program and tells how it ended: exit status
   in `*status`, or the signal's number in `*signal` (else 0). Waits until it is gone. */
int cspawn_kill_and_reap(pid_t process, int *status, int *signal);

/* Kills all of a session but the leader it is named after. */
void cspawn_kill_others_in_session(pid_t session);

/* For a process that cspawn_start has made the leader of a session: kills that whole session, and not this process alone,
   when the one that started it ends, however that happens. Takes SIGUSR1 and a thread. To be called once. */
int cspawn_end_session_with_parent(void);

/* Gives all threads of this process at least this niceness, and that of the main thread: libdispatch takes the niceness
   that root has given to a process from its own threads again. With `idle_disk` they get at the disk only while nobody
   else wants it (the idle class; the lowest of best effort where that is refused); schedulers without such classes do not
   heed it. Programs started later inherit both. */
void cspawn_lower_priority(int nice_value, int idle_disk);

/* Gives the calling thread what cspawn_lower_priority has given to the main thread. For threads that come later and do the
   work: one of libdispatch may have started them, and its own have the niceness 0 when root's process has another. */
void cspawn_share_priority(void);

#endif
