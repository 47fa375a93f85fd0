#include "app/chart/spread.h"

#include <math.h>

void
spread_add (Spread *spread, double value)
{
  if (spread->count == 0)
    spread->min = spread->max = value;
  spread->count++;
  spread->sum += value;
  spread->min = fmin (spread->min, value);
  spread->max = fmax (spread->max, value);
}

double
spread_mean (const Spread *spread)
{
  return spread->count > 0 ? spread->sum / spread->count : NAN;
}
