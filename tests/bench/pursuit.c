/* pursuit.c - speed of the pursuit beside the speed of products
 *
 * Prints for each case and number of threads: signals per second; the same per
 * GFLOP/s of sgemm, which tells more about the code than about the machine;
 * and the share of sgemm's speed at which full products would run that took
 * all of the time.
 *
 * Each case runs several times, each time between two measurements of sgemm
 * with the same number of threads, whose mean counts: a noisy neighbour hits
 * both.  A measurement is the best of a few tries, of sgemm as of the case.
 * The run with the median ratio is printed.
 */
#include "base/parallel.h"
#include "base/random.h"
#include "omp/pursuit.h"
#include "tests/bench/bench.h"
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>

#define SGEMM_SIZE 512
#define RUNS 3
#define TRIES 3 /* as in bench_sgemm() */

typedef enum { ALL_SEEN, HALF_HIDDEN, RESTORATION } Kind;

typedef struct {
  const char *name;
  Kind kind;
  int n, k, atoms, signals;
  double max_error;
} Case;

/* The last ones are what imaging/inpaint/fill.c asks for: some samples known,
 * some filled in and half trusted, rough atoms penalised. */
static const Case cases[] = {
  { "plain 64 x 256, 10 atoms", ALL_SEEN, 64, 256, 10, 100000, 0 },
  { "masked 300 x 300, 30 atoms", HALF_HIDDEN, 300, 300, 30, 4096, 0 },
  { "plain 64 x 256, to error", ALL_SEEN, 64, 256, 32, 100000, 0.5 },
  { "restore 75 x 75, 12 atoms", RESTORATION, 75, 75, 12, 16384, 0.1 },
  { "restore 300 x 300, 24 atoms", RESTORATION, 300, 300, 24, 4096, 0.1 },
};

typedef struct {
  double sgemm, rate;
} Run;

static float
weight (Kind kind, guint64 i)
{
  double u = random_uniform (1, 0, i);

  if (kind == HALF_HIDDEN)
    return u < 0.5 ? 0 : 1;
  return u < 0.3 ? 0 : u < 0.6 ? 0.3f : 1;
}

/* Operations of the products, hidden samples included: D' y for each signal,
 * and with weights D' W r for each atom and the norms of the atoms. */
static double
product_operations (const Case *c, const SparseMat *X)
{
  double pairs = 0;

  for (int p = 0; p < X->cols; p++)
    pairs += c->kind == ALL_SEEN ? 1 : 1 + MAX (1, X->count[p]);
  return pairs * 2 * c->n * c->k;
}

static int
compare_runs (const void *a, const void *b)
{
  const Run *one = a, *other = b;
  double left = one->rate / one->sgemm, right = other->rate / other->sgemm;

  return (left > right) - (left < right);
}

static void
run_case (const Case *c)
{
  g_auto (MatF) D = random_dictionary (c->n, c->k, 1);
  g_auto (MatF) Y = random_matf (c->n, c->signals, 2);
  g_auto (MatF) W = matf_new (c->n, c->signals);
  g_auto (SparseMat) X = sparse_new (c->k, c->signals, c->atoms);
  g_autoptr (Pursuit) pursuit = pursuit_new (&D, NULL);
  g_autofree float *ridge = g_new (float, c->k);
  PursuitOptions options = { .max_atoms = c->atoms,
                             .max_error = c->max_error,
                             .ridge = c->kind == RESTORATION ? ridge : NULL };
  Run runs[RUNS], *median = &runs[RUNS / 2];

  for (int j = 0; j < c->k; j++)
    ridge[j] = 0.1f * (float) j / (float) c->k;
  for (gsize i = 0; i < (gsize) c->n * (gsize) c->signals; i++)
    W.data[i] = weight (c->kind, i);
  for (int i = 0; i < RUNS; i++) {
    runs[i].sgemm = bench_sgemm (SGEMM_SIZE) / 2;
    runs[i].rate = 0;
    for (int try = 0; try < TRIES; try++) {
      double begun = bench_now ();

      pursuit_encode (pursuit, &Y, c->kind == ALL_SEEN ? NULL : &W, &options,
                      &X, NULL, NULL);
      runs[i].rate = MAX (runs[i].rate, c->signals / (bench_now () - begun));
    }
    runs[i].sgemm += bench_sgemm (SGEMM_SIZE) / 2;
  }
  qsort (runs, RUNS, sizeof runs[0], compare_runs);
  printf ("%-28s %d thread%s: %8.0f signals/s; sgemm %5.1f GFLOP/s; "
          "%6.1f signals/s per GFLOP/s; products at %2.0f %% of sgemm\n",
          c->name, parallel_threads (), parallel_threads () > 1 ? "s" : " ",
          median->rate, median->sgemm, median->rate / median->sgemm,
          100 * median->rate * product_operations (c, &X) / c->signals
            / (1e9 * median->sgemm));
}

int
main (int argc, char **argv)
{
  (void) argc;
  bench_start (argv);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int threads = 1; threads <= 2; threads++) {
      parallel_init (threads);
      run_case (&cases[i]);
    }
  return 0;
}
