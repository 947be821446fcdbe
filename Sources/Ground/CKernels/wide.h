/* Loops that are compiled twice for x86-64: for what every processor has, and wide, with 8 floats a register.
 *
 * `WIDE` ones have AVX2 and no FMA, so with FP_CONTRACT off their sums are the same to the bit on every processor, which
 * Checks/test_kernels.py compares. `WIDE_FMA` is for numbers that are only compared with limits. Not with `target_clones`: the thread
 * sanitizer instruments its resolvers, which run before the sanitizer is ready. */
#ifndef NOCTURNE_WIDE_H
#define NOCTURNE_WIDE_H

#define INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && !defined(NOCTURNE_BASELINE)
#define WIDE static __attribute__((target("avx2")))
#define IS_WIDE __builtin_cpu_supports("avx2")
#define WIDE_FMA static __attribute__((target("arch=x86-64-v3")))
#define IS_WIDE_FMA __builtin_cpu_supports("x86-64-v3")
#else
#define WIDE static
#define IS_WIDE 0
#define WIDE_FMA static
#define IS_WIDE_FMA 0
#endif

#endif
