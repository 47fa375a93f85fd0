/* restore.c - from a picture with a mask to a picture without holes */
#include "imaging/restore.h"

#include "base/error.h"
#include "dictlearn/builtin.h"
#include "dictlearn/starts.h"
#include "imaging/fill.h"
#include "imaging/planes.h"
#include "imaging/rounds.h"

/* Variance of what rounding to 8 bits adds; to explain less is to explain
 * noise. */
#define ROUNDING_ERROR (1. / 255 / 255 / 12)

/* The paper codes separate patches with a tenth of 300 atoms. */
#define PAPER_ATOMS 30

/* Sides of the patches that vote together in the rounds, ends with 0. */
#define MOST_SIDES 4

typedef struct {
  FillSettings fill;
  RoundSettings rounds;
  int sides[MOST_SIDES + 1];
} Effort;

#define FILL(distance, atoms)                                                 \
  {                                                                           \
    .step = distance, .max_atoms = atoms, .max_error = ROUNDING_ERROR,        \
    .ridge = 0.02, .least_share = 0.3                                         \
  }

/* For the built-in dictionary: a quick fill, then rounds. */
static const Effort efforts[] = {
  [QUALITY_FAST] = { FILL (4, 12), { 8, 0.6, 0.03, 0.3 }, { 10 } },
  [QUALITY_NORMAL] = { FILL (4, 12), { 14, 0.8, 0.025, 0.3 }, { 6, 10, 16 } },
  [QUALITY_BEST] = { FILL (3, 16), { 25, 0.8, 0.02, 0.2 }, { 5, 8, 14, 22 } },
};

/* For a dictionary that was named: a thorough fill with it alone, so that what
 * comes out is its own work. */
static const FillSettings fills[] = {
  [QUALITY_FAST] = FILL (4, 12),
  [QUALITY_NORMAL] = FILL (2, 20),
  [QUALITY_BEST] = FILL (1, 24),
};

/* Share of the work that the fill is, before rounds. */
#define FILL_SHARE 0.3

/* Every step from patch to patch above divides this, and so do the halves that
 * planes_fill() takes of them: patches lie the same in a picture whose edges
 * were cut off by multiples of it. */
#define COMMON_STEP 60

void
restore_report_clear (RestoreReport *report)
{
  g_clear_pointer (&report->dictionary, g_free);
}

static FillSettings
choose_fill (const RestoreOptions *options, const Dictionary *dictionary)
{
  FillSettings fill = options->dictionary == NULL
                        ? efforts[options->quality].fill
                        : fills[options->quality];

  if (options->paper_protocol)
    fill =
      (FillSettings){ .step = dictionary->patch, .max_atoms = PAPER_ATOMS };
  fill.max_atoms = MIN (fill.max_atoms, dictionary->atoms.cols);
  return fill;
}

/* ---- what is worked on ----
 *
 * A patch sees no further than its side, so only the surroundings of what is
 * missing count: a scratch in a large picture costs no more than in a small
 * one. */

typedef struct {
  Image *image;
  const Mask *missing;
  ImageArea area; /* of the picture */
  Planes *planes, *trust;
  guint8 *wanted;
} Work;

/* The number in the picture of pixel @x, @y of the area. */
static gsize
pixel_number (const Work *work, int x, int y)
{
  return (gsize) (work->area.y + y) * (gsize) work->image->width
         + (gsize) (work->area.x + x);
}

/* The part of a side of @length pixels around @start .. @start + @size - 1. */
static void
surround (int *start, int *size, int length, int margin)
{
  int end = MIN (length, *start + *size + margin);

  *start = MAX (0, *start - margin) / COMMON_STEP * COMMON_STEP;
  *size = end - *start;
}

/* What can be seen by patches that touch a missing pixel, and as much again,
 * so that the grid's last patch, which is moved to the edge, touches none.
 * All of the picture where patches far away might count: where some pixels
 * are transparent, and with the paper's grid. */
static ImageArea
choose_area (const Image *image, const Mask *missing,
             const Dictionary *dictionary, const RestoreOptions *options)
{
  ImageArea area = mask_bounds (missing);
  int side = dictionary->patch;

  if (area.width == 0 || image_has_alpha (image) || image->meta.has_key
      || options->paper_protocol)
    return (ImageArea){ 0, 0, image->width, image->height };
  for (int i = 0; efforts[options->quality].sides[i] > 0; i++)
    side = MAX (side, efforts[options->quality].sides[i]);
  surround (&area.x, &area.width, image->width, 2 * side);
  surround (&area.y, &area.height, image->height, 2 * side);
  return area;
}

/* The colours of @image.  For a colour dictionary, grey is repeated. */
static Planes *
working_planes (const Work *work, const Dictionary *dictionary, GError **error)
{
  const Image *image = work->image;
  int channels = MAX (image_colours (image), dictionary->channels);
  float scale = 1 / (float) image_peak (image);
  Planes *planes =
    planes_new (work->area.width, work->area.height, channels, error);

  if (planes == NULL)
    return NULL;
  for (int c = 0; c < channels; c++)
    for (int y = 0; y < planes->height; y++) {
      const guint16 *from = image_pixel (image, work->area.x, work->area.y + y)
                            + c % image_colours (image);
      float *to = planes_at (planes, c, 0, y);

      for (gsize x = 0; x < (gsize) planes->width; x++)
        to[x] = (float) from[x * (gsize) image->channels] * scale;
    }
  return planes;
}

/* Trust 1 in every sample that is known and can be seen. */
static Planes *
working_trust (const Work *work, GError **error)
{
  Planes *trust = planes_new (work->area.width, work->area.height,
                              work->planes->channels, error);

  if (trust == NULL)
    return NULL;
  for (int c = 0; c < trust->channels; c++)
    for (int y = 0; y < trust->height; y++)
      for (int x = 0; x < trust->width; x++) {
        gsize i = pixel_number (work, x, y);

        *planes_at (trust, c, x, y) =
          !work->missing->missing[i] && !image_is_transparent (work->image, i);
      }
  return trust;
}

static guint8 *
working_wanted (const Work *work, GError **error)
{
  const Planes *planes = work->planes;
  guint8 *wanted = g_try_malloc (planes_samples (planes));
  gsize at = 0;

  if (wanted == NULL) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                         "not enough memory to restore the picture");
    return NULL;
  }
  for (int c = 0; c < planes->channels; c++)
    for (int y = 0; y < planes->height; y++)
      for (int x = 0; x < planes->width; x++)
        wanted[at++] = work->missing->missing[pixel_number (work, x, y)] != 0;
  return wanted;
}

static void
work_clear (Work *work)
{
  planes_free (work->planes);
  planes_free (work->trust);
  g_free (work->wanted);
}

static gboolean
work_init (Work *work, const Dictionary *dictionary, GError **error)
{
  work->planes = working_planes (work, dictionary, error);
  if (work->planes == NULL)
    return FALSE;
  work->trust = working_trust (work, error);
  if (work->trust == NULL)
    return FALSE;
  work->wanted = working_wanted (work, error);
  return work->wanted != NULL;
}

/* Mean of what the planes that stand for colour @c of @image say. */
static float
read_back (const Image *image, const Planes *planes, int c, int x, int y)
{
  int repeats = planes->channels / image_colours (image);
  float sum = 0;

  for (int r = 0; r < repeats; r++)
    sum += *planes_at (planes, c + r, x, y);
  return sum / (float) repeats;
}

static void
write_pixel (const Work *work, int x, int y)
{
  Image *image = work->image;
  gsize i = pixel_number (work, x, y);
  guint16 *pixel = image->samples + i * (gsize) image->channels;

  for (int c = 0; c < image_colours (image); c++)
    pixel[c] =
      planes_to_sample (image, read_back (image, work->planes, c, x, y));
  image_avoid_key (image, i);
  /* Entries of a palette may repeat; which one stood here is no clue. */
  if (image->palette != NULL)
    image->palette->index[i] = 0;
}

static void
write_missing (const Work *work)
{
  for (int y = 0; y < work->area.height; y++)
    for (int x = 0; x < work->area.width; x++)
      if (work->missing->missing[pixel_number (work, x, y)])
        write_pixel (work, x, y);
}

/* Rounds with cosines of several sizes.  planes_fill() has used up
 * work->wanted. */
static gboolean
improve (Work *work, const Effort *effort, gsize *patches,
         const Progress *progress, GError **error)
{
  g_autofree guint8 *wanted = working_wanted (work, error);
  Dictionary *scales[MOST_SIDES] = { NULL };
  int count = 0;
  gboolean ok;

  if (wanted == NULL)
    return FALSE;
  while (effort->sides[count] > 0) {
    scales[count] =
      dictionary_dct (effort->sides[count], work->planes->channels);
    count++;
  }
  ok = planes_improve (work->planes, work->trust, wanted, scales, count,
                       &effort->rounds, patches, progress, error);
  for (int i = 0; i < count; i++)
    dictionary_free (scales[i]);
  return ok;
}

/* Fills, and improves unless @effort is NULL. */
static gboolean
fill_and_improve (Work *work, const Dictionary *dictionary,
                  const FillSettings *fill, const Effort *effort,
                  gsize *patches, const Progress *progress, GError **error)
{
  ProgressPart filling = { progress, 0, effort != NULL ? FILL_SHARE : 1 };
  ProgressPart improving = { progress, FILL_SHARE, 1 };
  Progress part = progress_part (&filling);
  gsize more = 0;

  if (!planes_fill (work->planes, work->trust, work->wanted, dictionary, fill,
                    patches, &part, error))
    return FALSE;
  part = progress_part (&improving);
  if (effort != NULL && !improve (work, effort, &more, &part, error))
    return FALSE;
  *patches += more;
  return TRUE;
}

static gboolean
restore_with (Image *image, const Mask *missing, const Dictionary *dictionary,
              const RestoreOptions *options, RestoreReport *report,
              const Progress *progress, GError **error)
{
  FillSettings fill = choose_fill (options, dictionary);
  gboolean rounds = options->dictionary == NULL && !options->paper_protocol;
  Work work = { .image = image,
                .missing = missing,
                .area = choose_area (image, missing, dictionary, options) };
  gboolean ok =
    work_init (&work, dictionary, error)
    && fill_and_improve (&work, dictionary, &fill,
                         rounds ? &efforts[options->quality] : NULL,
                         &report->patches, progress, error);

  if (ok) {
    write_missing (&work);
    report->masked_pixels = mask_count (missing);
    report->dictionary = dictionary_describe (dictionary);
  }
  work_clear (&work);
  return ok;
}

gboolean
image_restore (Image *image, const Mask *missing,
               const RestoreOptions *options, RestoreReport *report,
               const Progress *progress, GError **error)
{
  g_autoptr (Dictionary) builtin = NULL;
  const Dictionary *dictionary = options->dictionary;

  if (missing->width != image->width || missing->height != image->height) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "the mask has %d x %d pixels, the picture %d x %d",
                 missing->width, missing->height, image->width, image->height);
    return FALSE;
  }
  if (dictionary == NULL)
    dictionary = builtin = dictionary_builtin (image_colours (image));
  return restore_with (image, missing, dictionary, options, report, progress,
                       error);
}
