/* recovery.c - how near a learned dictionary is to the true one
 *
 * For atoms a(1) .. a(k) matched to t(1) .. t(m) with signs,
 *     |A S - T|_F^2 = sum |a|^2 + |t|^2 - 2 |a' t|,
 * and the sign of a' t is the best one.  So the cost of giving atom i to the
 * true atom j is  c(i,j) = |a(i)|^2 - 2 |a(i)' t(j)|,  and the sum of costs is
 * to be least.  (|a|^2 matters only if atoms are left over.)
 *
 * Assignment by shortest augmenting paths (Jonker and Volgenant 1987).  Prices
 * u(j), v(i) are kept so that the reduced cost
 *     r(i,j) = c(i,j) - u(j) - v(i)
 * is never negative, and zero for matched pairs.  Then the matching is the
 * cheapest of its size: any other costs as much or more by the same prices.
 * The true atoms are matched one after the other:
 *
 *  1. Dijkstra's method finds the cheapest way, by r, from j to an atom that
 * is free: j takes i, whose owner takes another, and so on.  Going back from
 *     an atom to its owner costs nothing.
 *  2. Prices are moved so that r stays non-negative and becomes zero on the
 *     way: by how much nearer the atom was than the free one.
 *  3. Along the path, each true atom takes the next atom.
 *
 * A way has at most m steps of k operations each, and there are m ways.
 * Where the learned atoms are near the true ones, nearly all ways have one
 * step.
 */
#include "dictlearn/recovery.h"

#include <math.h>

enum { NOBODY = -1 };

typedef struct {
  const Mat *cost; /* k x m */
  double *u, *v;   /* prices: m of true atoms, k of learned ones */
  int *owner;      /* k: the true atom that has it, or NOBODY */
  int *atom;       /* m: the learned atom it has, or NOBODY */

  /* Of the search that is going on, k each. */
  double *length; /* of the shortest way to the atom so far */
  int *taker;     /* the true atom that takes it on this way */
  gboolean *final;
} Assignment;

static void
assignment_init (Assignment *self, const Mat *cost, int *atom)
{
  int k = cost->rows, m = cost->cols;

  *self = (Assignment){
    .cost = cost,
    .u = g_new0 (double, m),
    .v = g_new0 (double, k),
    .owner = g_new (int, k),
    .atom = atom,
    .length = g_new (double, k),
    .taker = g_new (int, k),
    .final = g_new (gboolean, k),
  };
  for (int i = 0; i < k; i++)
    self->owner[i] = NOBODY;
  for (int j = 0; j < m; j++)
    self->atom[j] = NOBODY;
}

static void
assignment_clear (Assignment *self)
{
  g_free (self->u);
  g_free (self->v);
  g_free (self->owner);
  g_free (self->length);
  g_free (self->taker);
  g_free (self->final);
}

/* Ways that go on from true atom @j, which is @so_far away. */
static void
extend_ways (Assignment *self, int j, double so_far)
{
  const double *cost = mat_at (self->cost, 0, j);
  double offset = so_far - self->u[j];

  for (int i = 0; i < self->cost->rows; i++) {
    double length = offset + cost[i] - self->v[i];

    if (!self->final[i] && length < self->length[i]) {
      self->length[i] = length;
      self->taker[i] = j;
    }
  }
}

static int
nearest_open (const Assignment *self)
{
  int nearest = NOBODY;

  for (int i = 0; i < self->cost->rows; i++)
    if (!self->final[i]
        && (nearest == NOBODY || self->length[i] < self->length[nearest]))
      nearest = i;
  return nearest;
}

/* Step 1: the free atom at the end of the cheapest way from @j. */
static int
find_free (Assignment *self, int j)
{
  int i;

  for (i = 0; i < self->cost->rows; i++) {
    self->length[i] = INFINITY;
    self->taker[i] = j;
    self->final[i] = FALSE;
  }
  extend_ways (self, j, 0);
  for (;;) {
    i = nearest_open (self);
    if (self->owner[i] == NOBODY)
      return i;
    self->final[i] = TRUE;
    extend_ways (self, self->owner[i], self->length[i]);
  }
}

/* Step 2. */
static void
move_prices (Assignment *self, int j, int free_atom)
{
  double length = self->length[free_atom];

  self->u[j] += length;
  for (int i = 0; i < self->cost->rows; i++)
    if (self->final[i]) {
      double nearer = length - self->length[i];

      self->v[i] -= nearer;
      self->u[self->owner[i]] += nearer;
    }
}

/* Step 3, from the end of the way back to @j. */
static void
take_along_way (Assignment *self, int j, int free_atom)
{
  int i = free_atom, taker;

  do {
    int given_up;

    taker = self->taker[i];
    given_up = self->atom[taker];
    self->owner[i] = taker;
    self->atom[taker] = i;
    i = given_up;
  } while (taker != j);
}

static void
assign (const Mat *cost, int *atom)
{
  Assignment self;

  assignment_init (&self, cost, atom);
  for (int j = 0; j < cost->cols; j++) {
    int free_atom = find_free (&self, j);

    move_prices (&self, j, free_atom);
    take_along_way (&self, j, free_atom);
  }
  assignment_clear (&self);
}

/* c(i,j) from the products a(i)' t(j).  What is not finite would lead the
 * search astray; it becomes more expensive than everything else. */
static void
products_to_costs (const Mat *A, const Mat *products, Mat *cost)
{
  double dearest = 0;

  for (int i = 0; i < A->cols; i++) {
    Mat a = mat_columns (A, i, 1);
    double square = mat_dot (&a, &a);

    for (int j = 0; j < cost->cols; j++) {
      double c = square - 2 * fabs (*mat_at (products, i, j));

      *mat_at (cost, i, j) = c;
      if (isfinite (c))
        dearest = fmax (dearest, fabs (c));
    }
  }
  for (int j = 0; j < cost->cols; j++)
    for (int i = 0; i < cost->rows; i++)
      if (!isfinite (*mat_at (cost, i, j)))
        *mat_at (cost, i, j) = 2 * dearest + 1;
}

void
recovery_match (const Mat *A, const Mat *truth, int *atom, double *sign)
{
  int k = A->cols, m = truth->cols;
  g_auto (Mat) products = mat_new (k, m);
  g_auto (Mat) cost = mat_new (k, m);

  g_return_if_fail (A->rows == truth->rows && k >= m);

  mat_multiply (1, A, TRANSPOSED, truth, PLAIN, 0, &products);
  products_to_costs (A, &products, &cost);
  assign (&cost, atom);
  for (int j = 0; j < m; j++)
    sign[j] = *mat_at (&products, atom[j], j) < 0 ? -1 : 1;
}

/* ---- errors ---- */

typedef struct {
  double sum;   /* of |a - t|^2 over matched atoms */
  double worst; /* the largest of them */
} SquaredError;

/* Taken from the differences themselves: |a|^2 + |t|^2 - 2 a' t would lose
 * half the digits of a small error. */
static SquaredError
squared_error (const Mat *A, const Mat *truth)
{
  g_autofree int *atom = g_new (int, truth->cols);
  g_autofree double *sign = g_new (double, truth->cols);
  SquaredError error = { 0, 0 };

  recovery_match (A, truth, atom, sign);
  for (int j = 0; j < truth->cols; j++) {
    const double *a = mat_at (A, 0, atom[j]), *t = mat_at (truth, 0, j);
    double sum = 0;

    for (int i = 0; i < truth->rows; i++) {
      double difference = sign[j] * a[i] - t[i];

      sum += difference * difference;
    }
    error.sum += sum;
    error.worst = sum > error.worst || isnan (sum) ? sum : error.worst;
  }
  return error;
}

static Mat
with_unit_columns (const Mat *A)
{
  Mat unit = mat_new (A->rows, A->cols);

  mat_copy (A, &unit);
  mat_normalise_columns (&unit);
  return unit;
}

Recovery
recovery_measure (const Mat *A, const Mat *truth)
{
  g_auto (Mat) unit_A = with_unit_columns (A);
  g_auto (Mat) unit_truth = with_unit_columns (truth);
  SquaredError plain = squared_error (A, truth);
  SquaredError directions = squared_error (&unit_A, &unit_truth);

  return (Recovery){
    .distance = sqrt (plain.sum),
    .relative = sqrt (plain.sum / mat_dot (truth, truth)),
    .direction = sqrt (directions.sum / truth->cols),
    .worst_direction = sqrt (directions.worst),
  };
}
