// What a host compiler must be told before device text.

#define STM_EMULATED 1
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
