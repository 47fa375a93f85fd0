#include "imaging/patchsource.h"

#include "base/random.h"

#include <string.h>

/* Numbers that the pool holds: 24 MB, which is 20,000 patches of 10 x 10. */
#define POOL_NUMBERS 6000000

/* Streams of random numbers; the epoch is added to the upper half. */
enum { STREAM_ORDER = 0x7073, STREAM_PLACES, STREAM_POOL };

struct PatchSource {
  PatchSourceOptions options;
  GPtrArray *paths;
  int n; /* length of a patch */

  guint64 epoch;
  gsize *order; /* of the pictures */
  guint next;   /* picture to read, in that order */
  int used, skipped;

  float *pool; /* capacity patches */
  gsize capacity, held;
  guint64 drawn; /* from the pool, this epoch */
  Image *image;  /* the one that is drawn from, or NULL */
  gsize *places; /* of it, shuffled */
  gsize place, place_count;
};

PatchSource *
patch_source_new (const GPtrArray *paths, const PatchSourceOptions *options)
{
  PatchSource *self = g_new0 (PatchSource, 1);

  self->options = *options;
  self->n = options->patch * options->patch * options->channels;
  self->paths = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < paths->len; i++)
    g_ptr_array_add (self->paths, g_strdup (paths->pdata[i]));
  self->order = g_new (gsize, MAX (1, paths->len));
  self->capacity = MAX (64, POOL_NUMBERS / (gsize) self->n);
  self->pool = g_new (float, self->capacity *(gsize) self->n);
  patch_source_begin (self, 0);
  return self;
}

void
patch_source_free (PatchSource *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->paths);
  image_free (self->image);
  g_free (self->order);
  g_free (self->places);
  g_free (self->pool);
  g_free (self);
}

static guint64
stream (const PatchSource *self, guint64 use)
{
  return self->epoch << 32 | use;
}

void
patch_source_begin (PatchSource *self, int epoch)
{
  self->epoch = (guint64) epoch;
  self->next = 0;
  self->used = self->skipped = 0;
  self->held = 0;
  self->drawn = 0;
  g_clear_pointer (&self->image, image_free);
  random_permutation (self->options.seed, stream (self, STREAM_ORDER),
                      self->paths->len, self->order);
}

int
patch_source_used (const PatchSource *self)
{
  return self->used;
}

int
patch_source_skipped (const PatchSource *self)
{
  return self->skipped;
}

static void
skip (PatchSource *self, const char *path, const char *why)
{
  self->skipped++;
  if (self->options.skipped != NULL)
    self->options.skipped (path, why, self->options.data);
}

/* Places along a side. */
static gsize
places_along (const PatchSource *self, int length)
{
  return (gsize) ((length - self->options.patch) / self->options.step + 1);
}

/* How many patches the picture at hand gives: an even share, rounded so that
 * all pictures together give max_patches. */
static gsize
share_of_picture (const PatchSource *self, gsize number, gsize available)
{
  guint64 all = self->options.max_patches, pictures = self->paths->len;
  guint64 before, after;

  if (all == 0)
    return available;
  before = (guint64) ((double) all * (double) number / (double) pictures);
  after = (guint64) ((double) all * (double) (number + 1) / (double) pictures);
  return MIN (available, (gsize) (after - before));
}

/* Chooses places of self->image at random: the first of a permutation. */
static void
choose_places (PatchSource *self, gsize number)
{
  gsize across = places_along (self, self->image->width);
  gsize down = places_along (self, self->image->height);
  gsize available = across * down, wanted;

  wanted = share_of_picture (self, number, available);
  g_free (self->places);
  self->places = g_new (gsize, MAX (1, wanted));
  self->place = 0;
  self->place_count = wanted;
  /* Drawing again and again is cheaper than a permutation of millions, and a
   * place that comes twice does no harm. */
  for (gsize i = 0; i < wanted; i++)
    self->places[i] =
      wanted == available
        ? i
        : random_below (self->options.seed, stream (self, STREAM_PLACES),
                        (guint64) number << 32 | i, available);
}

/* Reads the next picture that can be used; FALSE when there is none. */
static gboolean
next_picture (PatchSource *self)
{
  const PatchSourceOptions *o = &self->options;

  g_clear_pointer (&self->image, image_free);
  while (self->next < self->paths->len) {
    gsize number = self->next++;
    const char *path = self->paths->pdata[self->order[number]];
    g_autoptr (GError) error = NULL;

    self->image = o->load (path, o->data, &error);
    if (self->image == NULL)
      skip (self, path, error->message);
    else if (self->image->width < o->patch || self->image->height < o->patch) {
      g_clear_pointer (&self->image, image_free);
      skip (self, path, "smaller than a patch");
    } else {
      choose_places (self, number);
      self->used++;
      return TRUE;
    }
  }
  return FALSE;
}

/* One sample for plane @c of a patch: its own colour, grey for every plane, or
 * the mean of the colours. */
static float
sample (const Image *image, const guint16 *pixel, int c, int channels)
{
  int colours = image_colours (image), sum = 0;

  if (channels == 3)
    return (float) pixel[c % colours];
  for (int i = 0; i < colours; i++)
    sum += pixel[i];
  return (float) sum / (float) colours;
}

static void
cut_patch (const PatchSource *self, int left, int top, float *patch)
{
  const Image *image = self->image;
  int side = self->options.patch, channels = self->options.channels;
  float scale = 1 / (float) image_peak (image);

  for (int c = 0; c < channels; c++)
    for (int y = 0; y < side; y++)
      for (int x = 0; x < side; x++)
        *patch++ = scale
                   * sample (image, image_pixel (image, left + x, top + y), c,
                             channels);
}

/* Fills the pool as far as pictures go. */
static void
fill_pool (PatchSource *self)
{
  while (self->held < self->capacity) {
    gsize place, across;

    if (self->image == NULL || self->place == self->place_count) {
      if (!next_picture (self))
        return;
      continue;
    }
    across = places_along (self, self->image->width);
    place = self->places[self->place++];
    cut_patch (self, (int) (place % across) * self->options.step,
               (int) (place / across) * self->options.step,
               self->pool + self->held++ * (gsize) self->n);
  }
}

int
patch_source_read (PatchSource *self, Mat *Y)
{
  int count = 0;

  while (count < Y->cols) {
    gsize chosen;
    float *from, *last;
    double *to = mat_at (Y, 0, count);

    if (self->held < self->capacity)
      fill_pool (self);
    if (self->held == 0)
      break;
    chosen = random_below (self->options.seed, stream (self, STREAM_POOL),
                           self->drawn++, self->held);
    from = self->pool + chosen * (gsize) self->n;
    last = self->pool + --self->held * (gsize) self->n;
    for (int i = 0; i < self->n; i++)
      to[i] = from[i];
    memmove (from, last, (gsize) self->n * sizeof (float));
    count++;
  }
  return count;
}
