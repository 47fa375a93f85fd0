#include "data/finders/simulate.h"

#include "base/random.h"

#include <math.h>

/* Pixels to a speck and to a scratch, on average. */
#define PIXELS_TO_A_SPECK 6000
#define PIXELS_TO_A_SCRATCH 45000

/* A sequence of random numbers. */
typedef struct {
  guint64 seed, stream, index;
} Draws;

static double
draw (Draws *draws, double low, double high)
{
  return low
         + (high - low)
             * random_uniform (draws->seed, draws->stream, draws->index++);
}

static double
draw_normal (Draws *draws)
{
  return random_normal (draws->seed, draws->stream, draws->index++);
}

void
cover_init (Cover *cover, const Image *image)
{
  *cover = (Cover){ image->width, image->height,
                    g_new0 (float, image_pixels (image)),
                    g_new0 (int, image_pixels (image)), 0 };
}

void
cover_clear (Cover *cover)
{
  g_clear_pointer (&cover->cover, g_free);
  g_clear_pointer (&cover->mark, g_free);
}

/* Other draws than those for damage. */
#define THINGS (G_GUINT64_CONSTANT (1) << 32)

/* What one mark is made of. */
typedef struct {
  double colour[3];
  double opacity;
} Matter;

/* Mostly grey, lighter or darker than most of a picture. */
static Matter
draw_matter (Draws *draws, double light_share, double coloured_share)
{
  gboolean light = draw (draws, 0, 1) < light_share;
  gboolean coloured = draw (draws, 0, 1) < coloured_share;
  double shade = light ? draw (draws, 180, 255) : draw (draws, 0, 60);
  Matter matter = { .opacity = draw (draws, 0.5, 1) };

  for (int c = 0; c < 3; c++)
    matter.colour[c] =
      coloured ? draw (draws, 0, 255)
               : CLAMP (shade + draw (draws, -6, 6), 0, 255);
  return matter;
}

/* Covers a pixel with @matter to the share @share.  @cover may be NULL. */
static void
cover_pixel (Image *image, Cover *cover, int x, int y, double share,
             const Matter *matter)
{
  guint16 *pixel;

  if (share <= 0 || x < 0 || y < 0 || x >= image->width || y >= image->height)
    return;
  pixel = image_pixel (image, x, y);
  if (cover != NULL) {
    gsize i = (gsize) y * (gsize) image->width + (gsize) x;

    if ((float) share > cover->cover[i]) {
      cover->cover[i] = (float) share;
      cover->mark[i] = cover->marks;
    }
  }
  for (int c = 0; c < image_colours (image); c++) {
    double a = share * matter->opacity;

    pixel[c] =
      (guint16) floor ((1 - a) * pixel[c] + a * matter->colour[c] + 0.5);
  }
}

/* ---- dust ---- */

/* An outline: a circle with waves on it. */
typedef struct {
  double x, y, radius, softness;
  double height[3], phase[3]; /* of 2, 3 and 4 waves around */
} Outline;

static double
share_inside (const Outline *outline, double dx, double dy)
{
  double angle = atan2 (dy, dx), rim = 1;

  for (int w = 0; w < 3; w++)
    rim += outline->height[w] * cos ((w + 2) * angle + outline->phase[w]);
  return CLAMP ((outline->radius * rim - hypot (dx, dy)) / outline->softness
                  + 0.5,
                0, 1);
}

static void
put_speck (Image *image, Draws *draws, Cover *cover)
{
  Matter matter = draw_matter (draws, 0.5, 0.1);
  Outline outline = { .x = draw (draws, 0, image->width),
                      .y = draw (draws, 0, image->height),
                      .radius = draw (draws, 0.8, 5.2),
                      .softness = draw (draws, 0.8, 1.6) };
  int reach = (int) (2 * outline.radius + 3);

  cover->marks++;
  for (int w = 0; w < 3; w++) {
    outline.height[w] = draw (draws, 0, 0.35 / (w + 1));
    outline.phase[w] = draw (draws, 0, 2 * G_PI);
  }
  for (int y = (int) outline.y - reach; y <= (int) outline.y + reach; y++)
    for (int x = (int) outline.x - reach; x <= (int) outline.x + reach; x++)
      cover_pixel (image, cover, x, y,
                   share_inside (&outline, x - outline.x, y - outline.y),
                   &matter);
}

void
simulate_dust (Image *image, guint64 seed, guint64 stream, Cover *cover)
{
  Draws draws = { seed, stream, 0 };
  double often = draw (&draws, 0.3, 1.7);
  int count = (int) (often * (double) image_pixels (image) / PIXELS_TO_A_SPECK);

  for (int i = 0; i <= count; i++)
    put_speck (image, &draws, cover);
}

/* ---- scratches ---- */

/* A pen that goes a pixel at a time, and its cover so far. */
typedef struct {
  double x, y, direction;
  double bend;  /* standard deviation of a change of direction */
  double width; /* of the line */
} Pen;

static void
press (const Pen *pen, Cover *line)
{
  int reach = (int) (0.5 * pen->width + 2);

  for (int y = (int) pen->y - reach; y <= (int) pen->y + reach; y++)
    for (int x = (int) pen->x - reach; x <= (int) pen->x + reach; x++) {
      double share =
        0.5 * pen->width + 0.5 - hypot (x - pen->x, y - pen->y);
      gsize i;

      if (share <= 0 || x < 0 || y < 0 || x >= line->width
          || y >= line->height)
        continue;
      i = (gsize) y * (gsize) line->width + (gsize) x;
      line->cover[i] =
        MAX (line->cover[i], (float) MIN (share, MIN (1, pen->width)));
    }
}

/* Draws half of the lines steep, as a transport scratches film; one in five
 * is a hair, which is dark and bends. */
static void
put_scratch (Image *image, Draws *draws, Cover *cover)
{
  g_auto (Cover) line = { 0 };
  gboolean hair = draw (draws, 0, 1) < 0.2;
  Matter matter = draw_matter (draws, hair ? 0.15 : 0.7, 0.03);
  Pen pen = { .x = draw (draws, 0, image->width),
              .y = draw (draws, -0.1, 0.9) * image->height,
              .bend = hair ? draw (draws, 0.01, 0.06)
                           : draw (draws, 0, 0.03),
              .width = draw (draws, 0.7, 3.4) };
  double length = hair ? draw (draws, 30, 120) : draw (draws, 60, 550);

  pen.direction = draw (draws, 0, 1) < 0.5 ? draw (draws, 1.1, 2.05)
                                           : draw (draws, 0, 2 * G_PI);
  cover->marks++;
  cover_init (&line, image);
  for (double done = 0; done < length; done += 0.5) {
    press (&pen, &line);
    pen.x += 0.5 * cos (pen.direction);
    pen.y += 0.5 * sin (pen.direction);
    pen.direction += 0.7 * pen.bend * draw_normal (draws);
  }
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      cover_pixel (image, cover, x, y,
                   line.cover[(gsize) y * (gsize) line.width + (gsize) x],
                   &matter);
}

void
simulate_scratches (Image *image, guint64 seed, guint64 stream, Cover *cover)
{
  Draws draws = { seed, stream, 0 };
  double often = draw (&draws, 0.3, 1.7);
  int count =
    (int) (often * (double) image_pixels (image) / PIXELS_TO_A_SCRATCH);

  for (int i = 0; i <= count; i++)
    put_scratch (image, &draws, cover);
}

/* ---- what is to be kept ---- */

/* A light spot that fades: a star, a flake of snow, a glint. */
static void
put_star (Image *image, Draws *draws, double most)
{
  double x0 = draw (draws, 0, image->width);
  double y0 = draw (draws, 0, image->height);
  double radius = draw (draws, 0.5, most), shade = draw (draws, 200, 255);
  Matter matter = { { shade, shade, shade }, draw (draws, 0.2, 1) };
  int reach = (int) (3 * radius + 1);

  for (int y = (int) y0 - reach; y <= (int) y0 + reach; y++)
    for (int x = (int) x0 - reach; x <= (int) x0 + reach; x++) {
      double square = (x - x0) * (x - x0) + (y - y0) * (y - y0);

      cover_pixel (image, NULL, x, y, exp (-square / (2 * radius * radius)),
                   &matter);
    }
}

void
simulate_stars (Image *image, guint64 seed, guint64 stream)
{
  Draws draws = { seed, THINGS + stream, 0 };
  double most = draw (&draws, 0.8, 2.6);
  int count = (int) (draw (&draws, 0.1, 2) * (double) image_pixels (image)
                     / PIXELS_TO_A_SPECK);

  if (draw (&draws, 0, 3) < 2)
    return;
  for (int i = 0; i <= count; i++)
    put_star (image, &draws, most);
}

/* A line that sags and goes through the whole picture, mostly dark. */
static void
put_wire (Image *image, Draws *draws)
{
  double y0 = draw (draws, 0, image->height), slope = draw (draws, -0.4, 0.4);
  double sag = draw (draws, 0, 0.6) / image->width;
  double width = draw (draws, 0.8, 3);
  Matter matter = draw_matter (draws, 0.2, 0);

  matter.opacity = draw (draws, 0.7, 1);
  for (int x = 0; x < image->width; x++) {
    double aside = x - 0.5 * image->width;
    double middle = y0 + slope * x + sag * aside * aside;

    for (int y = (int) middle - 4; y <= (int) middle + 5; y++)
      cover_pixel (image, NULL, x, y,
                   CLAMP (0.5 * width + 0.5 - fabs (y - middle), 0, 1),
                   &matter);
  }
}

void
simulate_wires (Image *image, guint64 seed, guint64 stream)
{
  Draws draws = { seed, THINGS + stream, 0 };
  int count = (int) draw (&draws, 1, 7);

  if (draw (&draws, 0, 3) < 2)
    return;
  for (int i = 0; i < count; i++)
    put_wire (image, &draws);
}
