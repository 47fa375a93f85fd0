/* border.c - torn corners and blank borders
 *
 * Paper and film that show where the picture is gone are of one colour, and end
 * at once.  There are two ways to see that.
 *
 * Corners.  A region of the colour that a corner has, which is large and whose
 * edge is sharp: the pixels next to it are clearly different, where a burnt-out
 * sky fades.  Its colour is the same to a few levels, more where the corner is
 * grainy.  In a PNG that alone will do if the colour is the same to the level.
 * Else the region must be paper: nearly white, not too large, and without the
 * slope that most skies have.  Its edge may then be soft, as a scan
 * makes it or a JPEG: the region is extended by the few pixels that lie between
 * its colour and another one, and what is next to these has to be different.
 *
 * Sides.  Rows from an edge of the picture on that are paper or film nearly all
 * along, followed at once by rows that are clearly different, at two opposite
 * edges: a frame, even if parts of the picture next to it are as dark as film.
 */
#include "imaging/detect/detect.h"

#include "base/sort.h"
#include "imaging/area.h"
#include "imaging/detect/marks.h"

#include <math.h>
#include <string.h>

/* The window at a corner that says what its colour is, its grain, which is the
 * mean of what the pixels there differ from it, and most of that; in levels. */
#define WINDOW 8
#define MOST_GRAIN 3.
#define LEAST_GRAIN 0.5 /* less is none */

/* Levels that samples may differ from the corner, and more for grain. */
#define SAME 2
#define SAME_JPEG 8
#define SAME_GRAIN 4

#define LEAST_SHARE 0.0005 /* of the pixels of the picture */
#define MOST_SHARE 0.5
#define LEAST_SIDE 12 /* of its bounds */

/* Pixels that touch the region and differ from its colour by this many levels
 * are a sharp edge; that share of them must.  Burnt-out skies behind roofs have
 * up to 0.83 (300 photographs), 20 of 21 corners that were cut off 0.98. */
#define CONTRAST 24
#define SHARP_SHARE 0.9

/* So are those that differ by fewer levels, but by this share at least of what
 * those this much further out do. */
#define STEP 6
#define FURTHER 3
#define STEP_SHARE 0.7

/* Paper and film: levels of the darkest and the lightest colour, and between
 * the colours; and most levels from one end of the region to the other. */
#define PAPER 200
#define FILM 40
#define PALE 45
#define MOST_SLOPE 2.5

/* Pixels of a soft edge; the share of it that must be sharp; the part of the
 * way to another colour that counts as none, and most of the pixels that have
 * gone none, to each one that has gone some; gaps and narrow parts of the region
 * that do not count. */
#define SOFT 2
#define SOFT_JPEG 8
#define SOFT_SHARE 0.85
#define FIRST_PART 0.25
#define MOST_FIRST 1.0
#define NARROW 2

/* Pixels around a region that are looked at. */
#define AROUND (SOFT_JPEG + 2 * NARROW + FURTHER + 1)

/* Most of the pixels of the picture that a torn corner with a soft edge has: in
 * JPEGs white skies behind the edges of buildings have more. */
#define MOST_TORN 0.2
#define MOST_TORN_JPEG 0.07

/* A side: its rows, those of its edge, the share of the former that is blank,
 * the share of those that follow, and most of the picture. */
#define LEAST_ROWS 4
#define EDGE_ROWS 3
#define EDGE_ROWS_JPEG 6
#define BLANK_ROW 0.96
#define OTHER_ROW 0.5
#define MOST_ROWS 0.15


typedef struct {
  const Image *image;
  gboolean is_jpeg;
  double strength;
  double scale;    /* from samples to levels */
  double colour[3]; /* of a corner, in levels */
  double grain;
  double same;     /* levels */
  double contrast; /* likewise, of a sharp edge */
  double step;     /* and of a step */
} Blank;

static double
level (const Blank *blank, gsize i, int c)
{
  const Image *image = blank->image;

  return blank->scale
         * image->samples[i * (gsize) image->channels
                          + (gsize) MIN (c, image_colours (image) - 1)];
}

static double
difference (const Blank *blank, gsize i)
{
  double most = 0;

  for (int c = 0; c < image_colours (blank->image); c++)
    most = fmax (most, fabs (level (blank, i, c) - blank->colour[c]));
  return most;
}

/* The pixel number @k of @area. */
static gsize
pixel_of (const Blank *blank, const ImageArea *area, int k)
{
  return (gsize) (area->y + k / area->width) * (gsize) blank->image->width
         + (gsize) (area->x + k % area->width);
}

/* Sets the colour, the grain and what follows from these by what is in
 * @area.  FALSE if that is not blank. */
static gboolean
blank_at (Blank *blank, const ImageArea *area)
{
  int count = area->width * area->height;
  g_autofree double *values = g_new (double, count);

  for (int c = 0; c < 3; c++) {
    for (int k = 0; k < count; k++)
      values[k] = level (blank, pixel_of (blank, area, k), c);
    sort_doubles (values, (gsize) count);
    blank->colour[c] = values[count / 2];
  }
  blank->grain = 0;
  for (int k = 0; k < count; k++)
    blank->grain += difference (blank, pixel_of (blank, area, k)) / count;
  blank->same = (blank->is_jpeg ? SAME_JPEG : SAME) + SAME_GRAIN * blank->grain;
  blank->contrast =
    fmax (CONTRAST / blank->strength, blank->same + 2 * blank->grain + 4);
  blank->step = STEP / blank->strength + blank->same;
  return blank->grain <= MOST_GRAIN * blank->strength;
}

static double
lightest (const Blank *blank)
{
  return fmax (blank->colour[0], fmax (blank->colour[1], blank->colour[2]));
}

/* Whether the colour is that of paper. */
static gboolean
is_paper (const Blank *blank)
{
  double least =
    fmin (blank->colour[0], fmin (blank->colour[1], blank->colour[2]));

  return least >= PAPER && lightest (blank) - least <= PALE;
}

/* ---- corners ---- */

/* The region of a corner. */
typedef struct {
  gsize count;
  ImageArea box;
  double slope; /* levels from one end to the other */
  ImageArea area; /* the box and what is around it */
  Mask *mask;     /* of the area */
} Region;

/* Number of pixel (@x, @y) of the area in the picture. */
static gsize
region_pixel (const Blank *blank, const Region *region, int x, int y)
{
  return (gsize) (region->area.y + y) * (gsize) blank->image->width
         + (gsize) (region->area.x + x);
}


/* Takes the region at the corner @start from @marks. */
static gboolean
collect_region (const Blank *blank, BytePlane *marks, gsize start,
                Region *region, GError **error)
{
  g_autoptr (List) pixels = list_new (sizeof (gsize), NULL);
  gsize width = (gsize) marks->width;
  double n, x = 0, y = 0, xx = 0, yy = 0, v = 0, xv = 0, yv = 0;

  region->box = byte_plane_collect (marks, start, NULL, NULL, pixels);
  if (!list_check (pixels, "the pixels of a border", error))
    return FALSE;
  region->area =
    area_widened (&region->box, AROUND, marks->width, marks->height);
  region->mask = mask_new (region->area.width, region->area.height, error);
  if (region->mask == NULL)
    return FALSE;
  region->count = pixels->len;
  n = (double) pixels->len;
  for (guint k = 0; k < pixels->len; k++) {
    gsize i = list_at (pixels, gsize, k);
    double col = (double) (i % width), row = (double) (i / width);
    double value =
      (level (blank, i, 0) + level (blank, i, 1) + level (blank, i, 2)) / 3;

    region->mask->missing[(i / width - (gsize) region->area.y)
                            * (gsize) region->area.width
                          + i % width - (gsize) region->area.x] = MASK_PIXEL;
    x += col / n;
    y += row / n;
    xx += col * col / n;
    yy += row * row / n;
    v += value / n;
    xv += col * value / n;
    yv += row * value / n;
  }
  region->slope =
    hypot ((xv - x * v) / fmax (xx - x * x, 1) * region->box.width,
           (yv - y * v) / fmax (yy - y * y, 1) * region->box.height);
  return TRUE;
}

static void
region_clear (Region *region)
{
  g_clear_pointer (&region->mask, mask_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Region, region_clear)

/* The edge of a region: pairs of a pixel next to it and one further out. */
typedef struct {
  gsize pairs;
  gsize sharp; /* the first differs clearly, or hardly less than the second */
  gsize first, mixed; /* it is nearly as the region, or between both */
} Edge;

static void
add_pair (const Blank *blank, int x, int y, int dx, int dy, Edge *edge)
{
  gsize width = (gsize) blank->image->width;
  gsize col = (gsize) CLAMP (x + FURTHER * dx, 0, blank->image->width - 1);
  gsize row = (gsize) CLAMP (y + FURTHER * dy, 0, blank->image->height - 1);
  double here = difference (blank, (gsize) y * width + (gsize) x);
  double further = difference (blank, row * width + col);

  edge->pairs++;
  edge->sharp += here > blank->contrast
                 || (here >= blank->step && here >= STEP_SHARE * further);
  edge->first += here < FIRST_PART * further;
  edge->mixed +=
    here >= FIRST_PART * further && here < STEP_SHARE * further;
}

static Edge
edge_of (const Blank *blank, const Region *region)
{
  const Mask *mask = region->mask;
  int width = mask->width, height = mask->height;
  Edge edge = { 0 };

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      if (!mask->missing[(gsize) y * (gsize) width + (gsize) x])
        continue;
      for (int row = MAX (0, y - 1); row <= MIN (y + 1, height - 1); row++)
        for (int col = MAX (0, x - 1); col <= MIN (x + 1, width - 1); col++)
          if (!mask->missing[(gsize) row * (gsize) width + (gsize) col])
            add_pair (blank, region->area.x + col, region->area.y + row,
                      col - x, row - y, &edge);
    }
  return edge;
}

static double
sharpness (const Edge *edge)
{
  return edge->pairs > 0 ? (double) edge->sharp / (double) edge->pairs : 0;
}

/* Whether the pixels of an edge mix two colours by any shares, where a sky that
 * fades has more that are nearly the first. */
static gboolean
is_mixed (const Edge *edge)
{
  return (double) edge->first <= MOST_FIRST * (double) edge->mixed;
}

/* Closes gaps of @mask, and drops narrow parts. */
static gboolean
smooth_region (Mask *mask, GError **error)
{
  return mask_grow (mask, NARROW, error)
         && mask_shrink (mask, 2 * NARROW, error)
         && mask_grow (mask, NARROW, error);
}

/* Extends @region by the pixels of a soft edge. */
static gboolean
extend_region (const Blank *blank, Region *region, GError **error)
{
  int soft = blank->is_jpeg ? SOFT_JPEG : SOFT;
  Mask *mask = region->mask;

  for (int step = 0; step < soft; step++) {
    g_autoptr (Mask) before = mask_copy (mask, error);

    if (before == NULL || !mask_grow (mask, 1, error))
      return FALSE;
    for (int k = 0; k < mask->width * mask->height; k++)
      if (mask->missing[k] && !before->missing[k]
          && difference (blank, region_pixel (blank, region, k % mask->width,
                                              k / mask->width))
               > blank->contrast)
        mask->missing[k] = 0;
  }
  return TRUE;
}

/* Whether @region is a torn corner or a border; if its edge is soft, it is
 * extended. */
static gboolean
is_blank (const Blank *blank, Region *region, gboolean *keep, GError **error)
{
  double pixels = (double) image_pixels (blank->image);
  double torn = blank->is_jpeg ? MOST_TORN_JPEG : MOST_TORN;
  Edge edge;

  *keep = FALSE;
  if ((double) region->count < LEAST_SHARE * pixels
      || (double) region->count > MOST_SHARE * pixels
      || MIN (region->box.width, region->box.height) < LEAST_SIDE)
    return TRUE;
  if (!blank->is_jpeg && blank->grain < LEAST_GRAIN) {
    edge = edge_of (blank, region);
    *keep = sharpness (&edge) >= SHARP_SHARE;
    if (*keep || !is_mixed (&edge))
      return TRUE;
  }
  if (!is_paper (blank) || region->slope > MOST_SLOPE * blank->strength
      || (double) region->count > torn * pixels)
    return TRUE;
  if (!smooth_region (region->mask, error)
      || !extend_region (blank, region, error))
    return FALSE;
  edge = edge_of (blank, region);
  *keep = sharpness (&edge) >= SOFT_SHARE;
  return !*keep || mask_grow (region->mask, 1, error);
}

/* The pixel of the window with the colour of the corner that is nearest to it;
 * FALSE if there is none. */
static gboolean
first_pixel (const Blank *blank, ImageArea window, int corner, gsize *start)
{
  for (int k = 0; k < window.width * window.height; k++) {
    int dx = k % window.width, dy = k / window.width;
    int x = corner % 2 ? window.x + window.width - 1 - dx : window.x + dx;
    int y = corner / 2 ? window.y + window.height - 1 - dy : window.y + dy;

    *start = (gsize) y * (gsize) blank->image->width + (gsize) x;
    if (difference (blank, *start) <= blank->same
        && !image_is_transparent (blank->image, *start))
      return TRUE;
  }
  return FALSE;
}

static gboolean
find_from_corner (Blank blank, int corner, Mask *mask, GError **error)
{
  const Image *image = blank.image;
  const ImageArea window = {
    .x = corner % 2 ? MAX (0, image->width - WINDOW) : 0,
    .y = corner / 2 ? MAX (0, image->height - WINDOW) : 0,
    .width = MIN (WINDOW, image->width),
    .height = MIN (WINDOW, image->height),
  };
  g_auto (BytePlane) marks = { 0 };
  g_auto (Region) region = { 0 };
  gboolean keep;
  gsize start;

  if (!blank_at (&blank, &window)
      || !first_pixel (&blank, window, corner, &start))
    return TRUE;
  if (!byte_plane_init (&marks, image->width, image->height, error))
    return FALSE;
  for (gsize i = 0; i < byte_plane_size (&marks); i++)
    marks.data[i] = difference (&blank, i) <= blank.same
                    && !image_is_transparent (image, i);
  if (!collect_region (&blank, &marks, start, &region, error)
      || !is_blank (&blank, &region, &keep, error))
    return FALSE;
  if (keep)
    mask_add_part (mask, &region.area, region.mask);
  return TRUE;
}

/* ---- sides ---- */

/* Opposite ones side by side. */
typedef enum { TOP, BOTTOM, LEFT, RIGHT, SIDES } Side;

static Side
opposite (Side side)
{
  return side ^ 1;
}

/* @count lines along @side, from @depth on. */
static ImageArea
lines_at (const Image *image, Side side, int depth, int count)
{
  int width = image->width, height = image->height;

  switch (side) {
  case TOP:
    return (ImageArea){ 0, depth, width, count };
  case BOTTOM:
    return (ImageArea){ 0, height - depth - count, width, count };
  case LEFT:
    return (ImageArea){ depth, 0, count, height };
  default:
    return (ImageArea){ width - depth - count, 0, count, height };
  }
}

/* Share of the line at @depth that can be seen and is within @most levels of
 * the colour. */
static double
share_within (const Blank *blank, Side side, int depth, double most)
{
  const ImageArea area = lines_at (blank->image, side, depth, 1);
  int count = area.width * area.height, same = 0;

  for (int k = 0; k < count; k++) {
    gsize i = pixel_of (blank, &area, k);

    same += !image_is_transparent (blank->image, i)
            && difference (blank, i) <= most;
  }
  return (double) same / count;
}

/* How many lines along @side are paper or film. */
static int
side_depth (Blank blank, Side side)
{
  const Image *image = blank.image;
  int across = side < LEFT ? image->height : image->width;
  int edge = blank.is_jpeg ? EDGE_ROWS_JPEG : EDGE_ROWS;
  int most = (int) (MOST_ROWS * across), depth = 0, end;
  ImageArea area;

  if (most <= LEAST_ROWS + edge)
    return 0;
  area = lines_at (image, side, 0, LEAST_ROWS);
  if (!blank_at (&blank, &area)
      || !(is_paper (&blank) || lightest (&blank) <= FILM))
    return 0;
  while (depth < most
         && share_within (&blank, side, depth, blank.same) >= BLANK_ROW)
    depth++;
  for (end = depth; end < depth + edge; end++)
    if (share_within (&blank, side, end, blank.contrast) <= OTHER_ROW)
      break;
  return depth < LEAST_ROWS || depth == most || end == depth + edge ? 0 : end;
}

/* Adds the sides of a frame.  A floor in the dark or a white ceiling is at one
 * side alone, a frame at the opposite one, too. */
static void
find_sides (const Blank *blank, Mask *mask)
{
  int depth[SIDES];

  for (Side side = TOP; side < SIDES; side++)
    depth[side] = side_depth (*blank, side);
  for (Side side = TOP; side < SIDES; side++) {
    ImageArea area = lines_at (blank->image, side, 0, depth[side]);

    for (int k = 0;
         depth[opposite (side)] > 0 && k < area.width * area.height; k++) {
      gsize i = pixel_of (blank, &area, k);

      if (!image_is_transparent (blank->image, i))
        mask->missing[i] = MASK_PIXEL;
    }
  }
}

static Mask *
find_border (const Image *image, double strength, const Progress *progress,
             GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  const Blank blank = {
    .image = image,
    .is_jpeg = image->meta.format == TESSERA_JPEG,
    .strength = strength,
    .scale = 255. / image_peak (image),
  };

  if (mask == NULL)
    return NULL;
  find_sides (&blank, mask);
  for (int corner = 0; corner < 4; corner++)
    if (!find_from_corner (blank, corner, mask, error)
        || !progress_step (progress, (corner + 1) / 4., error))
      return NULL;
  return g_steal_pointer (&mask);
}

const Detector detector_border = { .name = "border",
                                   .noun = "torn corners and blank borders",
                                   .find = find_border };
