/* spread.h - the results of several trials: mean, least and largest */
#pragma once

typedef struct {
  int count;
  double sum, min, max;
} Spread;

/* Of one trial, and of none. */
#define SPREAD_OF(value) ((Spread){ 1, (value), (value), (value) })
#define SPREAD_EMPTY ((Spread){ 0 })

void spread_add (Spread *spread, double value);

/* NaN if there was no trial. */
double spread_mean (const Spread *spread);
