/* lapackstatus.h - what the return value of a function of LAPACKE means */
#pragma once

#include "base/error.h"

#include <lapacke.h>

/* Whether the computation succeeded.  If there was no memory for LAPACK's work
 * array, this ends the program as g_malloc() does: the caller must not mistake
 * that for a failure to converge. */
static inline gboolean
lapack_succeeded (lapack_int info)
{
  if (info == LAPACK_WORK_MEMORY_ERROR
      || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
    tessera_abort_without_memory ();
  return info == 0;
}
