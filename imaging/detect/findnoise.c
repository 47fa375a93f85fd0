#include "imaging/detect/findnoise.h"

#include "base/sort.h"
#include "imaging/denoise/jpegset.h"
#include "imaging/detect/coarsenoise.h"
#include "imaging/detect/jpeggrid.h"
#include "imaging/detect/jpegnoise.h"
#include "imaging/detect/noise.h"
#include "imaging/detect/noiseprofile.h"

#include <math.h>

/* What noise must have, where white is 255, and the share of brightnesses that
 * agree.  Of clean pictures the nearest were a scan with the grain of its film
 * (2.5 levels, 0.42), another (1.5, 0.50) and a photograph of water (2.8,
 * 0.25); of noisy ones, shots of a good camera (2.1, 0.67) and (3.6, 0.33). */
static const struct {
  double sigma, share;
} limits[] = { { 1.7, 0.55 }, { 2.8, 0.3 } };

/* Weaker noise is invisible. */
#define LEAST_LEVEL 1.5

/* A JPEG with steps of this mean or more, quality 80 of libjpeg, has rounded
 * the noise of its flattest blocks away, so that fewer brightnesses agree; and
 * what is left elsewhere is stronger by this factor than in those that do.  Its
 * own error can be seen, and is removed even where there is no noise: that
 * gains 0.5 to 0.8 dB on clean photographs at quality 75, and still 0.2 to 0.4
 * where texture is taken for noise.  So what may be noise is removed too. */
#define QUANTISED_STEP 23.
#define QUANTISED_SHARE 0.3
#define QUANTISED_FACTOR 1.4

/* What JPEG leaves of noise in flat blocks has lost its high frequencies, and
 * what is strong at the low ones is texture: in noise of cameras, brightness
 * is up to twice as strong there as at the middle ones, in most. */
#define MOST_LOW 2

/* Fewer bins may agree by chance. */
#define LEAST_BINS 4

/* Where noise has colours, no brightness is without them: so strong they are in
 * all bins, of which there must be some.  The flattest blocks of clean pictures
 * have 1.1 at most.  If only that says that there is noise, texture is part of
 * what was measured, and less is removed: else a training photograph that is
 * texture all over would lose 0.5 dB, where it gains 0.9. */
#define LEAST_COLOUR 2.
#define COLOUR_BINS 6
#define TEXTURE_FACTOR 0.7

/* White noise has the same level by both measures.  The profile's is larger
 * where texture is part of it. */
#define WHITE_RATIO 1.3

/* What JPEG leaves of white noise is still even over the frequencies: neighbours
 * share -0.02 to 0.1 of the brightness of noise of 25 levels at quality 75, and to
 * 0.16 of noise of 8 at 92; of that of cameras 0.37 at least (68 simulated JPEGs). */
#define MOST_WHITE_NEIGHBOURS 0.3

/* Brightness of the mixed colours over white noise in each, where the file has
 * fewer pixels of colour: sqrt 3 Y, Y = 0.299 R + 0.587 G + 0.114 B. */
#define JPEG_BRIGHTNESS 1.158

/* White noise that is so many times weaker than the flattest blocks of any
 * brightness cannot be seen, nor told from texture or the dots of a print.
 * Without colours to tell them apart, sooner so. */
#define MOST_HIDDEN 12.
#define MOST_HIDDEN_GREY 8.

/* A picture of that many colours or fewer has been drawn or dithered; if it is
 * grey, of that many. */
#define FEW_COLOURS 256
#define FEW_GREYS 32

/* ---- few colours ---- */

gboolean
image_has_few_colours (const Image *image)
{
  g_autoptr (GHashTable) seen =
    g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  guint few = image_is_grey (image, NULL) ? FEW_GREYS : FEW_COLOURS;
  gint64 last = -1;

  for (gsize i = 0; i < image_pixels (image); i++) {
    const guint16 *pixel = image->samples + i * (gsize) image->channels;
    gint64 colour = pixel[0];

    for (int c = 1; c < image_colours (image); c++)
      colour = colour << 16 | pixel[c];
    if (colour == last)
      continue;
    last = colour;
    if (!g_hash_table_contains (seen, &colour))
      g_hash_table_add (seen, g_memdup2 (&colour, sizeof colour));
    if (g_hash_table_size (seen) > few)
      return FALSE;
  }
  return TRUE;
}

/* ---- noise ---- */

FoundNoise
found_white_noise (int colours, double sigma)
{
  return (FoundNoise){ .kind = sigma > 0 ? NOISE_WHITE : NOISE_NONE,
                       .is_sure = TRUE,
                       .is_even = TRUE,
                       .sigma = sigma,
                       .share = 1,
                       .model = noise_model_white (colours, sigma / 255) };
}

FoundNoise
found_noise_scaled (const FoundNoise *noise, double factor)
{
  FoundNoise scaled = *noise;

  scaled.sigma = MIN (SIGMA_MAX, noise->sigma * factor);
  scaled.model = noise_model_scaled (&noise->model, factor);
  for (int i = 0; i < noise->coarse_count; i++)
    scaled.coarse[i] = noise_model_scaled (&noise->coarse[i], factor);
  return scaled;
}

FoundNoise
found_noise_coloured (const FoundNoise *noise, double factor)
{
  FoundNoise coloured = *noise;

  coloured.model = noise_model_coloured (&noise->model, factor);
  for (int i = 0; i < noise->coarse_count; i++)
    coloured.coarse[i] = noise_model_coloured (&noise->coarse[i], factor);
  return coloured;
}

/* How strong differences of colours are in the bin that has least of them,
 * where white is 255. */
static double
least_colour (const NoiseProfile *profile)
{
  double least = INFINITY;

  for (int i = 0; i < profile->bin_count; i++)
    least = fmin (least, hypot (profile->bins[i].sigma[1],
                                profile->bins[i].sigma[2]));
  return 255 * least / sqrt (2);
}

/* How strong the brightness of the flattest blocks is in the bin where it is
 * weakest, where white is 255. */
static double
least_brightness (const NoiseProfile *profile)
{
  double least = INFINITY;

  for (int i = 0; i < profile->bin_count; i++)
    least = fmin (least, profile->bins[i].sigma[0]);
  return 255 * least;
}

static gboolean
is_hidden (const NoiseProfile *profile, double white, int colours)
{
  return least_brightness (profile)
         > white * (colours == 1 ? MOST_HIDDEN_GREY : MOST_HIDDEN);
}

static gboolean
has_colour_everywhere (const NoiseProfile *profile)
{
  return profile->noise_bins > 0 && profile->bin_count >= COLOUR_BINS
         && least_colour (profile) >= LEAST_COLOUR;
}

static gboolean
is_noisy (const NoiseProfile *profile, gboolean is_quantised)
{
  if (is_quantised)
    return 255 * profile->sigma >= limits[0].sigma
           && profile->share >= QUANTISED_SHARE
           && profile->noise_bins >= LEAST_BINS;
  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
    if (255 * profile->sigma >= limits[i].sigma
        && profile->share >= limits[i].share
        && profile->noise_bins >= LEAST_BINS)
      return TRUE;
  return FALSE;
}

/* The level of white noise in @profile of a JPEG, where white is 255: the median
 * over brightnesses.  0 if the noise is not white. */
static double
white_before_jpeg (const Image *image, const NoiseProfile *profile)
{
  double levels[NOISE_BINS];
  int count = 0;

  if (!image->meta.has_steps
      || noise_model_neighbours (&profile->model) > MOST_WHITE_NEIGHBOURS)
    return 0;
  for (int i = 0; i < profile->bin_count; i++)
    if (profile->bins[i].is_noise)
      levels[count++] = 255 * profile->bins[i].level[0];
  sort_doubles (levels, (gsize) count);
  return count == 0 ? 0
                    : levels[count / 2]
                        / (profile->model.colours == 3
                               && image_has_half_colours (image)
                             ? JPEG_BRIGHTNESS
                             : 1);
}

static FoundNoise
found_jpeg_error (const Image *image, int colours)
{
  FoundNoise found = { .kind = NOISE_JPEG,
                       .is_sure = TRUE,
                       .is_within_steps = TRUE,
                       .share = 1,
                       .jpeg_quality = image_jpeg_quality (image),
                       .model = jpeg_error_model (image, colours) };

  found.sigma = 255 * noise_model_sigma (&found.model);
  found.neighbours = noise_model_neighbours (&found.model);
  return found;
}

/* What was measured in @profile.  @was_jpeg: if JPEG took part of it.  @factor
 * makes up for what it took from fine noise; a JPEG has its coarse noise still,
 * except for its colours, of which half the pixels are kept. */
static gboolean
find_coloured_noise (const Image *image, const Mask *ignore,
                     const NoiseProfile *profile, gboolean was_jpeg,
                     double factor, FoundNoise *result, GError **error)
{
  FoundNoise found = { .kind = NOISE_COLOURED,
                       .share = profile->share,
                       .jpeg_quality = image_jpeg_quality (image) };

  found.model = was_jpeg ? noise_model_levelled (&profile->model, MOST_LOW)
                         : profile->model;
  found = found_noise_coloured (&found, COLOUR_FACTOR);
  found.coarse_count =
    image_find_coarse_noise (image, ignore, &found.model, found.coarse, error);
  if (found.coarse_count < 0)
    return FALSE;
  found = found_noise_coloured (&found, 1 / COLOUR_FACTOR);
  found.sigma = 255 * noise_model_sigma (&found.model);
  found.neighbours = noise_model_neighbours (&found.model);
  found = found_noise_scaled (&found, factor);
  for (int i = 0; i < found.coarse_count && image->meta.has_steps; i++)
    found.coarse[i] = noise_model_brightened (&found.coarse[i], 1 / factor);
  *result = found;
  return TRUE;
}

/* A JPEG rounded the noise with the picture. */
static void
add_jpeg_error (const Image *image, FoundNoise *found)
{
  NoiseModel error = jpeg_error_model (image, found->model.colours);

  found->model = noise_model_sum (&found->model, &error);
  found->sigma = 255 * noise_model_sigma (&found->model);
}

/* The noise of a JPEG, as it was before where that can be told, and the error of
 * rounding it; @found is what was measured after. */
static gboolean
find_before_jpeg (const Image *image, const Mask *ignore, FoundNoise *found,
                  GError **error)
{
  NoiseModel before;
  gboolean is_known;

  if (!image_find_noise_before_jpeg (image, ignore, found->model.colours,
                                     &before, &is_known, error))
    return FALSE;
  if (!is_known) {
    add_jpeg_error (image, found);
    return TRUE;
  }
  found->model = noise_model_with_rounding (&before, image);
  found->sigma = 255 * noise_model_sigma (&found->model);
  found->coarse_count = 0;
  found->is_even = TRUE;
  return TRUE;
}

/* What was measured: white noise of a level, and others. */
typedef struct {
  int colours;
  double white;
  gboolean is_quantised, has_jpeg_error;
  NoiseProfile profile;
} Measured;

static gboolean
measure (const Image *image, const Mask *ignore, Measured *m, GError **error)
{
  ImageBlocks blocks = { image, ignore };
  BlockSource source = block_source_of_image (&blocks, m->colours);

  source.is_quantised = image_jpeg_step (image) >= QUANTISED_STEP;
  m->is_quantised = source.is_quantised;
  m->has_jpeg_error = source.is_quantised && image->meta.orientation == 1;
  if (!image_noise_level (image, ignore, &m->white, error)
      || !noise_profile_measure (&source, &m->profile, error))
    return FALSE;
  if (m->profile.bin_count > 0
      && is_hidden (&m->profile, m->white, m->colours))
    m->white = 0;
  return TRUE;
}

/* The noise if it is white, or if only the steps of a JPEG can be seen. */
static gboolean
is_simple (const Image *image, const Measured *m, gboolean agree,
           gboolean is_sure, FoundNoise *found)
{
  const NoiseProfile *profile = &m->profile;
  double white = m->white;

  if (255 * profile->sigma < LEAST_LEVEL) {
    *found = m->has_jpeg_error && white <= 0
               ? found_jpeg_error (image, m->colours)
               : found_white_noise (m->colours, white);
    return TRUE;
  }
  if (white <= 0 || (agree && 255 * profile->sigma >= WHITE_RATIO * white)
      || (is_sure && least_colour (profile) >= WHITE_RATIO * white))
    white = agree ? white_before_jpeg (image, profile) : 0;
  *found = found_white_noise (m->colours, white);
  return white > 0;
}

static gboolean
find_noise (const Image *image, const Mask *ignore, Measured *m,
            FoundNoise *found, GError **error)
{
  gboolean agree, is_sure, has_grid;

  if (!measure (image, ignore, m, error))
    return FALSE;
  agree = is_noisy (&m->profile, m->is_quantised);
  is_sure = agree || has_colour_everywhere (&m->profile);
  if (is_simple (image, m, agree, is_sure, found))
    return TRUE;
  has_grid = !image->meta.has_steps && image_has_jpeg_grid (image);
  if (!find_coloured_noise (
        image, ignore, &m->profile, has_grid || image->meta.has_steps,
        (has_grid || (m->is_quantised && agree) ? QUANTISED_FACTOR : 1)
          * (is_sure && !agree ? TEXTURE_FACTOR : 1),
        found, error)
      || (image_has_jpeg_blocks (image)
          && !find_before_jpeg (image, ignore, found, error)))
    return FALSE;
  if (m->has_jpeg_error && !is_sure)
    found->kind = NOISE_JPEG;
  found->is_sure = is_sure || m->has_jpeg_error;
  return TRUE;
}

gboolean
image_find_noise (const Image *image, const Mask *ignore, FoundNoise *found,
                  GError **error)
{
  Measured m = { .colours = image_is_grey (image, ignore) ? 1 : 3 };

  if (image_has_few_colours (image))
    *found = found_white_noise (m.colours, 0);
  else if (image_is_coarse_jpeg (image))
    *found = found_jpeg_error (image, m.colours);
  else
    return find_noise (image, ignore, &m, found, error);
  return TRUE;
}
