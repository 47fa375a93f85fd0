/* sgemm.c - GFLOP/s of products of floats by one thread, in core seconds
 *
 * The yardstick of tests/quality/quality.py, which measures it before each
 * picture: what the machine gives in that moment.
 */
#include "tests/bench/bench.h"
#include "tests/support.h"

#include <stdio.h>

#define SIZE 512
#define TRIES 5

int
main (int argc, char **argv)
{
  double best = G_MAXDOUBLE;
  MatF A, B, C;

  (void) argc;
  bench_start (argv);
  A = random_matf (SIZE, SIZE, 1);
  B = random_matf (SIZE, SIZE, 2);
  C = matf_new (SIZE, SIZE);
  for (int try = 0; try < TRIES; try++) {
    double begun = bench_core_seconds ();

    matf_multiply (1, &A, PLAIN, &B, PLAIN, 0, &C);
    best = MIN (best, bench_core_seconds () - begun);
  }
  printf ("%.1f\n", 2e-9 * SIZE * SIZE * SIZE / best);
  matf_clear (&A);
  matf_clear (&B);
  matf_clear (&C);
  return 0;
}
