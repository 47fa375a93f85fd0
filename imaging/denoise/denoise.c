/* denoise.c - remove noise, tile by tile
 *
 * A tile is worked on together with a halo as wide as anything in it can
 * depend on.  Patches, and the strips they are summed in (overlap.h), begin at
 * multiples of ALIGNMENT in the whole picture; so every sample is made of the
 * same numbers in the same order, whatever the tiles are.
 */
#include "imaging/denoise/denoise.h"

#include "dictlearn/builtin.h"
#include "dictlearn/initial.h"
#include "imaging/area.h"
#include "imaging/denoise/denoiseprivate.h"
#include "imaging/denoise/dctshrink.h"
#include "imaging/denoise/finecolours.h"
#include "imaging/denoise/jpegset.h"
#include "imaging/denoise/overlap.h"
#include "imaging/denoise/shrinkage.h"
#include "imaging/halve.h"

#include <math.h>

/* A multiple of the height of a strip and of every step in
 * efforts.c. */
#define ALIGNMENT OVERLAP_STRIP
#define DEFAULT_TILE (40 * ALIGNMENT)

/* The share of the coder in a mixture: six bundled photographs are best with 0.2
 * to 0.3. */
#define CODED_PART 0.25f

/* Orientations of the picture for a convolutional dictionary: one that the
 * user named, and the built-in one for noise; and their shares of the work. */
static const int named_turns[] = {
  [QUALITY_FAST] = 1, [QUALITY_NORMAL] = 2, [QUALITY_BEST] = 8
};
static const int coded_turns[] = {
  [QUALITY_FAST] = 1, [QUALITY_NORMAL] = 1, [QUALITY_BEST] = 4
};
#define NAMED_SHARE 0.9
#define CODED_SHARE 0.4

/* Distance of the patches of a dictionary that the user named. */
static const int named_steps[] = {
  [QUALITY_FAST] = 4, [QUALITY_NORMAL] = 2, [QUALITY_BEST] = 1
};

/* Share of the variance that is left at low frequencies once they were cleaned
 * at half the size; and the share of the work that this is. */
#define LOW_SHARE 0.3
#define HALF_SHARE 0.2

/* White noise: half the size takes part where it has this many pixels per side,
 * down to a fourth of the size; and its share of the work. */
#define LEAST_HALF 32
#define MOST_HALVINGS 2
#define COARSE_SHARE 0.2

/* The guide's share of the work on a tile. */
#define GUIDE_SHARE 0.2

/* ---- the work on a tile ---- */

static void
count_patches (Denoise *d, const Planes *planes, int patch, int step)
{
  d->patches += (gsize) grid_places (planes->width, patch, step)
                * (gsize) grid_places (planes->height, patch, step);
}

/* What is needed of the planes of @tile: the tile itself and @margin more
 * pixels on all sides. */
static ImageArea
needed_of (const Tile *tile, int margin)
{
  ImageArea itself = { tile->left - tile->x, tile->top - tile->y,
                       tile->right - tile->left, tile->bottom - tile->top };

  return area_widened (&itself, margin, tile->noisy->width,
                       tile->noisy->height);
}

/* How far from a pixel the pictures before pass @from matter to it. */
static int
reach_of_passes (const Denoise *d, int from)
{
  int reach = 0;

  for (int i = from; i < d->effort.pass_count; i++)
    reach += nl_bayes_reach (&d->effort.passes[i]);
  return reach;
}

/* Cosines: by threshold, then by Wiener's factor. */
static gboolean
make_guide (Denoise *d, const Tile *tile, const Progress *progress,
            GError **error)
{
  DctShrinkSettings settings = { d->effort.cosines, d->effort.step, d->noise,
                                 { 0 } };
  ProgressPart halves[] = { { progress, 0, 0.5 }, { progress, 0.5, 1 } };
  const Planes *guides[] = { NULL, tile->clean };
  int reach = reach_of_passes (d, 0);

  for (int i = 0; i < 2; i++) {
    Progress part = progress_part (&halves[i]);

    settings.needed = needed_of (
      tile, reach + 2 * MIX_HALF_REACH + (i == 0 ? settings.side : 0));
    count_patches (d, tile->noisy, settings.side, settings.step);
    if (!planes_dct_shrink (tile->noisy, guides[i], &settings, tile->clean,
                            &part, error))
      return FALSE;
  }
  return TRUE;
}

/* What the convolutional dictionary made of a sample of the tile. */
static float
coded_at (const Denoise *d, const Tile *tile, int c, int x, int y)
{
  return *planes_at (d->coded, c, reflected (tile->x + x, d->coded->width),
                     reflected (tile->y + y, d->coded->height));
}

static void
copy_coded (const Denoise *d, const Tile *tile)
{
  Planes *clean = tile->clean;

  for (int c = 0; c < clean->channels; c++)
    for (int y = 0; y < clean->height; y++)
      for (int x = 0; x < clean->width; x++)
        *planes_at (clean, c, x, y) = coded_at (d, tile, c, x, y);
}

/* Two estimates whose errors differ are better together. */
static void
mix_coded (const Denoise *d, const Tile *tile)
{
  Planes *clean = tile->clean;

  for (int c = 0; c < clean->channels; c++)
    for (int y = 0; y < clean->height; y++)
      for (int x = 0; x < clean->width; x++) {
        float *to = planes_at (clean, c, x, y);

        *to += d->coded_part * (coded_at (d, tile, c, x, y) - *to);
      }
}

static gboolean
remove_noise (Denoise *d, const Tile *tile, const Progress *progress,
              GError **error)
{
  int count = d->effort.pass_count;
  ProgressPart guide = { progress, 0, GUIDE_SHARE };
  Progress part = progress_part (&guide);

  if (d->effort.cosines == 0)
    copy_coded (d, tile);
  else if (!make_guide (d, tile, &part, error))
    return FALSE;
  if (d->coarse != NULL && !tile_mix_half (d, tile, error))
    return FALSE;
  for (int i = 0; i < count; i++) {
    NlBayesSettings settings = d->effort.passes[i];
    double length = (1 - GUIDE_SHARE) / count;
    ProgressPart pass = { progress, GUIDE_SHARE + i * length,
                          GUIDE_SHARE + (i + 1) * length };

    part = progress_part (&pass);
    settings.noise = d->noise;
    settings.needed =
      needed_of (tile, reach_of_passes (d, i + 1) + MIX_HALF_REACH);
    count_patches (d, tile->noisy, settings.patch, settings.step);
    if (!planes_nl_bayes (tile->noisy, tile->clean, &settings, tile->clean,
                          &part, error))
      return FALSE;
  }
  if (d->coded != NULL && count > 0)
    mix_coded (d, tile);
  return d->coarse == NULL || tile_mix_half (d, tile, error);
}

/* With the dictionary that the user named, for as many channels at a time as
 * it has. */
static gboolean
remove_noise_by (Denoise *d, const Tile *tile, const Progress *progress,
                 GError **error)
{
  ShrinkageSettings settings = { d->named, d->step, d->sigma };
  int channels = d->named->channels, total = tile->noisy->channels;

  for (int c = 0; c < total; c += channels) {
    Planes noisy = *tile->noisy, clean = *tile->clean;
    ProgressPart share = { progress, (double) c / total,
                           (double) (c + channels) / total };
    Progress part = progress_part (&share);
    gboolean ok;

    noisy.channels = clean.channels = channels;
    noisy.data = planes_at (tile->noisy, c, 0, 0);
    clean.data = planes_at (tile->clean, c, 0, 0);
    count_patches (d, &noisy, d->named->patch, d->step);
    ok = d->by_threshold
           ? planes_threshold (&noisy, &settings, &clean, &part, error)
           : planes_pursue (&noisy, &settings, &clean, &part, error);
    if (!ok)
      return FALSE;
  }
  return TRUE;
}

/* Puts back a share of what was removed from the brightness. */
static void
leave_grain (const Tile *tile, float share)
{
  gsize pixels = (gsize) tile->clean->width * (gsize) tile->clean->height;
  int channels = tile->clean->channels;

  for (gsize i = 0; i < pixels; i++) {
    float sum = 0;

    for (int c = 0; c < channels; c++)
      sum += tile->noisy->data[(gsize) c * pixels + i]
             - tile->clean->data[(gsize) c * pixels + i];
    for (int c = 0; c < channels; c++)
      tile->clean->data[(gsize) c * pixels + i] +=
        share * sum / (float) channels;
  }
}

static gboolean
do_tile (Denoise *d, Tile *tile, const Progress *progress, GError **error)
{
  int channels = d->colours;
  gboolean ok;

  if (d->named != NULL && d->coded == NULL)
    channels = MAX (channels, d->named->channels);
  if (!tile_init (tile, d, channels, error))
    return FALSE;
  ok = d->named != NULL && d->coded == NULL
         ? remove_noise_by (d, tile, progress, error)
         : remove_noise (d, tile, progress, error);
  if (ok) {
    planes_unclip (tile->clean, d->unclipping);
    if (d->grain > 0)
      leave_grain (tile, d->grain);
    tile_write (d, tile);
  }
  return ok;
}

/* ---- the picture ---- */

static gboolean
do_tiles (Denoise *d, int side, const Progress *progress, GError **error)
{
  int width = d->from->width, height = d->from->height;
  int across = (width + side - 1) / side, down = (height + side - 1) / side;
  gboolean ok = TRUE;

  for (int i = 0; ok && i < across * down; i++) {
    Tile tile = { .left = i % across * side, .top = i / across * side };
    ProgressPart share = { progress, (double) i / (across * down),
                           (double) (i + 1) / (across * down) };
    Progress part = progress_part (&share);

    tile.right = MIN (tile.left + side, width);
    tile.bottom = MIN (tile.top + side, height);
    ok = do_tile (d, &tile, &part, error);
    tile_clear (&tile);
  }
  return ok;
}

/* Mean colour of the visible pixels. */
static void
find_hidden_colour (Denoise *d)
{
  double sum[3] = { 0 };
  gsize seen = 0;

  for (gsize i = 0; i < image_pixels (d->from); i++) {
    const guint16 *pixel = d->from->samples + i * (gsize) d->from->channels;

    if (image_is_transparent (d->from, i))
      continue;
    seen++;
    for (int c = 0; c < image_colours (d->from); c++)
      sum[c] += pixel[c];
  }
  for (int c = 0; c < 3 && seen > 0; c++)
    d->hidden[c] = (float) (sum[c] / (double) seen / image_peak (d->from));
}

/* The least multiple of @unit that is not below @value. */
static int
round_up (int value, int unit)
{
  return (value + unit - 1) / unit * unit;
}

/* Whether an orthonormal code can represent all of a patch.  Grey that is
 * repeated for a dictionary of more channels has the same noise in all, so
 * that codes are not equally noisy: then a threshold would be wrong. */
static gboolean
suits_threshold (const Dictionary *dictionary, int colours)
{
  return dictionary->channels <= colours
         && dictionary->atoms.cols == dictionary->atoms.rows
         && dictionary_is_orthonormal (dictionary);
}

/* Of the picture before it was halved. */
static gsize
full_pixels (const Image *image, int halvings)
{
  return image_pixels (image) << (2 * halvings);
}

/* The convolutional dictionary for white noise takes part in the result, into
 * which its own is mixed; at fast quality it is the guide too. */
static Effort
usual_effort (const Denoise *d, RestoreQuality quality)
{
  Effort effort = denoise_effort (
    d->kind, d->colours, full_pixels (d->from, d->halvings), quality);

  if (d->coded != NULL && quality == QUALITY_FAST)
    effort.cosines = 0;
  return effort;
}

/* Chooses the passes, and how far apart and how large tiles must be. */
static int
plan (Denoise *d, const RestoreOptions *options)
{
  RestoreQuality quality = options->quality;
  int alignment = ALIGNMENT, reach;

  if (d->named != NULL && d->coded == NULL) {
    d->by_threshold =
      !options->pursuit && suits_threshold (d->named, d->colours);
    d->step = options->paper_protocol ? d->named->patch : named_steps[quality];
    while (alignment % d->step != 0)
      alignment += ALIGNMENT;
    d->least = reach = d->named->patch;
  } else {
    if (d->named == NULL)
      d->effort = usual_effort (d, quality);
    d->least = MAX (1, d->effort.cosines);
    reach =
      2 * d->effort.cosines + reach_of_passes (d, 0) + 2 * MIX_HALF_REACH;
    for (int i = 0; i < d->effort.pass_count; i++)
      d->least = MAX (d->least, d->effort.passes[i].patch);
  }
  d->halo = round_up (reach, alignment);
  return round_up (options->tile > 0 ? options->tile : DEFAULT_TILE,
                   alignment);
}

/* ---- scales ---- */

/* The noise of a picture of half the size. */
static FoundNoise
noise_of_half (const FoundNoise *noise)
{
  FoundNoise half = *noise;

  half.model = noise->coarse[0];
  half.sigma = 255 * noise_model_sigma (&half.model);
  half.coarse_count = noise->coarse_count - 1;
  for (int i = 0; i < half.coarse_count; i++)
    half.coarse[i] = noise->coarse[i + 1];
  return half;
}

/* @halvings: how often @from was halved. */
static gboolean remove_from (const Image *from, const FoundNoise *noise,
                             int halvings, Image *to,
                             const RestoreOptions *options, gsize *patches,
                             const Progress *progress, GError **error);

/* Removes the noise of @d from a picture of half the size, which leaves the
 * high frequencies to be done. */
static gboolean
clean_half (Denoise *d, const FoundNoise *noise, const RestoreOptions *options,
            const Progress *progress, GError **error)
{
  FoundNoise coarse = noise_of_half (noise);
  RestoreOptions all = *options;

  all.grain = 0;
  d->half.noisy = image_halve (d->from, d->colours, d->hidden, error);
  if (d->half.noisy == NULL)
    return FALSE;
  d->half.clean = image_copy (d->half.noisy, error);
  return d->half.clean != NULL
         && remove_from (d->half.noisy, &coarse, d->halvings + 1,
                         d->half.clean, &all, &d->patches, progress, error);
}

/* White noise: the result at half the size, to be mixed in.  At fast quality
 * cosines have to do. */
static gboolean
clean_coarse (Denoise *d, const FoundNoise *noise,
              const RestoreOptions *options, const Progress *progress,
              GError **error)
{
  g_autoptr (Image) half =
    image_halve (d->from, d->colours, d->hidden, error);
  FoundNoise weaker = *noise;
  RestoreOptions all = *options;

  if (half == NULL)
    return FALSE;
  weaker.model = noise_model_scaled (&noise->model, 0.5);
  weaker.sigma /= 2;
  all.grain = 0;
  all.cosines |= options->quality == QUALITY_FAST;
  d->coarse = image_copy (half, error);
  return d->coarse != NULL
         && remove_from (half, &weaker, d->halvings + 1, d->coarse, &all,
                         &d->patches, progress, error);
}

static gboolean
mixes_coarse (const Denoise *d)
{
  return d->is_even && d->named == NULL && d->halvings < MOST_HALVINGS
         && MIN (d->from->width, d->from->height) >= 2 * LEAST_HALF;
}

static gboolean
is_coder (const Recoder *coder)
{
  return coder->model != NULL || coder->transform != NULL;
}

/* Before the picture itself: what is done to all of it at once. */
static gboolean
prepare (Denoise *d, const Recoder *coder, const FoundNoise *noise,
         const RestoreOptions *options, const Progress *progress,
         GError **error)
{
  if (is_coder (coder))
    return denoise_code_picture (d, coder,
                                 d->named != NULL
                                   ? named_turns[options->quality]
                                   : coded_turns[options->quality],
                                 progress, error);
  return !d->in_scales || clean_half (d, noise, options, progress, error);
}

/* The part that the dictionary for white noise has in a picture of @pixels if
 * none was named. */
static float
coded_part (const FoundNoise *noise, gsize pixels,
            const RestoreOptions *options)
{
  if (options->cosines || options->paper_protocol || !noise->is_even
      || noise->model.colours != 3)
    return 0;
  if (options->quality == QUALITY_BEST)
    return CODED_PART;
  if (noise->kind != NOISE_WHITE && options->quality == QUALITY_FAST)
    return 0;
  return CODED_PART * (float) denoise_extra_share (pixels, LARGE_WHITE);
}

Dictionary *
denoise_dictionary (const Image *image, const FoundNoise *noise,
                    const RestoreOptions *options, GError **error)
{
  int colours = noise->model.colours;
  gsize pixels = image_pixels (image);
  int cosines =
    denoise_effort (noise->kind, colours, pixels, options->quality).cosines;

  if (coded_part (noise, pixels, options) > 0)
    return dictionary_noise (error);
  return options->paper_protocol
           ? dictionary_cosines (colours, error)
           : dictionary_dct (cosines, colours, error);
}

static gboolean
remove_from (const Image *from, const FoundNoise *noise, int halvings,
             Image *to, const RestoreOptions *options, gsize *patches,
             const Progress *progress, GError **error)
{
  g_autoptr (Dictionary) builtin = NULL, learned = NULL;
  NoiseModel high = noise_model_without_low (&noise->model, LOW_SHARE);
  Denoise d = { .from = from,
                .to = to,
                .halvings = halvings,
                .kind = noise->kind,
                .is_even = noise->is_even,
                .sigma = noise->sigma / 255,
                .noise = &noise->model,
                .grain = (float) options->grain,
                .colours = noise->model.colours,
                .named = options->dictionary,
                .coded_part = coded_part (
                  noise, full_pixels (from, halvings), options) };
  ProgressPart first = { progress, 0, 0 }, second, rest = { progress, 0, 1 };
  Recoder coder = { NULL, NULL };
  Progress part;
  gboolean ok;

  if (d.named == NULL && options->paper_protocol) {
    d.named = builtin = dictionary_cosines (d.colours, error);
    if (builtin == NULL)
      return FALSE;
  }
  if (d.named == NULL && d.coded_part > 0) {
    learned = dictionary_noise (error);
    if (learned == NULL)
      return FALSE;
    coder.model = learned->convolutional;
  } else if (d.named != NULL) {
    coder.model = d.named->convolutional;
    coder.transform = options->paper_protocol ? NULL : d.named->transform;
  }
  if (noise->kind == NOISE_WHITE && halvings == 0)
    d.unclipping = unclipping_table (d.sigma, clipped_ends (from, d.sigma));
  find_hidden_colour (&d);
  d.in_scales = d.named == NULL && !is_coder (&coder) && noise->coarse_count > 0;
  if (d.in_scales)
    d.noise = &high;
  if (is_coder (&coder) || d.in_scales)
    first.to = rest.from = !is_coder (&coder) ? HALF_SHARE
                           : d.named == NULL  ? CODED_SHARE
                                              : NAMED_SHARE;
  part = progress_part (&first);
  ok = prepare (&d, &coder, noise, options, &part, error);
  second = (ProgressPart){ progress, first.to, first.to };
  if (ok && mixes_coarse (&d)) {
    second.to = rest.from = first.to + COARSE_SHARE;
    part = progress_part (&second);
    ok = clean_coarse (&d, noise, options, &part, error);
  }
  part = progress_part (&rest);
  ok = ok && do_tiles (&d, plan (&d, options), &part, error);
  *patches += d.patches;
  planes_free (d.coded);
  g_free (d.unclipping);
  image_free (d.half.noisy);
  image_free (d.half.clean);
  image_free (d.coarse);
  return ok;
}

/* JPEGs with smaller steps than this, those above quality 80 of libjpeg, keep
 * enough of the colours at half the size to build on. */
#define FINE_STEP 23.

/* Whether the colours of @image come from half its size, and are fine there. */
static gboolean
lacks_fine_colours (const Image *image, const FoundNoise *noise,
                    const RestoreOptions *options)
{
  return image->meta.has_steps && image_has_half_colours (image)
         && image->meta.orientation == 1 && image_jpeg_step (image) < FINE_STEP
         && noise->model.colours == 3 && options->dictionary == NULL
         && !options->paper_protocol;
}

/* Cameras and JPEGs keep fewer pixels of colour than of brightness. */
static gboolean
has_coarse_colours (const FoundNoise *noise)
{
  return noise->kind == NOISE_COLOURED
         || (noise->kind == NOISE_JPEG && noise->is_even);
}

gboolean
image_denoise (Image *image, const FoundNoise *noise,
               const RestoreOptions *options, gsize *patches,
               const Progress *progress, GError **error)
{
  g_autoptr (Image) result = image_copy (image, error);
  FoundNoise harder =
    found_noise_coloured (noise, has_coarse_colours (noise) ? COLOUR_FACTOR : 1);

  if (result == NULL
      || !remove_from (image, &harder, 0, result, options, patches, progress,
                       error))
    return FALSE;
  if (lacks_fine_colours (image, noise, options)
      && !image_add_fine_colours (result, error))
    return FALSE;
  if (noise->is_within_steps)
    image_project_to_jpeg (image, result);
  image_swap (image, result);
  return TRUE;
}
