#include "tests/bench/bench.h"

#include "app/system/restart.h"
#include "base/parallel.h"
#include "tests/support.h"

#include <time.h>

/* Products per chunk, and chunks per measurement. */
#define PRODUCTS 8
#define CHUNKS 8
#define TRIES 3

void
bench_start (char **argv)
{
  restart_if_needed (argv);
  parallel_init (0);
}

double
bench_now (void)
{
  return (double) g_get_monotonic_time () / G_USEC_PER_SEC;
}

double
bench_core_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

typedef struct {
  MatF A, B, C[CHUNKS];
} Products;

static void
multiply (int chunk, int worker, gpointer data)
{
  Products *p = data;

  (void) worker;
  for (int i = 0; i < PRODUCTS; i++)
    matf_multiply (1, &p->A, TRANSPOSED, &p->B, PLAIN, 0, &p->C[chunk]);
}

double
bench_sgemm (int n)
{
  Products p = { .A = random_matf (n, n, 1), .B = random_matf (n, n, 2) };
  double best = G_MAXDOUBLE;

  for (int i = 0; i < CHUNKS; i++)
    p.C[i] = matf_new (n, n);
  for (int try = 0; try < TRIES; try++) {
    double begun = bench_now ();

    parallel_for (CHUNKS, multiply, &p, NULL, NULL);
    best = MIN (best, bench_now () - begun);
  }
  matf_clear (&p.A);
  matf_clear (&p.B);
  for (int i = 0; i < CHUNKS; i++)
    matf_clear (&p.C[i]);
  return 2. * n * n * n * PRODUCTS * CHUNKS / best / 1e9;
}
