#include "imaging/conv/recode.h"

#include "dictlearn/convolutional/pyramid.h"

#include <string.h>

/* Largest side of a square in pixels, and its margin: known samples further
 * away have no visible influence. */
#define MOST_SIDE 384
#define MARGIN 32

/* A rectangle of the picture: columns left .. right - 1, rows top ..
 * bottom - 1. */
typedef struct {
  int left, top, right, bottom;
} Box;

typedef struct {
  const Planes *damaged, *known, *noise;
  const RecodeSettings *settings;
  Planes *out;
} Recode;

/* One square with its margin, perhaps mirrored and turned, and the workspace
 * of its coder. */
typedef struct {
  Box box;
  int channels;
  float *y, *known, *noise, *sum;
} Square;

static gboolean
is_wanted (const Recode *r, int first, int count, int x, int y)
{
  if (r->noise != NULL && *planes_at (r->noise, 0, x, y) > 0)
    return TRUE;
  for (int c = first; r->known != NULL && c < first + count; c++)
    if (*planes_at (r->known, c, x, y) < 1)
      return TRUE;
  return FALSE;
}

/* Shrinks @box to what is wanted in it; FALSE if nothing is. */
static gboolean
tighten (const Recode *r, int first, int count, Box *box)
{
  Box found = { box->right, box->bottom, box->left, box->top };

  for (int y = box->top; y < box->bottom; y++)
    for (int x = box->left; x < box->right; x++)
      if (is_wanted (r, first, count, x, y)) {
        found.left = MIN (found.left, x);
        found.right = MAX (found.right, x + 1);
        found.top = MIN (found.top, y);
        found.bottom = MAX (found.bottom, y + 1);
      }
  *box = found;
  return found.left < found.right;
}

static Box
widen (const Recode *r, Box box)
{
  return (Box){ MAX (0, box.left - MARGIN), MAX (0, box.top - MARGIN),
                MIN (r->damaged->width, box.right + MARGIN),
                MIN (r->damaged->height, box.bottom + MARGIN) };
}

/* ---- the eight orientations of a picture ---- */

/* Where sample (x, y) of a square in orientation @way is in the original
 * square; its bits mean mirroring x, mirroring y, and swapping both. */
static gsize
place_of (int way, int width, int height, int x, int y)
{
  int u = way & 4 ? y : x, v = way & 4 ? x : y;

  if (way & 1)
    u = width - 1 - u;
  if (way & 2)
    v = height - 1 - v;
  return (gsize) v * (gsize) width + (gsize) u;
}

static int
laid_width (int way, int width, int height)
{
  return way & 4 ? height : width;
}

/* Copies @planes of width x height into orientation @way; in the other
 * direction it adds. */
static void
lay (const float *from, int way, int width, int height, int channels,
     float *to)
{
  int across = laid_width (way, width, height);
  int down = width * height / across;

  for (int c = 0; c < channels; c++, from += width * height)
    for (int y = 0; y < down; y++)
      for (int x = 0; x < across; x++)
        *to++ = from[place_of (way, width, height, x, y)];
}

static void
lay_back (const float *from, int way, int width, int height, int channels,
          float *sum)
{
  int across = laid_width (way, width, height);
  int down = width * height / across;

  for (int c = 0; c < channels; c++, sum += width * height)
    for (int y = 0; y < down; y++)
      for (int x = 0; x < across; x++)
        sum[place_of (way, width, height, x, y)] += *from++;
}

/* ---- a square ---- */

static void
copy_box (const Planes *from, int channel, Box box, float *to)
{
  int width = box.right - box.left;

  for (int y = box.top; y < box.bottom; y++, to += width)
    memcpy (to, planes_at (from, channel, box.left, y),
            (gsize) width * sizeof *to);
}

static void
square_init (Square *s, const Recode *r, int first, int channels, Box box)
{
  gsize pixels =
    (gsize) (box.right - box.left) * (gsize) (box.bottom - box.top);
  gsize samples = pixels * (gsize) channels;

  s->box = box;
  s->channels = channels;
  s->y = g_new (float, samples);
  s->known = g_new (float, samples);
  s->noise = g_new0 (float, pixels);
  s->sum = g_new0 (float, samples);
  for (int c = 0; c < channels; c++) {
    copy_box (r->damaged, first + c, box, s->y + (gsize) c * pixels);
    if (r->known != NULL)
      copy_box (r->known, first + c, box, s->known + (gsize) c * pixels);
  }
  for (gsize i = 0; r->known == NULL && i < samples; i++)
    s->known[i] = 1;
  if (r->noise != NULL)
    copy_box (r->noise, 0, box, s->noise);
}

static void
square_clear (Square *s)
{
  g_free (s->y);
  g_free (s->known);
  g_free (s->noise);
  g_free (s->sum);
}

/* Restores the square in orientation @way and adds the result to its sum. */
static void
restore_way (Square *s, const ConvModel *model, int way)
{
  int width = s->box.right - s->box.left;
  int height = s->box.bottom - s->box.top;
  int across = laid_width (way, width, height);
  gsize pixels = (gsize) width * (gsize) height;
  gsize samples = pixels * (gsize) s->channels;
  g_autofree float *y = g_new (float, samples);
  g_autofree float *known = g_new (float, samples);
  g_autofree float *noise = g_new (float, pixels);
  g_autoptr (Pyramid) pyramid = pyramid_new (
    &model->shape, across, width * height / across, FALSE);
  Damaged damaged = { y, known, noise };

  lay (s->y, way, width, height, s->channels, y);
  lay (s->known, way, width, height, s->channels, known);
  lay (s->noise, way, width, height, 1, noise);
  lay_back (pyramid_forward (pyramid, model->numbers, &damaged), way, width,
            height, s->channels, s->sum);
}

/* Writes what is wanted of @box, which lies inside that of the square. */
static void
write_box (const Recode *r, const Square *s, int first, Box box)
{
  int width = s->box.right - s->box.left;
  int height = s->box.bottom - s->box.top;

  for (int c = 0; c < s->channels; c++)
    for (int y = box.top; y < box.bottom; y++)
      for (int x = box.left; x < box.right; x++) {
        int i = (c * height + y - s->box.top) * width + x - s->box.left;
        float noise = s->noise[i % (width * height)];

        if (s->known[i] < 1 || noise > 0)
          *planes_at (r->out, first + c, x, y) =
            s->sum[i] / (float) r->settings->turns;
      }
}

/* Patches of the largest size that a square with its margin is coded by, each
 * time that it is laid. */
static gsize
patches_in (const Square *s, int stride)
{
  int width = s->box.right - s->box.left;
  int height = s->box.bottom - s->box.top;

  return (gsize) ((width + stride - 1) / stride)
         * (gsize) ((height + stride - 1) / stride);
}

static gboolean
recode_box (const Recode *r, int first, Box box, const Progress *progress,
            GError **error)
{
  const ConvModel *model = r->settings->model;
  Square s;
  gboolean ok = TRUE;

  if (!tighten (r, first, model->shape.channels, &box))
    return TRUE;
  square_init (&s, r, first, model->shape.channels, widen (r, box));
  for (int way = 0; ok && way < r->settings->turns; way++) {
    restore_way (&s, model, way);
    if (r->settings->patches != NULL)
      *r->settings->patches += patches_in (&s, model->shape.stride);
    ok = progress_step (progress, (way + 1.0) / r->settings->turns, error);
  }
  if (ok)
    write_box (r, &s, first, box);
  square_clear (&s);
  return ok;
}

/* Squares of about equal size along @length. */
static int
square_count (int length)
{
  return (length + MOST_SIDE - 1) / MOST_SIDE;
}

gboolean
planes_recode (const Planes *damaged, const Planes *known,
               const Planes *noise, const RecodeSettings *settings,
               Planes *out, const Progress *progress, GError **error)
{
  Recode r = { damaged, known, noise, settings, out };
  int w = damaged->width, h = damaged->height;
  int across = square_count (w), down = square_count (h);
  int groups = damaged->channels / settings->model->shape.channels;
  int all = across * down * groups;

  memcpy (out->data, damaged->data,
          planes_samples (damaged) * sizeof (float));
  for (int i = 0; i < all; i++) {
    int a = i / groups % across, b = i / groups / across;
    Box box = { (int) ((gint64) w * a / across),
                (int) ((gint64) h * b / down),
                (int) ((gint64) w * (a + 1) / across),
                (int) ((gint64) h * (b + 1) / down) };
    ProgressPart share = { progress, (double) i / all,
                           (double) (i + 1) / all };
    Progress part = progress_part (&share);

    if (!recode_box (&r, i % groups * settings->model->shape.channels, box,
                     &part, error))
      return FALSE;
  }
  return TRUE;
}
