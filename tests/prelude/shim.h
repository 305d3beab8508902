// Definitions that a host compiler needs for device text.

#define STM_EMULATED 1
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
