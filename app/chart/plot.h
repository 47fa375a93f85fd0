/* plot.h - line plots as SVG
 *
 * Lines of points with axes, ticks and a legend; a band around a line shows
 * the spread of several trials.  The background is transparent, and the
 * colours are readable on white and on black.
 */
#pragma once

#include "app/chart/axis.h"
#include "app/chart/spread.h"

typedef struct {
  const char *title;
  const char *x_label, *y_label;
  AxisScale x_scale, y_scale;
} PlotOptions;

typedef struct Plot Plot;

/* The texts of @options must live as long as the plot, which the caller
 * owns. */
Plot *plot_new (const PlotOptions *options);
void plot_free (Plot *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Plot, plot_free)

/* A line below the title.  Takes ownership of @note. */
void plot_take_note (Plot *self, char *note);

/* Starts a line, which the legend calls @name (copied).  After eight lines,
 * colours repeat. */
void plot_add_line (Plot *self, const char *name);

/* One more point of the latest line: the mean, and a band from the least to
 * the largest.  What an axis cannot show (NaN, or zero on a logarithmic one)
 * interrupts the line; a band that would end there ends at the point. */
void plot_add_point (Plot *self, double x, const Spread *y);

/* The whole file. */
GBytes *plot_to_svg (const Plot *self);
