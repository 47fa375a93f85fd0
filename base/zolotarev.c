/* zolotarev.c - the best rational approximation of the sign function
 *
 * With K the complete elliptic integral of modulus sqrt (1 - l^2),
 *
 *     d_i = l^2 sn^2 (i K / (2 r + 1)) / cn^2 (i K / (2 r + 1)),
 *     Z (x) = m x prod_j (x^2 + d_2j) / (x^2 + d_(2j-1)),
 *
 * Zolotarev 1877, in the form of Nakatsukasa and Freund ("Computing
 * fundamental matrix decompositions accurately via the matrix sign function in
 * two iterations", 2016).  Of the elliptic functions only tan of the amplitude
 * is needed, sn / cn, by descending Landen transformations.
 */
#include "base/zolotarev.h"

#include <math.h>

#define LANDEN 12 /* steps; each squares what is left */

/* tan^2 am (u), u = @share of a quarter period, for the complementary modulus
 * @l. */
static double
squared_tangent (double l, double share)
{
  double a[LANDEN + 1] = { 1 }, c[LANDEN + 1] = { 0 }, b = l, angle;
  int steps = 0;

  while (steps < LANDEN && fabs (a[steps] - b) > 1e-16) {
    a[steps + 1] = (a[steps] + b) / 2;
    c[steps + 1] = (a[steps] - b) / 2;
    b = sqrt (a[steps] * b);
    steps++;
  }
  /* The quarter period is pi / (2 a). */
  angle = ldexp (share * G_PI / 2, steps);
  for (int i = steps; i > 0; i--)
    angle = (angle + asin (c[i] * sin (angle) / a[i])) / 2;
  return tan (angle) * tan (angle);
}

static double
evaluate (const Zolotarev *self, double x)
{
  double sum = 1;

  for (int j = 0; j < self->terms; j++)
    sum += self->a[j] / (x * x + self->c[j]);
  return self->m * x * sum;
}

/* The one with @terms terms. */
static void
make (Zolotarev *self, double l, int terms)
{
  double d[2 * ZOLOTAREV_MOST];

  self->terms = terms;
  self->m = 1;
  for (int i = 0; i < 2 * terms; i++)
    d[i] = l * l * squared_tangent (l, (i + 1.) / (2 * terms + 1));
  for (int j = 0; j < terms; j++) {
    double a = 1;

    for (int k = 0; k < terms; k++) {
      a *= d[2 * k + 1] - d[2 * j];
      if (k != j)
        a /= d[2 * k] - d[2 * j];
    }
    self->a[j] = a;
    self->c[j] = d[2 * j];
  }
  /* The largest value is at one, the smallest at l. */
  self->m = 2 / (evaluate (self, 1) + evaluate (self, l));
}

gboolean
zolotarev_make (Zolotarev *self, double l, double error)
{
  g_return_val_if_fail (l > 0 && l < 1, FALSE);

  for (int terms = 1; terms <= ZOLOTAREV_MOST; terms++) {
    make (self, l, terms);
    if (fabs (evaluate (self, l) - 1) <= error)
      return TRUE;
  }
  return FALSE;
}
