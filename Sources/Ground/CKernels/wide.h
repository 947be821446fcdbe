/* Compiles loops twice for x86-64: once for the baseline, and once with 8 floats per register (wide). `WIDE` functions
 * use AVX2 without FMA. With FP_CONTRACT off, their sums are therefore identical, bit for bit, on every processor;
 * Checks/test_kernels.py compares them. `WIDE_FMA` is for numbers that are only compared with limits. `target_clones`
 * is not used: the thread sanitizer instruments its resolvers, which run before the sanitizer is ready. */
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
