#include "base/cpudispatch.h"

int
cpu_set (int i)
{
  int found[CPU_SETS];
  int count = 0;

#if defined(__x86_64__)
  int fma = __builtin_cpu_supports ("fma");

  if (fma && __builtin_cpu_supports ("avx512f")
      && __builtin_cpu_supports ("avx512dq"))
    found[count++] = CPU_AVX512;
  if (fma && __builtin_cpu_supports ("avx2"))
    found[count++] = CPU_AVX2;
#endif
  found[count++] = CPU_PORTABLE;
  return i < count ? found[i] : CPU_NO_SET;
}
