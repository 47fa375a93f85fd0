#include "app/system/blasguard.h"

#include "app/system/memory.h"
#include "base/error.h"
#include "base/matrix.h"

#include <sys/mman.h>

/* The largest that OpenBLAS has for any processor. */
#define BLAS_BUFFER ((gsize) 128 << 20)

/* For the stack of a thread. */
#define THREAD_SPACE ((gsize) 8 << 20)

/* More threads are worth it only while they leave most of the space to the
 * pictures. */
#define SHARE_FOR_THREADS 4

/* A product large enough that no version of OpenBLAS does it without its
 * buffer, which it then keeps. */
#define LARGE_PRODUCT 128

static gboolean
has_room (gsize bytes)
{
  void *space = mmap (NULL, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (space == MAP_FAILED)
    return FALSE;
  munmap (space, bytes);
  return TRUE;
}

static void
claim_blas_buffer (void)
{
  g_auto (Mat) A = mat_new (LARGE_PRODUCT, LARGE_PRODUCT);
  g_auto (Mat) B = mat_new (LARGE_PRODUCT, LARGE_PRODUCT);

  mat_multiply (1, &A, PLAIN, &A, PLAIN, 0, &B);
}

gboolean
blas_guard_prepare (int *threads, GError **error)
{
  gsize each = SHARE_FOR_THREADS * (BLAS_BUFFER + THREAD_SPACE);
  gsize product = 2 * LARGE_PRODUCT * LARGE_PRODUCT * sizeof (double);

  if (!memory_is_limited ())
    return TRUE;
  if (*threads <= 0)
    *threads = (int) g_get_num_processors ();
  while (*threads > 1 && !has_room ((gsize) *threads * each))
    (*threads)--;
  if (!has_room (BLAS_BUFFER + 2 * product)) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                 "not enough memory: OpenBLAS alone needs %d MiB; raise the "
                 "limit of 'ulimit -v'",
                 (int) (BLAS_BUFFER >> 20));
    return FALSE;
  }
  claim_blas_buffer ();
  return TRUE;
}
