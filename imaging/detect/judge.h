/* judge.h - which candidates are damage
 *
 * A detector describes a candidate by features f_1 .. f_n.  A small network,
 * learned from damage that was simulated on photographs, says how likely it is
 * that this is damage where damage is as frequent as it was there:
 *     logit = b + sum_u v_u tanh (c_u + sum_j w_uj f_j) .
 * How frequent it is in the picture at hand, marks per pixel, is estimated
 * from all of its candidates (expectation and maximisation), so that a clean
 * picture needs stronger evidence for a mark than one that is full of dust.
 */
#pragma once

#include <glib.h>

/* Numbers of one unit: v, c, w_1 .. w_n. */
#define JUDGE_WEIGHTS(features) ((features) + 2)

typedef struct {
  double bias;
  int features, units;
  const double *weights; /* of all units, one after the other */
  double density;        /* marks per pixel that the logits are meant for */
  double least; /* share of that to which a picture may be clean, so that
                   single marks are still found if the evidence is strong */
} Judge;

double judge_logit (const Judge *judge, const double *features);

/* The logit above which a candidate counts as damage, given those of all
 * @count candidates of a picture of @pixels pixels; lower for a @strength
 * above 1, as detect.h has it. */
double judge_threshold (const Judge *judge, const double *logits, gsize count,
                        double pixels, double strength);
