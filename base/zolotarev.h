/* zolotarev.h - the best rational approximation of the sign function
 *
 *     Z (x) = m x (1 + sum_j a_j / (x^2 + c_j)),   j = 1 .. r,
 *
 * is nearest to one on [l, 1], among all odd rational functions of its degree,
 * 2 r + 1 over 2 r.  In this form a function of a matrix needs r inverses.
 */
#pragma once

#include <glib.h>

#define ZOLOTAREV_MOST 12

typedef struct {
  int terms; /* r */
  double m, a[ZOLOTAREV_MOST], c[ZOLOTAREV_MOST];
} Zolotarev;

/* The one with fewest terms that is within @error of one on [l, 1]; FALSE if
 * none is. */
gboolean zolotarev_make (Zolotarev *self, double l, double error);
