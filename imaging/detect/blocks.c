/* blocks.c - blacked-out blocks
 *
 * A block is a region of connected black pixels that
 *   1. is made of squares: hardly any of its pixels is lost when everything
 *      narrower than 3 pixels is taken away (a morphological opening by a
 *      square of 3 x 3), and its edges go along rows and columns.  Natural
 *      shadows and night skies are ragged;
 *   2. stops at once: the pixels just outside are clearly brighter, where
 *      natural shadows fade.
 */
#include "imaging/detect/detect.h"

#include "base/list.h"

#include <string.h>

/* Least share of its pixels that a region keeps when it is opened. */
#define LEAST_KEPT 0.8

/* An edge is straight that goes on for this many pixels.  The share of its edges
 * that are, plus the contrast, of a block at least: blocks of a PNG have 1 and more,
 * most of those of a JPEG too; of 300 photographs, the blackest night skies and
 * shadows have 0.93 at most. */
#define LEAST_RUN 3
#define LEAST_EDGE 0.98
#define DOUBTED_EDGE 0.3

/* Least mean brightness of the pixels around it, as a share of white. */
#define LEAST_CONTRAST 0.04

/* Black in a PNG is black; a JPEG rings.  In levels of 8 bit. */
#define JPEG_BLACK 12

typedef struct {
  const Image *image;
  int width, height;
  guint8 *black;  /* 1 black, 2 black and visited */
  guint8 *opened; /* what the opening leaves of it */
  List *region; /* gsize: pixels of the region at hand */
  double least_contrast;
} Search;

static void
mark_black (Search *s)
{
  int peak = image_peak (s->image);
  int most = s->image->meta.format == TESSERA_JPEG ? JPEG_BLACK * peak / 255 : 0;

  for (gsize i = 0; i < image_pixels (s->image); i++)
    s->black[i] = image_brightest (s->image, i) <= most
                  && !image_is_transparent (s->image, i);
}

/* Whether the 3 x 3 pixels with corner @x, @y are all black. */
static gboolean
black_square (const Search *s, int x, int y)
{
  for (int row = y; row < y + 3; row++)
    for (int col = x; col < x + 3; col++)
      if (!s->black[(gsize) row * (gsize) s->width + (gsize) col])
        return FALSE;
  return TRUE;
}

static void
open_black (Search *s)
{
  for (int y = 0; y + 3 <= s->height; y++)
    for (int x = 0; x + 3 <= s->width; x++)
      if (black_square (s, x, y))
        for (int row = y; row < y + 3; row++)
          memset (s->opened + (gsize) row * (gsize) s->width + x, 1, 3);
}

/* Collects the region of @start; returns the mean brightness around it, as a
 * share of white. */
static double
collect_region (Search *s, gsize start)
{
  double sum = 0;
  gsize around = 0;

  list_cut (s->region, 0);
  list_append (s->region, &start, 1);
  s->black[start] = 2;
  for (guint done = 0; done < s->region->len; done++) {
    gsize i = list_at (s->region, gsize, done);
    int x = (int) (i % (gsize) s->width), y = (int) (i / (gsize) s->width);

    for (int row = MAX (0, y - 1); row <= MIN (y + 1, s->height - 1); row++)
      for (int col = MAX (0, x - 1); col <= MIN (x + 1, s->width - 1); col++) {
        gsize j = (gsize) row * (gsize) s->width + (gsize) col;

        if (s->black[j] == 1) {
          s->black[j] = 2;
          list_append (s->region, &j, 1);
        } else if (s->black[j] == 0) {
          sum += image_brightest (s->image, j);
          around++;
        }
      }
  }
  return around > 0 ? sum / (double) around / image_peak (s->image) : 0;
}

/* Whether pixel @x, @y is black, and has something else next to it in the
 * direction @dx, @dy. */
static gboolean
has_edge (const Search *s, int x, int y, int dx, int dy)
{
  gsize i = (gsize) y * (gsize) s->width + (gsize) x;

  if (x < 0 || y < 0 || x >= s->width || y >= s->height || !s->black[i]
      || x + dx < 0 || y + dy < 0 || x + dx >= s->width
      || y + dy >= s->height)
    return FALSE;
  return !s->black[i + (gsize) dx + (gsize) dy * (gsize) s->width];
}

/* Whether the edge of pixel @x, @y towards @dx, @dy is part of a straight one
 * of LEAST_RUN pixels. */
static gboolean
is_straight (const Search *s, int x, int y, int dx, int dy)
{
  int run = 1;

  for (int side = -1; side <= 1; side += 2)
    for (int k = 1; k < LEAST_RUN; k++, run++)
      if (!has_edge (s, x + side * k * dy, y + side * k * dx, dx, dy))
        break;
  return run >= LEAST_RUN;
}

/* Share of the edges of the region that are straight.  Those of the picture do
 * not count. */
static double
straightness (const Search *s)
{
  static const int ways[][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } };
  gsize edges = 0, straight = 0;

  for (guint k = 0; k < s->region->len; k++) {
    gsize i = list_at (s->region, gsize, k);
    int x = (int) (i % (gsize) s->width), y = (int) (i / (gsize) s->width);

    for (gsize w = 0; w < G_N_ELEMENTS (ways); w++)
      if (has_edge (s, x, y, ways[w][0], ways[w][1])) {
        edges++;
        straight += is_straight (s, x, y, ways[w][0], ways[w][1]);
      }
  }
  return edges > 0 ? (double) straight / (double) edges : 0;
}

/* How much a region is like a block: 0 not at all, LEAST_EDGE for sure. */
static double
likeness (Search *s, gsize start)
{
  double contrast = collect_region (s, start);
  gsize kept = 0;

  for (guint i = 0; i < s->region->len; i++)
    kept += s->opened[list_at (s->region, gsize, i)];
  if ((double) kept < LEAST_KEPT * s->region->len
      || contrast < s->least_contrast)
    return 0;
  return straightness (s) + contrast;
}

/* Adds the regions that are at least as like a block as @least to @mask, which
 * may be NULL; returns how many these are. */
static gsize
mark_blocks (Search *s, double least, Mask *mask)
{
  gsize count = 0;

  for (gsize i = 0; i < image_pixels (s->image); i++)
    s->black[i] = s->black[i] != 0;
  for (gsize i = 0; i < image_pixels (s->image); i++) {
    if (s->black[i] != 1 || likeness (s, i) < least)
      continue;
    count++;
    for (guint k = 0; mask != NULL && k < s->region->len; k++)
      mask->missing[list_at (s->region, gsize, k)] = 1;
  }
  return count;
}

/* A JPEG makes the edges of blocks ragged.  Where most of what may be a block
 * surely is one, the others are too. */
static void
mark_all_blocks (Search *s, double strength, Mask *mask)
{
  gsize sure = mark_blocks (s, LEAST_EDGE / strength, mask);

  if (sure > 0 && 2 * sure > mark_blocks (s, DOUBTED_EDGE / strength, NULL))
    mark_blocks (s, DOUBTED_EDGE / strength, mask);
}

/* A JPEG has smeared the edges of a block: takes one more pixel all round. */
static void
widen (Mask *mask, guint8 *copy)
{
  memcpy (copy, mask->missing, (gsize) mask->width * (gsize) mask->height);
  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++) {
      if (!copy[(gsize) y * (gsize) mask->width + (gsize) x])
        continue;
      for (int row = MAX (0, y - 1); row <= MIN (y + 1, mask->height - 1);
           row++)
        for (int col = MAX (0, x - 1); col <= MIN (x + 1, mask->width - 1);
             col++)
          mask->missing[(gsize) row * (gsize) mask->width + (gsize) col] = 1;
    }
}

static Mask *
find_blocks (const Image *image, double strength, const Progress *progress,
             GError **error)
{
  g_autoptr (Mask) black = mask_new (image->width, image->height, error);
  g_autoptr (Mask) opened = NULL;
  g_autoptr (List) region = list_new (sizeof (gsize), NULL);
  Mask *mask = NULL;
  Search s = { .image = image,
               .width = image->width,
               .height = image->height,
               .least_contrast = LEAST_CONTRAST / strength };

  if (black != NULL)
    opened = mask_new (image->width, image->height, error);
  if (opened != NULL)
    mask = mask_new (image->width, image->height, error);
  if (mask == NULL)
    return NULL;

  s.black = black->missing;
  s.opened = opened->missing;
  s.region = region;
  mark_black (&s);
  open_black (&s);
  mark_all_blocks (&s, strength, mask);
  if (!list_check (s.region, "looking for blocks", error)) {
    mask_free (mask);
    return NULL;
  }
  if (image->meta.format == TESSERA_JPEG)
    widen (mask, s.black);
  if (progress_step (progress, 1, error))
    return mask;
  mask_free (mask);
  return NULL;
}

const Detector detector_blocks = { .name = "blocks",
                                   .noun = "blacked-out blocks",
                                   .find = find_blocks };
