#include "imaging/patchsource.h"

#include "base/error.h"
#include "base/random.h"

#include <string.h>

/* Numbers that the pool holds: 24 MB, which is 20,000 patches of 10 x 10. */
#define POOL_NUMBERS 6000000

/* Streams of random numbers; the epoch is added to the upper half. */
enum { STREAM_ORDER = 0x7073, STREAM_PLACES, STREAM_POOL, STREAM_FIRST };

/* Steps of this share of a circle spread points evenly over it, however many
 * there are: the golden ratio. */
#define GOLDEN 0.61803398874989485

/* What is known of a picture. */
enum { NOT_SEEN, USED, SKIPPED };

/* The picture that is drawn from.  Its places, row after row, are cut into as
 * many runs as patches are wanted, and each run gives one.  Neighbours among
 * the runs are far apart in time, so that the top of a picture that is larger
 * than the pool does not come before its bottom. */
typedef struct {
  Image *image; /* or NULL */
  gsize number; /* in the order of this epoch */
  gsize places; /* that it has */
  gsize wanted; /* patches */
  gsize given;
  gsize run, stride; /* the next run, and from one to the next */
} SourcePicture;

struct PatchSource {
  PatchSourceOptions options;
  GPtrArray *paths;
  int n; /* length of a patch */

  guint8 *seen;      /* by picture */
  int used, skipped; /* how many of each */

  guint64 epoch;
  gsize *order;   /* of the pictures */
  guint next;     /* picture to read, in that order */
  guint64 left;   /* pictures to read that are not known to be broken */
  guint64 wanted; /* patches still to be drawn, unless all are */
  SourcePicture picture;

  float *pool; /* capacity patches */
  gsize capacity, held;
  guint64 drawn;   /* from the pool, this epoch */
  GError *trouble; /* what ended the epoch early, or NULL */
};

PatchSource *
patch_source_new (GPtrArray *paths, const PatchSourceOptions *options,
                  GError **error)
{
  g_autoptr (PatchSource) self = g_new0 (PatchSource, 1);

  self->options = *options;
  self->n = options->patch * options->patch * options->channels;
  self->paths = g_ptr_array_ref (paths);
  self->seen = g_new0 (guint8, MAX (1, paths->len));
  self->order = g_new (gsize, MAX (1, paths->len));
  self->capacity = MAX (64, POOL_NUMBERS / (gsize) self->n);
  self->pool = tessera_try_new (float, self->capacity * (gsize) self->n,
                                "patches", error);
  if (self->pool == NULL)
    return NULL;
  patch_source_begin (self, 0);
  return g_steal_pointer (&self);
}

void
patch_source_free (PatchSource *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->paths);
  image_free (self->picture.image);
  g_clear_error (&self->trouble);
  g_free (self->seen);
  g_free (self->order);
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
  self->left = self->paths->len - (guint64) self->skipped;
  self->wanted = self->options.max_patches;
  self->held = 0;
  self->drawn = 0;
  g_clear_error (&self->trouble);
  g_clear_pointer (&self->picture.image, image_free);
  random_permutation (self->options.seed, stream (self, STREAM_ORDER),
                      self->paths->len, self->order);
}

gboolean
patch_source_check (const PatchSource *self, GError **error)
{
  if (self->trouble == NULL)
    return TRUE;
  g_propagate_error (error, g_error_copy (self->trouble));
  return FALSE;
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

/* ---- pictures ---- */

static void
count_used (PatchSource *self, gsize picture)
{
  self->used += self->seen[picture] == NOT_SEEN;
  self->seen[picture] = USED;
}

/* A picture that was usable in an earlier epoch may be gone now. */
static void
skip (PatchSource *self, gsize picture, const char *why)
{
  self->used -= self->seen[picture] == USED;
  self->skipped++;
  self->seen[picture] = SKIPPED;
  if (self->options.skipped != NULL)
    self->options.skipped (self->paths->pdata[picture], why,
                           self->options.data);
}

/* Places along a side. */
static gsize
places_along (const PatchSource *self, int length)
{
  return (gsize) ((length - self->options.patch) / self->options.step + 1);
}

/* An even share of what is still wanted, rounded up: then all pictures
 * together give as many as are wanted, and those that come after a broken one
 * make up for it. */
static gsize
share_of_picture (PatchSource *self, gsize places)
{
  gsize share;

  if (self->options.max_patches == 0)
    return places;
  share = (gsize) MIN ((self->wanted - 1) / self->left + 1, places);
  self->wanted -= share;
  return share;
}

static gsize
common_divisor (gsize a, gsize b)
{
  return b == 0 ? a : common_divisor (b, a % b);
}

/* Takes ownership of @image. */
static void
open_picture (PatchSource *self, gsize number, Image *image)
{
  SourcePicture *picture = &self->picture;
  gsize places =
    places_along (self, image->width) * places_along (self, image->height);
  gsize wanted = share_of_picture (self, places);

  *picture =
    (SourcePicture){ .image = image,
                     .number = number,
                     .places = places,
                     .wanted = wanted,
                     .stride = MAX (1, (gsize) (GOLDEN * (double) wanted)) };
  picture->run =
    (gsize) random_below (self->options.seed, stream (self, STREAM_FIRST),
                          (guint64) number, (guint64) wanted);
  /* Only then every run has its turn. */
  while (common_divisor (wanted, picture->stride) > 1)
    picture->stride++;
}

/* A place in the next run; runs are as long as each other, or one longer. */
static gsize
next_place (PatchSource *self)
{
  SourcePicture *picture = &self->picture;
  gsize length = picture->places / picture->wanted;
  gsize longer = picture->places % picture->wanted;
  gsize run = picture->run;
  gsize first = run * length + MIN (run, longer);

  picture->run = (run + picture->stride) % picture->wanted;
  picture->given++;
  return first
         + (gsize) random_below (
           self->options.seed, stream (self, STREAM_PLACES),
           (guint64) picture->number << 32 | run, length + (run < longer));
}

/* Whether the picture may still be usable. */
static gboolean
is_no_fault_of_picture (const GError *error)
{
  return g_error_matches (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED)
         || g_error_matches (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY);
}

/* Goes through the pictures to the next one that can be used.  FALSE when
 * there is none, or enough was drawn. */
static gboolean
next_picture (PatchSource *self)
{
  const PatchSourceOptions *o = &self->options;

  g_clear_pointer (&self->picture.image, image_free);
  while (self->next < self->paths->len
         && (o->max_patches == 0 || self->wanted > 0)) {
    gsize number = self->next++, picture = self->order[number];
    g_autoptr (GError) error = NULL;
    g_autoptr (Image) image = NULL;

    if (self->seen[picture] == SKIPPED)
      continue;
    image = o->load (self->paths->pdata[picture], o->data, &error);
    if (image != NULL && image->width >= o->patch
        && image->height >= o->patch) {
      open_picture (self, number, g_steal_pointer (&image));
      count_used (self, picture);
      self->left--;
      return TRUE;
    }
    if (is_no_fault_of_picture (error)) {
      self->next = self->paths->len;
      g_clear_error (&self->trouble);
      self->trouble = g_steal_pointer (&error);
      return FALSE;
    }
    skip (self, picture,
          error != NULL ? error->message : "smaller than a patch");
    self->left--;
  }
  return FALSE;
}

/* ---- patches ---- */

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
  const Image *image = self->picture.image;
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
  const SourcePicture *picture = &self->picture;

  while (self->held < self->capacity) {
    gsize place, across;

    if (picture->image == NULL || picture->given == picture->wanted) {
      if (!next_picture (self))
        return;
      continue;
    }
    across = places_along (self, picture->image->width);
    place = next_place (self);
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
