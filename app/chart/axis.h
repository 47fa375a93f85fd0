/* axis.h - the range and the ticks of an axis of a plot */
#pragma once

#include <glib.h>

typedef enum { AXIS_LINEAR, AXIS_LOG } AxisScale;

typedef struct {
  double value;
  char *label; /* SVG for the content of a <text> */
} Tick;

typedef struct {
  AxisScale scale;
  double from, to; /* ends; logarithms to base ten on a logarithmic axis */
  GArray *ticks;   /* Tick, within the ends */
} Axis;

/* Lays out an axis for values from @min to @max: finite, min <= max, and above
 * zero on a logarithmic axis. */
void axis_init (Axis *self, AxisScale scale, double min, double max);
void axis_clear (Axis *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Axis, axis_clear)

/* Whether the axis can show @value at all, and where: 0 is one end of it and 1
 * the other. */
gboolean axis_scale_shows (AxisScale scale, double value);
double axis_place (const Axis *self, double value);
