/* covershape.c - damped least squares for the outline of a mark
 *
 *     p   parameters: of a line the middle c0 + c1 u + c2 u^2 at u along it,
 *         and half its width h; of a speck the seven coefficients of R
 *     z   depth below one edge: of a speck R - r, of a line with distance q
 *         from its middle q + h for one edge, q - h for the other
 *     s   ramp (z), of a line ramp (q + h) - ramp (q - h)
 *
 * Minimises  sum w (cover - A s(p))^2 + k |p|^2  over A and p (Levenberg and
 * Marquardt).  The weak prior k keeps curvature and high cosines small where
 * nothing speaks for them.
 */
#include "imaging/veil/covershape.h"

#include "base/spdsolve.h"

#include <math.h>
#include <string.h>

#define EDGE 1.1      /* pixels from no cover to all of it */
#define ELONGATION 6. /* ratio of variances from which on a shape is a line */
#define LEAST_SPREAD 0.05
#define UNIT_LENGTH 8. /* of u, so that all parameters are of one size */

#define PARAMETERS 7
#define UNKNOWNS (PARAMETERS + 1) /* with A */
#define ITERATIONS 8
#define MOST_STEP 0.5
#define LEAST_SIZE 0.15 /* of h and of the mean radius */
#define LEAST_RADIUS 0.7 /* below it angles mean nothing */

/* Residuals beyond this are of something else. */
#define OUTLIER 0.4
#define PRIOR_WEIGHT 0.02

typedef double Row[UNKNOWNS];

typedef struct {
  const CoverPoint *points;
  int count, parameters;
  int size_parameter; /* the one that must be positive */
  gboolean is_line;
  double basis[SHAPE_PIXELS][PARAMETERS];
  double across[SHAPE_PIXELS]; /* q of a line, r of a speck */
  double prior[PARAMETERS];
} Problem;

/* A shape with these parameters. */
typedef struct {
  double p[PARAMETERS];
  double amplitude, cost;
  double share[SHAPE_PIXELS], depth[SHAPE_PIXELS];
  double slope[SHAPE_PIXELS][PARAMETERS]; /* of the share, by parameter */
} Trial;

static double
ramp (double z)
{
  return CLAMP (z / EDGE + 0.5, 0, 1);
}

/* Its slope; a little beyond its ends too, so that an outline is found that
 * begins a pixel off. */
static double
ramp_slope (double z)
{
  double far = 1 - fabs (z) / (1.5 * EDGE);

  return (fabs (z) < 0.5 * EDGE ? 1 / EDGE : 0) + 0.15 * MAX (far, 0);
}

/* ---- 1. line or speck ---- */

typedef struct {
  double x, y, total;    /* middle, sum of covers */
  double dx, dy;         /* the longer axis */
  double longer, shorter; /* variances along the axes */
} Moments;

static Moments
measure (const CoverPoint *points, int count)
{
  Moments m = { 0 };
  double xx = LEAST_SPREAD, xy = 0, yy = LEAST_SPREAD, half, root;

  for (int i = 0; i < count; i++) {
    double w = CLAMP (points[i].cover, 0, 1.1);

    m.total += w;
    m.x += w * points[i].x;
    m.y += w * points[i].y;
  }
  m.total = MAX (m.total, 1e-6);
  m.x /= m.total;
  m.y /= m.total;
  for (int i = 0; i < count; i++) {
    double w = CLAMP (points[i].cover, 0, 1.1) / m.total;
    double x = points[i].x - m.x, y = points[i].y - m.y;

    xx += w * x * x;
    xy += w * x * y;
    yy += w * y * y;
  }
  half = 0.5 * (xx - yy);
  root = sqrt (half * half + xy * xy);
  m.longer = 0.5 * (xx + yy) + root;
  m.shorter = 0.5 * (xx + yy) - root;
  /* The larger of two forms of the eigenvector, the exact one. */
  m.dx = half > 0 ? half + root : xy;
  m.dy = half > 0 ? xy : root - half;
  root = sqrt (m.dx * m.dx + m.dy * m.dy);
  m.dx = root > 0 ? m.dx / root : 1;
  m.dy = root > 0 ? m.dy / root : 0;
  return m;
}

static void
begin_line (Problem *problem, const Moments *m, Trial *trial)
{
  double first = 0, last = 0;

  problem->parameters = 4;
  problem->size_parameter = 3;
  problem->prior[2] = 2;
  for (int i = 0; i < problem->count; i++) {
    double x = problem->points[i].x - m->x, y = problem->points[i].y - m->y;
    double u = x * m->dx + y * m->dy;

    first = MIN (first, u);
    last = MAX (last, u);
    u /= UNIT_LENGTH;
    problem->across[i] = y * m->dx - x * m->dy;
    problem->basis[i][0] = 1;
    problem->basis[i][1] = u;
    problem->basis[i][2] = u * u;
  }
  trial->p[3] = MAX (2 * LEAST_SIZE, 0.5 * m->total / (last - first + 1));
}

static void
begin_speck (Problem *problem, const Moments *m, Trial *trial)
{
  static const double prior[] = { 0, 0.75, 0.75, 1.5, 1.5, 3, 3 };

  problem->parameters = PARAMETERS;
  memcpy (problem->prior, prior, sizeof prior);
  for (int i = 0; i < problem->count; i++) {
    double x = problem->points[i].x - m->x, y = problem->points[i].y - m->y;
    double r = sqrt (x * x + y * y), c = x / MAX (r, LEAST_RADIUS);
    double s = y / MAX (r, LEAST_RADIUS), ck = 1, sk = 0;

    problem->across[i] = r;
    problem->basis[i][0] = 1;
    for (int k = 1; k <= 3; k++) {
      double turned = ck * c - sk * s;

      sk = sk * c + ck * s;
      ck = turned;
      problem->basis[i][2 * k - 1] = ck;
      problem->basis[i][2 * k] = sk;
    }
  }
  trial->p[0] = sqrt (m->total / G_PI);
}

/* ---- 2. a trial ---- */

static void
evaluate_point (const Problem *problem, int i, Trial *trial)
{
  const double *basis = problem->basis[i];
  int linear = problem->is_line ? 3 : problem->parameters;
  double sum = 0, h = trial->p[3], z, up, down;

  for (int k = 0; k < linear; k++)
    sum += basis[k] * trial->p[k];
  if (!problem->is_line) {
    z = sum - problem->across[i];
    trial->share[i] = ramp (z);
    trial->depth[i] = z;
    for (int k = 0; k < linear; k++)
      trial->slope[i][k] = ramp_slope (z) * basis[k];
    return;
  }
  z = problem->across[i] - sum;
  trial->share[i] = ramp (z + h) - ramp (z - h);
  trial->depth[i] = h - fabs (z);
  up = ramp_slope (z + h);
  down = ramp_slope (z - h);
  for (int k = 0; k < linear; k++)
    trial->slope[i][k] = (down - up) * basis[k];
  trial->slope[i][3] = up + down;
}

/* k of the prior, which is in proportion to the weights. */
static double
prior_weight (const Problem *problem)
{
  double sum = 0;

  for (int i = 0; i < problem->count; i++)
    sum += problem->points[i].weight;
  return PRIOR_WEIGHT * sum / problem->count;
}

static void
evaluate (const Problem *problem, double prior, Trial *trial)
{
  double product = 0, square = 1e-9;

  for (int i = 0; i < problem->count; i++) {
    const CoverPoint *point = &problem->points[i];

    evaluate_point (problem, i, trial);
    product += point->weight * trial->share[i] * point->cover;
    square += point->weight * trial->share[i] * trial->share[i];
  }
  trial->amplitude = CLAMP (product / square, 0.05, 1.2);
  trial->cost = 0;
  for (int i = 0; i < problem->count; i++) {
    double r =
      problem->points[i].cover - trial->amplitude * trial->share[i];

    trial->cost +=
      problem->points[i].weight * MIN (r * r, OUTLIER * OUTLIER);
  }
  for (int k = 0; k < problem->parameters; k++)
    trial->cost += prior * problem->prior[k] * trial->p[k] * trial->p[k];
}

/* ---- 3. equations ---- */

/* Adds w g g' to @A, and w r g to @b, g being the slope at point @i. */
static void
add_point (const Problem *problem, const Trial *trial, int i, Row *A,
           double *b)
{
  int n = problem->parameters;
  double r =
    problem->points[i].cover - trial->amplitude * trial->share[i];
  double w = fabs (r) < OUTLIER ? problem->points[i].weight : 0;
  double g[UNKNOWNS];

  for (int k = 0; k < n; k++)
    g[k] = trial->amplitude * trial->slope[i][k];
  g[n] = trial->share[i];
  for (int k = 0; k <= n; k++) {
    b[k] += w * r * g[k];
    for (int l = 0; l <= k; l++)
      A[k][l] += w * g[k] * g[l];
  }
}

/* The next trial after @trial with that damping. */
static void
step_from (const Problem *problem, double prior, const Trial *trial,
           double damping, Trial *next)
{
  Row A[UNKNOWNS] = { 0 };
  double b[UNKNOWNS] = { 0 };
  int n = problem->parameters;

  for (int i = 0; i < problem->count; i++)
    add_point (problem, trial, i, A, b);
  for (int k = 0; k <= n; k++) {
    if (k < n) {
      A[k][k] += prior * problem->prior[k];
      b[k] -= prior * problem->prior[k] * trial->p[k];
    }
    A[k][k] += damping * A[k][k] + 1e-9;
  }
  spd_factor (A[0], n + 1, UNKNOWNS);
  spd_solve_lower (A[0], n + 1, UNKNOWNS, b);
  spd_solve_upper (A[0], n + 1, UNKNOWNS, b);
  for (int k = 0; k < n; k++)
    next->p[k] = trial->p[k] + CLAMP (b[k], -MOST_STEP, MOST_STEP);
  next->p[problem->size_parameter] =
    MAX (next->p[problem->size_parameter], LEAST_SIZE);
  evaluate (problem, prior, next);
}

/* Variances of A s, from those of the parameters. */
static void
find_variances (const Problem *problem, double prior, const Trial *trial,
                double *variance)
{
  Row A[UNKNOWNS] = { 0 };
  int n = problem->parameters;

  for (int i = 0; i < problem->count; i++)
    for (int k = 0; k < n; k++)
      for (int l = 0; l <= k; l++)
        A[k][l] += problem->points[i].weight * trial->amplitude
                   * trial->amplitude * trial->slope[i][k]
                   * trial->slope[i][l];
  for (int k = 0; k < n; k++)
    A[k][k] += prior * problem->prior[k] + 1e-6;
  spd_factor (A[0], n, UNKNOWNS);
  for (int i = 0; i < problem->count; i++) {
    double g[UNKNOWNS];

    for (int k = 0; k < n; k++)
      g[k] = trial->amplitude * trial->slope[i][k];
    spd_solve_lower (A[0], n, UNKNOWNS, g);
    variance[i] = 0;
    for (int k = 0; k < n; k++)
      variance[i] += g[k] * g[k];
  }
}

void
cover_shape_fit (const CoverPoint *points, int count, CoverShape *shape)
{
  const Moments moments = measure (points, count);
  Problem problem = { .points = points, .count = count };
  Trial trials[2] = { 0 }, *best = &trials[0], *next = &trials[1];
  double damping = 0.01, prior;

  problem.is_line = moments.longer > ELONGATION * moments.shorter;
  if (problem.is_line)
    begin_line (&problem, &moments, best);
  else
    begin_speck (&problem, &moments, best);
  prior = prior_weight (&problem);
  evaluate (&problem, prior, best);
  for (int i = 0; i < ITERATIONS; i++) {
    step_from (&problem, prior, best, damping, next);
    if (next->cost < best->cost) {
      Trial *better = next;

      next = best;
      best = better;
      damping = MAX (0.3 * damping, 1e-3);
    } else {
      damping *= 6;
    }
  }
  *shape = (CoverShape){ .is_line = problem.is_line,
                         .dx = moments.dx,
                         .dy = moments.dy };
  memcpy (shape->share, best->share, sizeof shape->share);
  memcpy (shape->depth, best->depth, sizeof shape->depth);
  find_variances (&problem, prior, best, shape->variance);
}
