/* axis.c - the range and the ticks of an axis of a plot
 *
 * Axes go from tick to tick.  Linear ones have ticks at multiples of 1, 2 or 5
 * times a power of ten.  Logarithmic axes of less than two decades have them
 * at 1, 2 and 5 times powers of ten, longer ones at the powers alone, not
 * necessarily all of them.
 */
#include "app/chart/axis.h"

#include <math.h>

/* Ticks to aim at, and the most powers of ten. */
#define FEW_TICKS 6
#define MOST_POWERS 9

/* Exponents of powers of ten that are easily read when written out. */
#define LEAST_PLAIN -3
#define LARGEST_PLAIN 5

/* Room for rounding when ticks are compared with the ends. */
#define TINY 1e-9

static void
clear_tick (gpointer tick)
{
  g_free (((Tick *) tick)->label);
}

gboolean
axis_scale_shows (AxisScale scale, double value)
{
  return isfinite (value) && (scale == AXIS_LINEAR || value > 0);
}

static double
transform (AxisScale scale, double value)
{
  return scale == AXIS_LOG ? log10 (value) : value;
}

double
axis_place (const Axis *self, double value)
{
  return (transform (self->scale, value) - self->from)
         / (self->to - self->from);
}

/* Takes ownership of @label. */
static void
add_tick (Axis *self, double value, char *label)
{
  Tick tick = { value, label };

  g_array_append_val (self->ticks, tick);
}

/* ---- multiples of a round step ---- */

/* The least of 1, 2, 5 times a power of ten with which @span has no more than
 * FEW_TICKS steps. */
static double
round_step (double span)
{
  double least = span / FEW_TICKS;
  double power = pow (10, floor (log10 (least)));
  double digit = least / power;

  return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static void
lay_out_linear (Axis *self, double min, double max)
{
  double room = max > min ? 0 : fmax (fabs (min) / 2, 1);
  double step = round_step (max - min + 2 * room);
  double first = floor ((min - room) / step + TINY);
  double last = ceil ((max + room) / step - TINY);

  self->from = step * first;
  self->to = step * last;
  for (double i = first; i <= last; i++)
    /* Adding zero turns minus zero into zero. */
    add_tick (self, i * step, g_strdup_printf ("%.8g", i * step + 0.));
}

/* ---- logarithmic ---- */

/* "0.01" or "10^-2", with "2" or "5" in front. */
static char *
power_label (int digit, int exponent, gboolean plain)
{
  g_autofree char *front = NULL;

  if (plain)
    return g_strdup_printf ("%g", digit * pow (10, exponent));
  front = digit > 1 ? g_strdup_printf ("%d\xc2\xb7", digit) : g_strdup ("");
  return g_strdup_printf ("%s10<tspan dy='-5' font-size='10'>%d</tspan>",
                          front, exponent);
}

/* The numbers ..., 0.5, 1, 2, 5, 10, 20, ... are counted; 1 is number 0. */
static const int digits[] = { 1, 2, 5 };

#define DIGITS ((int) G_N_ELEMENTS (digits))

static int
exponent_of (int number)
{
  return (int) floor ((double) number / DIGITS);
}

static int
digit_of (int number)
{
  return digits[number - DIGITS * exponent_of (number)];
}

/* Logarithm of the number. */
static double
log_of (int number)
{
  return log10 (digit_of (number)) + exponent_of (number);
}

/* Ticks at the numbers @first, @first + @step, ... up to @last. */
static void
lay_out_numbers (Axis *self, int first, int last, int step)
{
  gboolean plain =
    exponent_of (first) >= LEAST_PLAIN && exponent_of (last) <= LARGEST_PLAIN;

  self->from = log_of (first);
  self->to = log_of (last);
  for (int i = first; i <= last; i += step)
    add_tick (self, pow (10, log_of (i)),
              power_label (digit_of (i), exponent_of (i), plain));
}

static void
lay_out_log (Axis *self, double min, double max)
{
  double low = log10 (min), high = log10 (max);
  int first = DIGITS * (int) floor (low + TINY);
  int last = DIGITS * (int) ceil (high - TINY);

  if (high - low >= 2) {
    int powers = (last - first) / DIGITS;
    int step = (powers + MOST_POWERS - 1) / MOST_POWERS;

    last = first + (powers + step - 1) / step * step * DIGITS;
    lay_out_numbers (self, first, last, step * DIGITS);
    return;
  }
  while (log_of (first + 1) <= low + TINY)
    first++;
  while (last > first && log_of (last - 1) >= high - TINY)
    last--;
  if (last - first < 2) { /* else small differences would look large */
    first--;
    last++;
  }
  lay_out_numbers (self, first, last, 1);
}

void
axis_init (Axis *self, AxisScale scale, double min, double max)
{
  *self = (Axis){ .scale = scale,
                  .ticks = g_array_new (FALSE, FALSE, sizeof (Tick)) };
  g_array_set_clear_func (self->ticks, clear_tick);
  if (scale == AXIS_LOG)
    lay_out_log (self, min, max);
  else
    lay_out_linear (self, min, max);
}

void
axis_clear (Axis *self)
{
  g_clear_pointer (&self->ticks, g_array_unref);
}
