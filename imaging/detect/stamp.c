/* stamp.c - stamped dates and overlaid text
 *
 * Lines of glyphs in one colour.  Ink that a program or a camera has put on a
 * picture is the same to a few levels in all glyphs, where photographed
 * lettering has light, shade and grain.
 *   1. Glyphs are connected pixels of one colour, flat inside, thin like
 *      strokes, with another colour all around.
 *   2. A line is a row of glyphs of the same ink and of similar height, close
 *      to one another, most of which stand on one base: 3 or more if the ink is
 *      colourful, 5 or more if it is grey, which clipped lights are as well.
 *      What else is near and of that ink belongs to it.
 *   3. Ink may glow: the marks are grown as far as it does (ink.h).
 */
#include "imaging/detect/detect.h"

#include "base/cpudispatch.h"
#include "imaging/area.h"
#include "imaging/detect/ink.h"
#include "imaging/detect/marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Levels within which ink is the same: a JPEG rings. */
#define SAME 3
#define SAME_JPEG 14
#define COARSE_COLOURS 3 /* times that in colours */

#define INK_SHARE 0.9 /* of the pixels of a glyph */

#define LEAST_PIXELS 8
#define LEAST_HEIGHT 6 /* of the glyphs of a line; a dot may be smaller */
#define MOST_SHARE 0.2 /* of the height of the picture */

/* Most of the pixels this far from a glyph differ by so many levels. */
#define ASIDE 4
#define CONTRAST 36
#define SHARP_SHARE 0.75

/* A stroke is at most this wide, as a share of the height of a line. */
#define MOST_STROKE 0.4

#define COLOURFUL 60 /* levels between the colours of an ink */
#define LEAST_COLOURFUL 3
#define LEAST_GREY 5

/* In a JPEG more is of one ink, so less counts as colourful, and more glyphs
 * are needed that are not. */
#define COLOURFUL_JPEG 120
#define LEAST_GREY_JPEG 8

/* A glyph is high with this share of the height of its line. */
#define HIGH 0.6
#define HIGH_JPEG 0.85

/* In heights of a line: from glyph to glyph, and off its middle. */
#define MOST_GAP 2.5
#define MOST_OFF 0.7

/* The share of its high glyphs that end on one base, to so many pixels or
 * heights; and how near a line more of its ink belongs to it, in heights. */
#define BASE_SHARE 0.6
#define BASE_OFF 0.08
#define LEAST_OFF 1.5
#define NEAR_LINE 1.2

typedef struct {
  ImageArea box;
  double ink[3];  /* mean colours, in levels */
  double stroke;  /* width */
  List *pixels;   /* gsize */
  gboolean used;
} Glyph;

static void
glyph_clear (gpointer data)
{
  Glyph *glyph = data;

  g_clear_pointer (&glyph->pixels, list_free);
}

typedef struct {
  const Image *image;
  int colours;
  int same;         /* levels */
  int same_samples; /* the same in the range of the picture */
  double contrast;  /* levels */
  List *glyphs;
} Scene;

/* ---- 1. glyphs ---- */

/* How far apart two colours are as inks, given the levels between them: the
 * largest; in a JPEG, which keeps colours more coarsely than brightness, that of
 * brightness or a part of the rest. */
static inline int
ink_distance (const Scene *scene, const int levels[3])
{
  int bright = (levels[0] + 2 * levels[1] + levels[2]) / 4;
  int most = 0;

  if (scene->same == SAME)
    return MAX (abs (levels[0]), MAX (abs (levels[1]), abs (levels[2])));
  for (int c = 0; c < 3; c++)
    most = MAX (most, abs (levels[c] - bright));
  return MAX (abs (bright), most / COARSE_COLOURS);
}

static inline gboolean
are_alike (const Scene *scene, gsize i, gsize j)
{
  const Image *image = scene->image;
  const guint16 *a = image->samples + i * (gsize) image->channels;
  const guint16 *b = image->samples + j * (gsize) image->channels;
  int last = scene->colours - 1;

  if (scene->same == SAME) {
    for (int c = 0; c <= last; c++)
      if (abs (a[c] - b[c]) > scene->same_samples)
        return FALSE;
    return TRUE;
  }

  const int levels[3] = { a[0] - b[0], a[MIN (1, last)] - b[MIN (1, last)],
                          a[MIN (2, last)] - b[MIN (2, last)] };

  return ink_distance (scene, levels) <= scene->same_samples;
}

/* Whether samples of a row differ by more than @most from that of the next
 * pixel, @step further, or from the two @below. */
CPU_DISPATCH static void
compare_samples (const guint16 *restrict row, const guint16 *restrict below,
                 int step, gsize count, int most, guint8 *restrict differs)
{
  for (gsize i = 0; i < count; i++) {
    int here = row[i], right = row[i + (gsize) step];
    int low = below[i], corner = below[i + (gsize) step];

    differs[i] = (ABS (here - right) > most) | (ABS (here - low) > most)
                 | (ABS (here - corner) > most);
  }
}

/* Whether all colours of pixel @x are as those of its neighbours. */
static inline gboolean
is_flat (const Scene *scene, const guint8 *differs, int x)
{
  const guint8 *pixel = differs + (gsize) x * (gsize) scene->image->channels;
  int any = 0;

  for (int c = 0; c < scene->colours; c++)
    any |= pixel[c];
  return !any;
}

/* The squares of 2 x 2 that are of one colour, from row @y down. */
static void
mark_flat_row (const Scene *scene, int y, guint8 *differs, BytePlane *marks)
{
  const Image *image = scene->image;
  gsize width = (gsize) image->width, start = (gsize) y * width;
  gboolean plain = scene->same == SAME;

  if (plain)
    compare_samples (image_pixel (image, 0, y), image_pixel (image, 0, y + 1),
                     image->channels, (width - 1) * (gsize) image->channels,
                     scene->same_samples, differs);
  for (int x = 0; x + 1 < image->width; x++) {
    gsize i = start + (gsize) x;

    if (plain ? is_flat (scene, differs, x)
              : are_alike (scene, i, i + 1) && are_alike (scene, i, i + width)
                  && are_alike (scene, i, i + width + 1))
      marks->data[i] = marks->data[i + 1] = marks->data[i + width] =
        marks->data[i + width + 1] = 1;
  }
}

/* Marks the pixels of squares of 2 x 2 that are of one colour. */
static void
mark_flat (const Scene *scene, BytePlane *marks)
{
  const Image *image = scene->image;
  g_autofree guint8 *differs =
    g_malloc ((gsize) image->width * (gsize) image->channels);

  for (int y = 0; y + 1 < marks->height; y++)
    mark_flat_row (scene, y, differs, marks);
}

static double
difference (const Scene *scene, gsize i, const double ink[3])
{
  double most = 0;

  for (int c = 0; c < 3; c++)
    most = fmax (most, fabs (ink_level (scene->image, i, c) - ink[c]));
  return most;
}

/* How far pixel @i is from @ink, as inks go. */
static int
distance_from_ink (const Scene *scene, gsize i, const double ink[3])
{
  int levels[3];

  for (int c = 0; c < 3; c++)
    levels[c] = (int) lrint (ink_level (scene->image, i, c) - ink[c]);
  return ink_distance (scene, levels);
}

/* Whether pixel @i is of @ink.  To be within SAME after rounding is to be less
 * than a half further away, since a half is rounded to an even number. */
static inline gboolean
is_of_ink (const Scene *scene, gsize i, const double ink[3])
{
  G_STATIC_ASSERT (SAME % 2 == 1);

  if (scene->same != SAME)
    return distance_from_ink (scene, i, ink) <= scene->same;
  for (int c = 0; c < 3; c++)
    if (!(fabs (ink_level (scene->image, i, c) - ink[c]) < SAME + 0.5))
      return FALSE;
  return TRUE;
}

/* Whether nearly all pixels of @blob have the colour @ink, which it sets. */
static gboolean
has_one_ink (const Scene *scene, const Blob *blob, double ink[3])
{
  gsize alike = 0;

  for (int c = 0; c < 3; c++) {
    double sum = 0;

    for (gsize k = 0; k < blob->count; k++)
      sum += ink_level (scene->image, blob->pixels[k], c);
    ink[c] = sum / (double) blob->count;
  }
  for (gsize k = 0; k < blob->count; k++)
    alike += is_of_ink (scene, blob->pixels[k], ink) ? 1 : 0;
  return (double) alike >= INK_SHARE * (double) blob->count;
}

/* Edges between the pixels of @blob and others; and whether most pixels
 * ASIDE of these edges are of another colour. */
static gboolean
has_sharp_edges (const Scene *scene, const Blob *blob, const double ink[3],
                 double *edges)
{
  static const int steps[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
  int width = blob->marks->width, height = blob->marks->height;
  double around = 0, sharp = 0;

  *edges = 0;
  for (gsize k = 0; k < blob->count; k++) {
    int x = (int) (blob->pixels[k] % (gsize) width);
    int y = (int) (blob->pixels[k] / (gsize) width);

    for (int s = 0; s < 4; s++) {
      int x1 = x + steps[s][0], y1 = y + steps[s][1];
      int x4 = x + ASIDE * steps[s][0], y4 = y + ASIDE * steps[s][1];

      if (x1 >= 0 && y1 >= 0 && x1 < width && y1 < height
          && blob->marks->data[(gsize) y1 * (gsize) width + (gsize) x1]
          && is_of_ink (scene, (gsize) y1 * (gsize) width + (gsize) x1, ink))
        continue;
      ++*edges;
      if (x4 < 0 || y4 < 0 || x4 >= width || y4 >= height)
        continue;
      around++;
      sharp += difference (scene, (gsize) y4 * (gsize) width + (gsize) x4, ink)
               > scene->contrast;
    }
  }
  return around > 0 && sharp >= SHARP_SHARE * around;
}

/* Keeps @blob among the glyphs if it may be one. */
static void
note_glyph (Scene *scene, const Blob *blob)
{
  Glyph glyph = { .box = blob->box };
  double edges;

  if (blob->count < LEAST_PIXELS
      || blob->box.height > MOST_SHARE * blob->marks->height
      || blob->box.width > MOST_SHARE * blob->marks->width
      || !has_one_ink (scene, blob, glyph.ink)
      || !has_sharp_edges (scene, blob, glyph.ink, &edges))
    return;
  glyph.stroke = 2 * (double) blob->count / edges;
  glyph.pixels = list_new (sizeof (gsize), NULL);
  if (!list_append (glyph.pixels, blob->pixels, (guint) blob->count)
      || !list_append (scene->glyphs, &glyph, 1)) {
    glyph_clear (&glyph);
    scene->glyphs->is_short = TRUE;
  }
}

static gboolean
joins (gsize start, gsize pixel, gconstpointer scene)
{
  return are_alike (scene, start, pixel);
}

static gboolean
find_glyphs (Scene *scene, const BytePlane *marks, GError **error)
{
  g_autoptr (List) pixels = list_new (sizeof (gsize), NULL);
  g_auto (BytePlane) left = { 0 };

  if (!byte_plane_init (&left, marks->width, marks->height, error))
    return FALSE;
  memcpy (left.data, marks->data, byte_plane_size (marks));
  for (gsize i = 0; i < byte_plane_size (&left); i++)
    if (left.data[i]) {
      Blob blob = { .marks = marks,
                    .box = byte_plane_collect (&left, i, joins, scene,
                                               pixels) };

      if (!list_check (pixels, "the pixels of a mark", error))
        return FALSE;
      blob.pixels = (const gsize *) (gpointer) pixels->data;
      blob.count = pixels->len;
      note_glyph (scene, &blob);
    }
  return list_check (scene->glyphs, "the letters of stamps", error);
}

/* ---- 2. lines ---- */

static gboolean
have_same_ink (const Scene *scene, const Glyph *a, const Glyph *b)
{
  int levels[3];

  for (int c = 0; c < 3; c++)
    levels[c] = (int) lrint (a->ink[c] - b->ink[c]);
  return ink_distance (scene, levels) <= scene->same;
}

static double
colourfulness (const Glyph *glyph)
{
  return fmax (glyph->ink[0], fmax (glyph->ink[1], glyph->ink[2]))
         - fmin (glyph->ink[0], fmin (glyph->ink[1], glyph->ink[2]));
}

static double
middle (const Glyph *glyph)
{
  return glyph->box.y + 0.5 * glyph->box.height;
}

/* Whether @glyph belongs to the line of @first that reaches from @left to
 * @right. */
static gboolean
is_in_line (const Scene *scene, const Glyph *first, const Glyph *glyph,
            int left, int right)
{
  double height = first->box.height;

  return !glyph->used && glyph->box.height <= 1.5 * height
         && glyph->stroke <= MOST_STROKE * height
         && fabs (middle (glyph) - middle (first)) <= MOST_OFF * height
         && glyph->box.x <= right + MOST_GAP * height
         && glyph->box.x + glyph->box.width >= left - MOST_GAP * height
         && have_same_ink (scene, first, glyph);
}

/* The glyphs of the line that @first begins. */
static GPtrArray *
collect_line (const Scene *scene, Glyph *first)
{
  GPtrArray *line = g_ptr_array_new ();
  int left = first->box.x, right = left + first->box.width;

  first->used = TRUE;
  g_ptr_array_add (line, first);
  for (gboolean more = TRUE; more;) {
    more = FALSE;
    for (guint i = 0; i < scene->glyphs->len; i++) {
      Glyph *glyph = &list_at (scene->glyphs, Glyph, i);

      if (!is_in_line (scene, first, glyph, left, right))
        continue;
      glyph->used = more = TRUE;
      left = MIN (left, glyph->box.x);
      right = MAX (right, glyph->box.x + glyph->box.width);
      g_ptr_array_add (line, glyph);
    }
  }
  return line;
}

/* Whether @glyph is about as high as @first, the highest of its line. */
static gboolean
is_high (const Scene *scene, const Glyph *glyph, const Glyph *first)
{
  return glyph->box.height
         >= (scene->same == SAME ? HIGH : HIGH_JPEG) * first->box.height;
}

static int
bottom (const Glyph *glyph)
{
  return glyph->box.y + glyph->box.height;
}

/* How many of the high glyphs of @line end where @glyph does. */
static guint
count_on_base (const Scene *scene, const GPtrArray *line, const Glyph *glyph)
{
  const Glyph *first = line->pdata[0];
  double most = fmax (LEAST_OFF, BASE_OFF * first->box.height);
  guint count = 0;

  for (guint i = 0; i < line->len; i++)
    count += is_high (scene, line->pdata[i], first)
             && abs (bottom (line->pdata[i]) - bottom (glyph)) <= most;
  return count;
}

/* Whether enough glyphs of @line are as high as its first, and most of these
 * end on one base. */
static gboolean
is_text (const Scene *scene, const GPtrArray *line)
{
  const Glyph *first = line->pdata[0];
  gboolean is_jpeg = scene->same != SAME;
  guint grey = is_jpeg ? LEAST_GREY_JPEG : LEAST_GREY, high = 0, on_base = 0;
  int colourful = is_jpeg ? COLOURFUL_JPEG : COLOURFUL;
  guint least = colourfulness (first) >= colourful ? LEAST_COLOURFUL : grey;

  for (guint i = 0; i < line->len; i++)
    if (is_high (scene, line->pdata[i], first)) {
      high++;
      on_base = MAX (on_base, count_on_base (scene, line, line->pdata[i]));
    }
  return high >= least && on_base >= BASE_SHARE * high;
}

static ImageArea
line_box (const GPtrArray *line)
{
  const Glyph *first = line->pdata[0];
  int left = first->box.x, right = left, top = first->box.y, low = top;

  for (guint i = 0; i < line->len; i++) {
    const Glyph *glyph = line->pdata[i];

    left = MIN (left, glyph->box.x);
    right = MAX (right, glyph->box.x + glyph->box.width);
    top = MIN (top, glyph->box.y);
    low = MAX (low, bottom (glyph));
  }
  return (ImageArea){ left, top, right - left, low - top };
}

/* Adds to the text @line what is near and of its ink: dots, the parts of
 * digits that are made of bars, a line above or below. */
static void
complete_line (const Scene *scene, GPtrArray *line)
{
  const Glyph *first = line->pdata[0];
  const ImageArea box = line_box (line);
  int reach = (int) (NEAR_LINE * first->box.height) + 1;

  for (guint i = 0; i < scene->glyphs->len; i++) {
    Glyph *glyph = &list_at (scene->glyphs, Glyph, i);

    if (glyph->used || glyph->box.x + glyph->box.width < box.x - reach
        || glyph->box.x > box.x + box.width + reach
        || bottom (glyph) < box.y - reach
        || glyph->box.y > box.y + box.height + reach
        || glyph->box.height > 2 * reach
        || glyph->stroke > MOST_STROKE * first->box.height
        || !have_same_ink (scene, first, glyph))
      continue;
    glyph->used = TRUE;
    g_ptr_array_add (line, glyph);
  }
}

/* ---- 3. marks ---- */

/* Marks the pixels of @line in @marks, the mask of @area. */
static void
mark_glyphs (const Scene *scene, const GPtrArray *line, const ImageArea *area,
             Mask *marks)
{
  gsize width = (gsize) scene->image->width;

  for (guint i = 0; i < line->len; i++) {
    const Glyph *glyph = line->pdata[i];

    for (guint k = 0; k < glyph->pixels->len; k++) {
      gsize pixel = list_at (glyph->pixels, gsize, k);
      gsize x = pixel % width - (gsize) area->x;
      gsize y = pixel / width - (gsize) area->y;

      marks->missing[y * (gsize) area->width + x] = MASK_PIXEL;
    }
  }
}

/* Adds @line and its glow to @mask, by a look at what is around it. */
static gboolean
mark_line (const Scene *scene, const GPtrArray *line, Mask *mask,
           GError **error)
{
  const Glyph *first = line->pdata[0];
  const ImageArea box = line_box (line);
  const ImageArea area =
    area_widened (&box, INK_REACH, mask->width, mask->height);
  g_autoptr (Image) part = image_cut (scene->image, &area, error);
  g_autoptr (Mask) marks =
    part != NULL ? mask_new (area.width, area.height, error) : NULL;

  if (marks == NULL)
    return FALSE;
  mark_glyphs (scene, line, &area, marks);
  if (!ink_grow_glow (part, first->ink, marks, error))
    return FALSE;
  mask_add_part (mask, &area, marks);
  return TRUE;
}

/* The highest first, so that a line is measured by its letters. */
static gint
by_height (gconstpointer a, gconstpointer b)
{
  const Glyph *p = a, *q = b;

  if (p->box.height != q->box.height)
    return q->box.height - p->box.height;
  return p->box.y != q->box.y ? p->box.y - q->box.y : p->box.x - q->box.x;
}

/* Glyphs that are too low to begin a line come last. */
static gboolean
find_lines (const Scene *scene, Mask *mask, const Progress *progress,
            GError **error)
{
  guint count = scene->glyphs->len;

  if (!list_sort (scene->glyphs, by_height))
    return list_check (scene->glyphs, "the letters of stamps", error);
  for (guint i = 0; i < count; i++) {
    Glyph *first = &list_at (scene->glyphs, Glyph, i);
    g_autoptr (GPtrArray) line = NULL;

    if (first->box.height < LEAST_HEIGHT)
      break;
    if (!progress_step (progress, (double) i / count, error))
      return FALSE;
    if (first->used || first->stroke > MOST_STROKE * first->box.height)
      continue;
    line = collect_line (scene, first);
    if (!is_text (scene, line))
      continue;
    complete_line (scene, line);
    if (!mark_line (scene, line, mask, error))
      return FALSE;
  }
  return TRUE;
}

static Mask *
find_stamp (const Image *image, double strength, const Progress *progress,
            GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  g_autoptr (List) glyphs = list_new (sizeof (Glyph), glyph_clear);
  Scene scene = { .image = image,
                  .same = image->meta.format == TESSERA_JPEG ? SAME_JPEG : SAME,
                  .contrast = CONTRAST / strength,
                  .glyphs = glyphs };
  g_auto (BytePlane) marks = { 0 };
  ProgressPart part = { progress, 0.8, 1 };
  Progress lines = progress_part (&part);

  scene.colours = image_colours (image);
  scene.same_samples = scene.same * image_peak (image) / 255;
  if (mask == NULL
      || !byte_plane_init (&marks, image->width, image->height, error))
    return NULL;
  mark_flat (&scene, &marks);
  if (!progress_step (progress, 0.4, error)
      || !find_glyphs (&scene, &marks, error)
      || !progress_step (progress, 0.8, error)
      || !find_lines (&scene, mask, &lines, error)
      || !progress_step (progress, 1, error))
    return NULL;
  return g_steal_pointer (&mask);
}

const Detector detector_stamp = { .name = "stamp",
                                  .noun = "stamps and overlaid text",
                                  .find = find_stamp,
                                  .classes = DAMAGE_CLASS (DAMAGE_TEXT) };
