#include "app/chart/plot.h"

#include <math.h>
#include <string.h>

/* The drawing, in pixels. */
#define WIDTH 760
#define HEIGHT 452
#define LEFT 76
#define TOP 62
#define BOTTOM 62

/* Room to the right of the lines: for the legend, whose letters are about as
 * wide as this. */
#define LETTER_WIDTH 7.3
#define LEGEND_GAP 18
#define LEGEND_LINE 26 /* the piece of a line in front of a name */
#define LEGEND_STEP 22

/* With more points, marks would hide the line. */
#define MOST_MARKS 30

/* Grey of equal contrast, 4.5 to 1, with white and with black; the colours of
 * lines have at least 3 to 1 with both. */
#define GREY "#767676"

static const char *const colours[] = { "#2f7de1", "#d9730d", "#0a9a6c",
                                       "#c2417f", "#8b63d9", "#0f92ab",
                                       "#a88610", "#dd4b39" };

/* Shapes around 0,0, so that lines differ without their colours too. */
static const char *const marks[] = {
  "M4,0A4,4 0 1 1 -4,0A4,4 0 1 1 4,0Z",
  "M-3.6,-3.6H3.6V3.6H-3.6Z",
  "M0,-4.8L4.6,3.4H-4.6Z",
  "M0,-5L5,0L0,5L-5,0Z",
  "M0,4.8L4.6,-3.4H-4.6Z",
};

typedef struct {
  double x, y, low, high;
} Point;

typedef struct {
  char *name;
  GArray *points; /* Point */
} Line;

struct Plot {
  PlotOptions options;
  char *note;    /* may be NULL */
  GArray *lines; /* Line */
};

/* What is needed while drawing. */
typedef struct {
  GString *svg;
  Axis x, y;
  double right; /* end of the x axis */
} Canvas;

static void
clear_line (gpointer data)
{
  Line *line = data;

  g_free (line->name);
  g_array_unref (line->points);
}

Plot *
plot_new (const PlotOptions *options)
{
  Plot *self = g_new0 (Plot, 1);

  self->options = *options;
  self->lines = g_array_new (FALSE, FALSE, sizeof (Line));
  g_array_set_clear_func (self->lines, clear_line);
  return self;
}

void
plot_free (Plot *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->lines);
  g_free (self->note);
  g_free (self);
}

void
plot_take_note (Plot *self, char *note)
{
  g_free (self->note);
  self->note = note;
}

static const Line *
line_at (const Plot *self, guint number)
{
  return &g_array_index (self->lines, Line, number);
}

void
plot_add_line (Plot *self, const char *name)
{
  Line line = { g_strdup (name), g_array_new (FALSE, FALSE, sizeof (Point)) };

  g_array_append_val (self->lines, line);
}

static gboolean
is_shown (const PlotOptions *options, const Point *point)
{
  return axis_scale_shows (options->x_scale, point->x)
         && axis_scale_shows (options->y_scale, point->y);
}

void
plot_add_point (Plot *self, double x, const Spread *y)
{
  AxisScale scale = self->options.y_scale;
  double mean = spread_mean (y);
  Point point = { x, mean, axis_scale_shows (scale, y->min) ? y->min : mean,
                  axis_scale_shows (scale, y->max) ? y->max : mean };

  g_return_if_fail (self->lines->len > 0);

  g_array_append_val (line_at (self, self->lines->len - 1)->points, point);
}

/* ---- the axes ---- */

typedef struct {
  double min, max;
} Range;

static void
widen (Range *range, double value)
{
  range->min = fmin (range->min, value);
  range->max = fmax (range->max, value);
}

static void
lay_out (const Plot *self, Canvas *canvas)
{
  Range x = { INFINITY, -INFINITY }, y = x;

  for (guint i = 0; i < self->lines->len; i++) {
    const GArray *points = line_at (self, i)->points;

    for (guint j = 0; j < points->len; j++) {
      const Point *point = &g_array_index (points, Point, j);

      if (!is_shown (&self->options, point))
        continue;
      widen (&x, point->x);
      widen (&y, point->low);
      widen (&y, point->high);
    }
  }
  if (x.min > x.max) /* nothing to show */
    x = y = (Range){ 1, 10 };
  axis_init (&canvas->x, self->options.x_scale, x.min, x.max);
  axis_init (&canvas->y, self->options.y_scale, y.min, y.max);
}

static double
place_x (const Canvas *canvas, double value)
{
  return LEFT + axis_place (&canvas->x, value) * (canvas->right - LEFT);
}

static double
place_y (const Canvas *canvas, double value)
{
  return HEIGHT - BOTTOM
         - axis_place (&canvas->y, value) * (HEIGHT - BOTTOM - TOP);
}

static void
draw_ticks (Canvas *canvas)
{
  GString *svg = canvas->svg;

  for (guint i = 0; i < canvas->x.ticks->len; i++) {
    const Tick *tick = &g_array_index (canvas->x.ticks, Tick, i);
    double x = place_x (canvas, tick->value);

    g_string_append_printf (svg,
                            "<path class='grid' d='M%.1f,%dV%d'/>"
                            "<text x='%.1f' y='%d' text-anchor='middle'>"
                            "%s</text>\n",
                            x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 19,
                            tick->label);
  }
  for (guint i = 0; i < canvas->y.ticks->len; i++) {
    const Tick *tick = &g_array_index (canvas->y.ticks, Tick, i);
    double y = place_y (canvas, tick->value);

    g_string_append_printf (svg,
                            "<path class='grid' d='M%d,%.1fH%.1f'/>"
                            "<text x='%d' y='%.1f' text-anchor='end'>"
                            "%s</text>\n",
                            LEFT, y, canvas->right, LEFT - 8, y + 4.5,
                            tick->label);
  }
}

static void
draw_axes (Canvas *canvas, const PlotOptions *options)
{
  g_autofree char *x_label = g_markup_escape_text (options->x_label, -1);
  g_autofree char *y_label = g_markup_escape_text (options->y_label, -1);
  double middle_x = (LEFT + canvas->right) / 2;
  int middle_y = (TOP + HEIGHT - BOTTOM) / 2;

  draw_ticks (canvas);
  g_string_append_printf (canvas->svg,
                          "<path class='axis' d='M%d,%dV%dH%.1f'/>\n", LEFT,
                          TOP, HEIGHT - BOTTOM, canvas->right);
  g_string_append_printf (
    canvas->svg, "<text x='%.1f' y='%d' text-anchor='middle'>%s</text>\n",
    middle_x, HEIGHT - 16, x_label);
  g_string_append_printf (canvas->svg,
                          "<text transform='translate(18,%d) rotate(-90)' "
                          "text-anchor='middle'>%s</text>\n",
                          middle_y, y_label);
}

/* ---- the lines ---- */

static void
draw_band (Canvas *canvas, const Point *points, guint count)
{
  g_string_append (canvas->svg, "<path class='band' d='");
  for (guint i = 0; i < count; i++)
    g_string_append_printf (canvas->svg, "%c%.1f,%.1f", i == 0 ? 'M' : 'L',
                            place_x (canvas, points[i].x),
                            place_y (canvas, points[i].high));
  for (guint i = count; i-- > 0;)
    g_string_append_printf (canvas->svg, "L%.1f,%.1f",
                            place_x (canvas, points[i].x),
                            place_y (canvas, points[i].low));
  g_string_append (canvas->svg, "Z'/>\n");
}

static void
draw_piece (Canvas *canvas, const Point *points, guint count)
{
  gboolean has_band = FALSE;

  for (guint i = 0; i < count; i++)
    has_band = has_band || points[i].low < points[i].high;
  if (has_band)
    draw_band (canvas, points, count);
  g_string_append (canvas->svg, "<path class='line' d='");
  for (guint i = 0; i < count; i++)
    g_string_append_printf (canvas->svg, "%c%.1f,%.1f", i == 0 ? 'M' : 'L',
                            place_x (canvas, points[i].x),
                            place_y (canvas, points[i].y));
  g_string_append (canvas->svg, "'/>\n");
}

static void
draw_mark (Canvas *canvas, guint number, double x, double y)
{
  g_string_append_printf (canvas->svg,
                          "<path transform='translate(%.1f,%.1f)' d='%s'/>\n",
                          x, y, marks[number % G_N_ELEMENTS (marks)]);
}

static void
draw_line (Canvas *canvas, const PlotOptions *options, const Line *line,
           guint number)
{
  const Point *points = (const Point *) (void *) line->points->data;
  guint count = line->points->len, start = 0;

  for (guint i = 0; i <= count; i++)
    if (i == count || !is_shown (options, &points[i])) {
      if (i > start)
        draw_piece (canvas, points + start, i - start);
      start = i + 1;
    }
  for (guint i = 0; i < count && count <= MOST_MARKS; i++)
    if (is_shown (options, &points[i]))
      draw_mark (canvas, number, place_x (canvas, points[i].x),
                 place_y (canvas, points[i].y));
}

static void
draw_legend_entry (Canvas *canvas, const Line *line, guint number)
{
  g_autofree char *name = g_markup_escape_text (line->name, -1);
  double x = canvas->right + LEGEND_GAP;
  double y = TOP + 8 + number * LEGEND_STEP;

  g_string_append_printf (
    canvas->svg, "<path class='line' d='M%.1f,%.1fh%d'/>", x, y, LEGEND_LINE);
  if (line->points->len <= MOST_MARKS)
    draw_mark (canvas, number, x + LEGEND_LINE / 2., y);
  g_string_append_printf (canvas->svg,
                          "<text x='%.1f' y='%.1f' fill='" GREY "' "
                          "stroke='none'>%s</text>\n",
                          x + LEGEND_LINE + 8, y + 4.5, name);
}

static void
draw_lines (Canvas *canvas, const Plot *self)
{
  for (guint i = 0; i < self->lines->len; i++) {
    const char *colour = colours[i % G_N_ELEMENTS (colours)];

    g_string_append_printf (canvas->svg, "<g fill='%s' stroke='%s'>\n", colour,
                            colour);
    draw_line (canvas, &self->options, line_at (self, i), i);
    draw_legend_entry (canvas, line_at (self, i), i);
    g_string_append (canvas->svg, "</g>\n");
  }
}

/* ---- the file ---- */

static double
legend_width (const Plot *self)
{
  glong letters = 0;

  for (guint i = 0; i < self->lines->len; i++)
    letters = MAX (letters, g_utf8_strlen (line_at (self, i)->name, -1));
  return LEGEND_GAP + LEGEND_LINE + 16 + LETTER_WIDTH * (double) letters;
}

static void
draw_head (Canvas *canvas, const Plot *self)
{
  g_autofree char *title = g_markup_escape_text (self->options.title, -1);
  g_autofree char *note =
    g_markup_escape_text (self->note != NULL ? self->note : "", -1);

  g_string_append_printf (
    canvas->svg,
    "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
    "viewBox='0 0 %d %d' font-family='system-ui, Helvetica, Arial, "
    "sans-serif' font-size='13' fill='" GREY "' role='img'>\n"
    "<title>%s</title>\n"
    "<style>.grid{stroke:" GREY ";stroke-opacity:.25}"
    ".axis{stroke:" GREY ";fill:none}"
    ".line{fill:none;stroke-width:2;stroke-linejoin:round}"
    ".band{stroke:none;fill-opacity:.18}</style>\n"
    "<text x='%d' y='24' font-size='15' font-weight='bold'>%s</text>\n"
    "<text x='%d' y='44'>%s</text>\n",
    WIDTH, HEIGHT, WIDTH, HEIGHT, title, LEFT, title, LEFT, note);
}

GBytes *
plot_to_svg (const Plot *self)
{
  Canvas canvas = { .svg = g_string_new (NULL),
                    .right = WIDTH - legend_width (self) };

  lay_out (self, &canvas);
  draw_head (&canvas, self);
  draw_axes (&canvas, &self->options);
  draw_lines (&canvas, self);
  g_string_append (canvas.svg, "</svg>\n");
  axis_clear (&canvas.x);
  axis_clear (&canvas.y);
  return g_string_free_to_bytes (canvas.svg);
}
