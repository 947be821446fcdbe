/* Tells the thread sanitizer what it cannot see of Swift's Mutex.
 *
 * While no thread waits, a Mutex is an atomic operation in the program's own code. When a thread waits, the lock changes hands in
 * libswiftSynchronization and the kernel, and the sanitizer would report a race on the protected data. `Scripts/sanitize` links
 * this before the library: it wraps the library's two functions for waiting threads and informs the sanitizer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

/* Weak, for programs without the sanitizer that the same build links. */
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

/* Synchronization._MutexHandle._lockSlow(Swift.UInt32) -> () */
SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, SELF) {
  ((SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK))(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

/* Synchronization._MutexHandle._unlockSlow() -> () */
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);
SWIFT void unlock_slow(SELF) {
  if (__tsan_release) __tsan_release(self);
  ((SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK))(self);
}
