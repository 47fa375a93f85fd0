#include "imaging/training/crops.h"

#include "base/error.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

/* Uses of the random numbers of an example. */
enum {
  STREAM_EXAMPLE = 0x4c45,
  STREAM_CHOICE,
  STREAM_LOSS,
  STREAM_NOISE,
  STREAM_PATCH
};

/* What is drawn once for an example. */
enum {
  DRAW_PICTURE,
  DRAW_X,
  DRAW_Y,
  DRAW_SIZE,
  DRAW_ORIENTATION,
  DRAW_DAMAGE,
  DRAW_AMOUNT,
  DRAW_COVER,
  DRAW_ALSO_MISSING,
  DRAW_SHARE,
  DRAW_SLOPE,
  DRAW_ANGLE,
};

/* Share of examples that are taken at half the size where the picture is large
 * enough: the grain and the compression of the original are then gone. */
#define HALVED 0.5

/* Share of the crop that blocks or strokes cover, at most. */
#define MOST_COVER 0.3

/* Least and largest length of a stroke, as a share of the crop. */
#define SHORTEST_STROKE 0.25
#define LONGEST_STROKE 1.25

/* Share of noisy examples in which pixels are missing too, unless the task is
 * noise alone, and how many at most; and share of those in which the level
 * changes over the crop. */
#define ALSO_MISSING 0.15
#define MOST_ALSO_MISSING 0.5
#define SLOPED 0.3

/* Error at which an example is good enough: of what is missing, and as a share
 * of the variance of the noise.  Where noise is all there is to learn,
 * texture, which has most of the error of a picture, is to count as much as
 * what is smooth. */
#define FLOOR_MISSING 5e-4
#define FLOOR_NOISE 0.03
#define FLOOR_NOISE_ALONE 0.1
#define LEAST_FLOOR 1e-5

typedef struct {
  int width, height;
  guint8 *samples; /* channels of a pixel together */
} Picture;

struct TrainingCrops {
  GArray *task;
  int channels, crop;
  gboolean noise_alone; /* the task has no other kind */
  guint64 seed;
  GArray *pictures; /* Picture */
};

/* ---- the text ---- */

static const struct {
  const char *name;
  double least, most;
} kinds[] = { [TASK_MISSING] = { "missing", 0, 1 },
              [TASK_CHANNELS] = { "channels", 0, 1 },
              [TASK_BLOCKS] = { "blocks", 1, 64 },
              [TASK_STROKES] = { "strokes", 1, 64 },
              [TASK_NOISE] = { "noise", 0, 255 } };

static gboolean
parse_range (const char *text, TaskDamage *damage)
{
  char *end;

  damage->low = damage->high = g_ascii_strtod (text, &end);
  if (end == text)
    return FALSE;
  if (*end == '-') {
    text = end + 1;
    damage->high = g_ascii_strtod (text, &end);
    if (end == text)
      return FALSE;
  }
  if (*end == 'x' && damage->kind == TASK_BLOCKS) {
    text = end + 1;
    g_ascii_strtoull (text, &end, 10);
    if (end == text)
      return FALSE;
  }
  return *end == '\0' && damage->low <= damage->high
         && damage->low >= kinds[damage->kind].least
         && damage->high <= kinds[damage->kind].most;
}

/* FALSE with @error set (USAGE). */
static gboolean
parse_damage (const char *text, TaskDamage *damage, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++) {
    gsize length = strlen (kinds[i].name);

    if (strncmp (text, kinds[i].name, length) == 0 && text[length] == ':') {
      damage->kind = (TaskDamageKind) i;
      return parse_range (text + length + 1, damage)
             || tessera_fail (error, TESSERA_ERROR_USAGE,
                              "%s takes a number from %g to %g, or a range of "
                              "them",
                              kinds[i].name, kinds[i].least, kinds[i].most);
    }
  }
  return tessera_fail (error, TESSERA_ERROR_USAGE,
                       "'%s' is not a task: write missing:0.5, channels:0.5, "
                       "blocks:10, strokes:3 or noise:25, or a range, as in "
                       "missing:0.2-0.8; separate several by commas",
                       text);
}

GArray *
task_parse (const char *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  g_autoptr (GArray) task = g_array_new (FALSE, FALSE, sizeof (TaskDamage));

  for (int i = 0; words[i] != NULL; i++) {
    TaskDamage damage;

    if (!parse_damage (words[i], &damage, error))
      return NULL;
    g_array_append_val (task, damage);
  }
  return g_steal_pointer (&task);
}

/* ---- pictures ---- */

TrainingCrops *
training_crops_new (const GArray *task, int channels, int crop, guint64 seed)
{
  TrainingCrops *self = g_new0 (TrainingCrops, 1);

  self->task = g_array_new (FALSE, FALSE, sizeof (TaskDamage));
  g_array_append_vals (self->task, task->data, task->len);
  self->channels = channels;
  self->crop = crop;
  self->noise_alone = TRUE;
  for (guint i = 0; i < task->len; i++)
    self->noise_alone &=
      g_array_index (task, TaskDamage, i).kind == TASK_NOISE;
  self->seed = seed;
  self->pictures = g_array_new (FALSE, FALSE, sizeof (Picture));
  return self;
}

void
training_crops_free (TrainingCrops *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->pictures->len; i++)
    g_free (g_array_index (self->pictures, Picture, i).samples);
  g_array_unref (self->pictures);
  g_array_unref (self->task);
  g_free (self);
}

/* Channel @c of @channels of a pixel: grey is repeated, colours averaged. */
static int
channel_of (const guint16 *pixel, int colours, int c, int channels)
{
  if (colours == channels)
    return pixel[c];
  return channels == 3 ? pixel[0] : (pixel[0] + pixel[1] + pixel[2]) / 3;
}

gboolean
training_crops_add (TrainingCrops *self, const Image *image, GError **error)
{
  int channels = self->channels, peak = image_peak (image);
  gsize pixels = image_pixels (image);
  Picture picture = { image->width, image->height, NULL };

  if (MIN (image->width, image->height) < self->crop)
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "it is smaller than what is cut out of it");
  picture.samples =
    tessera_try_new (guint8, pixels * (gsize) channels, "a picture", error);
  if (picture.samples == NULL)
    return FALSE;
  for (gsize i = 0; i < pixels; i++)
    for (int c = 0; c < channels; c++)
      picture.samples[i * (gsize) channels + (gsize) c] =
        (guint8) ((channel_of (image->samples + i * (gsize) image->channels,
                               image_colours (image), c, channels)
                     * 255
                   + peak / 2)
                  / peak);
  g_array_append_val (self->pictures, picture);
  return TRUE;
}

int
training_crops_count (const TrainingCrops *self)
{
  return (int) self->pictures->len;
}

/* ---- a clean crop ---- */

/* Sample of a pixel at 1 / @shrink of the size. */
static float
sample_at (const Picture *picture, int channels, int shrink, int x, int y,
           int c)
{
  int sum = 0;

  for (int v = y * shrink; v < (y + 1) * shrink; v++)
    for (int u = x * shrink; u < (x + 1) * shrink; u++)
      sum += picture->samples[((gsize) v * (gsize) picture->width + (gsize) u)
                                * (gsize) channels
                              + (gsize) c];
  return (float) sum / (float) (255 * shrink * shrink);
}

/* One of the eight orientations: bits for mirroring x, y, and for swapping
 * them. */
static void
orient (int orientation, int side, int *x, int *y)
{
  int swap = *x;

  if (orientation & 1)
    *x = side - 1 - *x;
  if (orientation & 2)
    *y = side - 1 - *y;
  if (orientation & 4) {
    swap = *x;
    *x = *y;
    *y = swap;
  }
}

static void
cut (const TrainingCrops *self, guint64 key, float *clean)
{
  int side = self->crop;
  guint64 which =
    random_below (key, STREAM_CHOICE, DRAW_PICTURE, self->pictures->len);
  const Picture *picture = &g_array_index (self->pictures, Picture, which);
  gboolean small = MIN (picture->width, picture->height) / 2 >= 2 * side
                   && random_uniform (key, STREAM_CHOICE, DRAW_SIZE) < HALVED;
  int shrink = small ? 2 : 1;
  int left =
    (int) random_below (key, STREAM_CHOICE, DRAW_X,
                        (guint64) (picture->width / shrink - side + 1));
  int top =
    (int) random_below (key, STREAM_CHOICE, DRAW_Y,
                        (guint64) (picture->height / shrink - side + 1));
  int orientation =
    (int) random_below (key, STREAM_CHOICE, DRAW_ORIENTATION, 8);

  for (int c = 0; c < self->channels; c++)
    for (int v = 0; v < side; v++)
      for (int u = 0; u < side; u++) {
        int x = u, y = v;

        orient (orientation, side, &x, &y);
        *clean++ =
          sample_at (picture, self->channels, shrink, left + x, top + y, c);
      }
}

/* ---- damage ---- */

static void
lose_pixels (const TrainingCrops *self, guint64 key, double share,
             Example *example)
{
  int pixels = self->crop * self->crop;

  for (int i = 0; i < pixels; i++)
    if (random_uniform (key, STREAM_LOSS, (guint64) i) < share)
      for (int c = 0; c < self->channels; c++)
        example->known[c * pixels + i] = 0;
}

static void
lose_samples (const TrainingCrops *self, guint64 key, double share,
              Example *example)
{
  int samples = self->crop * self->crop * self->channels;

  for (int i = 0; i < samples; i++)
    if (random_uniform (key, STREAM_LOSS, (guint64) i) < share)
      example->known[i] = 0;
}

/* Squares at random places until a share of the crop is covered, overlaps
 * counted twice; at least one. */
static void
lose_blocks (const TrainingCrops *self, guint64 key, double amount,
             Example *example)
{
  int crop = self->crop, side = CLAMP ((int) (amount + 0.5), 1, crop / 2);
  double share = MOST_COVER * random_uniform (key, STREAM_CHOICE, DRAW_COVER);
  int count = MAX (1, (int) (share * crop * crop / (side * side)));

  for (int b = 0; b < count; b++) {
    guint64 range = (guint64) (crop - side + 1);
    int left = (int) random_below (key, STREAM_LOSS, (guint64) (2 * b), range);
    int top =
      (int) random_below (key, STREAM_LOSS, (guint64) (2 * b + 1), range);

    for (int c = 0; c < self->channels; c++)
      for (int y = top; y < top + side; y++)
        for (int x = left; x < left + side; x++)
          example->known[(c * crop + y) * crop + x] = 0;
  }
}

/* Whether a point is nearer than @reach to a segment that starts at (x, y) and
 * has the direction (dx, dy) and @length. */
static gboolean
near_segment (double px, double py, const double segment[4], double length,
              double reach)
{
  double along =
    (px - segment[0]) * segment[2] + (py - segment[1]) * segment[3];
  double nearest = CLAMP (along, 0, length);
  double x = px - segment[0] - nearest * segment[2];
  double y = py - segment[1] - nearest * segment[3];

  return x * x + y * y <= reach * reach;
}

static void
lose_stroke (const TrainingCrops *self, guint64 key, int number, double width,
             Example *example)
{
  int crop = self->crop;
  double u[4], length, segment[4];

  for (int i = 0; i < 4; i++)
    u[i] = random_uniform (key, STREAM_LOSS, (guint64) (4 * number + i));
  length =
    crop * (SHORTEST_STROKE + (LONGEST_STROKE - SHORTEST_STROKE) * u[2]);
  segment[0] = crop * u[0];
  segment[1] = crop * u[1];
  segment[2] = cos (2 * G_PI * u[3]);
  segment[3] = sin (2 * G_PI * u[3]);
  for (int y = 0; y < crop; y++)
    for (int x = 0; x < crop; x++)
      if (near_segment (x, y, segment, length, width / 2))
        for (int c = 0; c < self->channels; c++)
          example->known[(c * crop + y) * crop + x] = 0;
}

static void
lose_strokes (const TrainingCrops *self, guint64 key, double width,
              Example *example)
{
  double share = MOST_COVER * random_uniform (key, STREAM_CHOICE, DRAW_COVER);
  double usual = (SHORTEST_STROKE + LONGEST_STROKE) / 2 * self->crop * width;
  int count = MAX (1, (int) (share * self->crop * self->crop / usual));

  for (int i = 0; i < count; i++)
    lose_stroke (self, key, i, width, example);
}

/* The level is @sigma in the middle; it may rise from nearly nothing at one
 * edge to twice that at the other. */
static void
set_levels (const TrainingCrops *self, guint64 key, double sigma,
            Example *example)
{
  int crop = self->crop;
  double angle = 2 * G_PI * random_uniform (key, STREAM_CHOICE, DRAW_ANGLE);
  gboolean sloped = random_uniform (key, STREAM_CHOICE, DRAW_SLOPE) < SLOPED;

  for (int y = 0; y < crop; y++)
    for (int x = 0; x < crop; x++) {
      double along =
        ((x - crop / 2) * cos (angle) + (y - crop / 2) * sin (angle))
        / (0.75 * crop);

      example->noise[y * crop + x] =
        (float) (sloped ? sigma * (1 + along) : sigma);
    }
}

static void
add_noise (const TrainingCrops *self, guint64 key, double sigma,
           Example *example)
{
  int pixels = self->crop * self->crop;

  set_levels (self, key, sigma, example);
  for (int i = 0; i < pixels * self->channels; i++)
    example->y[i] += example->noise[i % pixels]
                     * (float) random_normal (key, STREAM_NOISE, (guint64) i);
  if (!self->noise_alone
      && random_uniform (key, STREAM_CHOICE, DRAW_ALSO_MISSING) < ALSO_MISSING)
    lose_pixels (self, key,
                 MOST_ALSO_MISSING
                   * random_uniform (key, STREAM_CHOICE, DRAW_SHARE),
                 example);
}

static void
damage_example (const TrainingCrops *self, guint64 key,
                const TaskDamage *damage, Example *example)
{
  double amount = damage->low
                  + (damage->high - damage->low)
                      * random_uniform (key, STREAM_CHOICE, DRAW_AMOUNT);

  example->floor = LEAST_FLOOR;
  switch (damage->kind) {
  case TASK_MISSING:
    lose_pixels (self, key, amount, example);
    break;
  case TASK_CHANNELS:
    lose_samples (self, key, amount, example);
    break;
  case TASK_BLOCKS:
    lose_blocks (self, key, amount, example);
    break;
  case TASK_STROKES:
    lose_strokes (self, key, amount, example);
    break;
  case TASK_NOISE:
    amount /= 255;
    add_noise (self, key, amount, example);
    example->floor +=
      (self->noise_alone ? FLOOR_NOISE_ALONE : FLOOR_NOISE) * amount * amount;
    return;
  }
  example->floor = FLOOR_MISSING;
}

void
training_crops_draw (guint64 index, Example *example, gpointer data)
{
  const TrainingCrops *self = data;
  int pixels = self->crop * self->crop, samples = pixels * self->channels;
  guint64 key = random_bits (self->seed, STREAM_EXAMPLE, index);
  guint64 which =
    random_below (key, STREAM_CHOICE, DRAW_DAMAGE, self->task->len);
  const TaskDamage *damage = &g_array_index (self->task, TaskDamage, which);

  cut (self, key, example->clean);
  memcpy (example->y, example->clean, (gsize) samples * sizeof (float));
  for (int i = 0; i < samples; i++)
    example->known[i] = 1;
  for (int i = 0; i < pixels; i++)
    example->noise[i] = 0;
  damage_example (self, key, damage, example);
  for (int i = 0; i < samples; i++) {
    example->weight[i] =
      damage->kind == TASK_NOISE ? 1 : 1 - example->known[i];
    if (example->known[i] == 0)
      example->y[i] = 0;
  }
}

/* ---- patches ---- */

/* A square somewhere over the patch, of which it hides at least a pixel. */
static void
hide_block (guint64 key, int block, int side, int channels, float *known)
{
  guint64 places = (guint64) (side + block - 1);
  int left = (int) random_below (key, STREAM_LOSS, 0, places) - block + 1;
  int top = (int) random_below (key, STREAM_LOSS, 1, places) - block + 1;

  for (int c = 0; c < channels; c++)
    for (int y = MAX (0, top); y < MIN (side, top + block); y++)
      for (int x = MAX (0, left); x < MIN (side, left + block); x++)
        known[(c * side + y) * side + x] = 0;
}

/* A straight stroke through some point of the patch. */
static void
hide_stroke (guint64 key, double width, int side, int channels, float *known)
{
  double angle = 2 * G_PI * random_uniform (key, STREAM_LOSS, 0);
  double segment[4] = {
    side * random_uniform (key, STREAM_LOSS, 1) - 2 * side * cos (angle),
    side * random_uniform (key, STREAM_LOSS, 2) - 2 * side * sin (angle),
    cos (angle), sin (angle)
  };

  for (int c = 0; c < channels; c++)
    for (int y = 0; y < side; y++)
      for (int x = 0; x < side; x++)
        if (near_segment (x, y, segment, 4 * side, width / 2))
          known[(c * side + y) * side + x] = 0;
}

void
task_damage_patch (const GArray *task, int side, int channels, guint64 seed,
                   guint64 index, const PatchExample *patch)
{
  int pixels = side * side, samples = pixels * channels;
  guint64 key = random_bits (seed, STREAM_PATCH, index);
  const TaskDamage *damage =
    &g_array_index (task, TaskDamage,
                    random_below (key, STREAM_CHOICE, DRAW_DAMAGE, task->len));
  double amount = damage->low
                  + (damage->high - damage->low)
                      * random_uniform (key, STREAM_CHOICE, DRAW_AMOUNT);
  gboolean noisy = damage->kind == TASK_NOISE;

  for (int i = 0; i < samples; i++) {
    patch->known[i] = 1;
    patch->given[i] = patch->clean[i];
  }
  for (int i = 0; i < samples; i++) {
    guint64 pixel = (guint64) (i % pixels), sample = (guint64) i;

    if (damage->kind == TASK_MISSING)
      patch->known[i] = random_uniform (key, STREAM_LOSS, pixel) >= amount;
    if (damage->kind == TASK_CHANNELS)
      patch->known[i] = random_uniform (key, STREAM_LOSS, sample) >= amount;
    if (noisy)
      patch->given[i] +=
        (float) (amount / 255 * random_normal (key, STREAM_NOISE, sample));
  }
  if (damage->kind == TASK_BLOCKS)
    hide_block (key, (int) (amount + 0.5), side, channels, patch->known);
  if (damage->kind == TASK_STROKES)
    hide_stroke (key, amount, side, channels, patch->known);
  for (int i = 0; i < samples; i++)
    patch->counts[i] = noisy ? 1 : 1 - patch->known[i];
}
