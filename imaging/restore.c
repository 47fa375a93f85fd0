#include "imaging/restore.h"

#include "dictlearn/builtin.h"
#include "imaging/area.h"
#include "imaging/chromableed.h"
#include "imaging/denoise/denoise.h"
#include "imaging/denoise/grain.h"
#include "imaging/inpaint/inpaint.h"
#include "imaging/veil/stain.h"
#include "imaging/veil/veil.h"

/* Parts of the work, for the progress: finding the missing pixels, and of what
 * is left filling them, if noise is then removed as well. */
#define DETECT_SHARE 0.2
#define FILL_SHARE 0.5

/* Of the filling, before marks are seen through; and of that, before the rims
 * of specks are filled again, and before these are seen through. */
#define COVERED_SHARE 0.7
#define SEEN_SHARE 0.3
#define CLOSED_SHARE 0.9

const char *const restore_quality_names[] = { [QUALITY_FAST] = "fast",
                                              [QUALITY_NORMAL] = "normal",
                                              [QUALITY_BEST] = "best",
                                              NULL };

const char *const thick_fill_names[] = { [FILL_AUTO] = "auto",
                                         [FILL_SMOOTH] = "smooth",
                                         [FILL_TEXTURE] = "texture",
                                         NULL };

const char *const fading_mode_names[] = { "auto", "neutral", "always", NULL };

void
restore_report_clear (RestoreReport *report)
{
  mask_free (report->found);
  g_free (report->dictionary);
  *report = (RestoreReport){ 0 };
}

/* ---- 1. mask ---- */

static Mask *
find_missing (const Image *image, const Detector *detector,
              const Progress *progress, GError **error)
{
  ProgressPart share = { progress, 0, DETECT_SHARE };
  Progress part = progress_part (&share);

  return detector != NULL ? detector->find (image, 1, &part, error)
                          : mask_new (image->width, image->height, error);
}

/* ---- 2. noise ---- */

gboolean
image_may_have_noise (const Image *image, const RestoreOptions *options)
{
  return !options->paper_protocol && image->palette == NULL
         && image->depth >= 8;
}

static gboolean
choose_noise (const Image *image, const Mask *missing,
              const RestoreOptions *options, FoundNoise *found, GError **error)
{
  int colours = image_is_grey (image, missing) ? 1 : 3;

  if (options->sigma < 0 && image_may_have_noise (image, options))
    return image_find_noise (image, missing, found, error);
  *found = found_white_noise (colours, CLAMP (options->sigma, 0, SIGMA_MAX));
  return TRUE;
}

/* What of the noise is removed: @options may make it weaker or stronger, and
 * remove it even where it is uncertain. */
static FoundNoise
noise_to_remove (const FoundNoise *found, const RestoreOptions *options)
{
  if (!found->is_sure && options->strength <= 0)
    return found_white_noise (found->model.colours, 0);
  return found_noise_scaled (found,
                             options->strength > 0 ? options->strength : 1);
}

/* ---- 3. and 4. ---- */

/* Where nothing is filled: the dictionary that the user named, or the built-in
 * one that does most of the work.  NULL with @error set: MEMORY. */
static char *
describe_dictionary (const Image *image, const FoundNoise *noise,
                     const RestoreOptions *options, GError **error)
{
  g_autoptr (Dictionary) inside = NULL;

  if (options->dictionary != NULL)
    return dictionary_describe (options->dictionary);
  inside = noise->sigma > 0
             ? denoise_dictionary (image, noise, options, error)
             : dictionary_cosines (image_colours (image), error);
  return inside != NULL ? dictionary_describe (inside) : NULL;
}

/* Lets through what shines through the marks of @damaged, of which @filled is
 * the fill; then fills the rims of specks once more, and sees through these. */
static gboolean
see_through (const Image *damaged, const Mask *missing, double noise,
             const RestoreOptions *options, Image *filled, gsize *patches,
             const Progress *progress, GError **error)
{
  ProgressPart parts[] = { { progress, 0, SEEN_SHARE },
                           { progress, SEEN_SHARE, CLOSED_SHARE },
                           { progress, CLOSED_SHARE, 1 } };
  Progress seeing = progress_part (&parts[0]);
  Progress closing = progress_part (&parts[1]);
  Progress again = progress_part (&parts[2]);
  g_autoptr (List) specks = list_new (sizeof (VeiledSpeck), NULL);
  g_autoptr (Mask) rims = mask_new (damaged->width, damaged->height, error);

  if (rims == NULL
      || !image_unveil (damaged, missing, noise, filled, specks, rims, &seeing,
                        error))
    return FALSE;
  return mask_count (rims) == 0
         || (image_inpaint (filled, rims, options, patches, NULL, &closing,
                            error)
             && image_unveil_rims (damaged, missing, noise, specks, rims,
                                   filled, &again, error));
}

/* Fills what is left of @missing once stains are undone, and lets through what
 * shines through other marks.  Uses @missing up.  Without stains, what marks
 * have left of the picture is @image itself. */
static gboolean
fill_through (Image *image, Mask *missing, double noise,
              const RestoreOptions *options, RestoreReport *report,
              const Progress *progress, GError **error)
{
  ProgressPart parts[] = { { progress, 0, COVERED_SHARE },
                           { progress, COVERED_SHARE, 1 } };
  Progress filling = progress_part (&parts[0]);
  Progress seeing = progress_part (&parts[1]);
  g_autoptr (Image) filled = image_copy (image, error);
  g_autoptr (Image) undone = NULL;
  int stains;

  if (filled == NULL || !image_undo_stains (filled, missing, &stains, error))
    return FALSE;
  if (stains > 0)
    undone = image_copy (filled, error);
  if ((stains > 0 && undone == NULL)
      || !image_inpaint (filled, missing, options, &report->patches,
                         &report->dictionary, &filling, error)
      || !see_through (undone != NULL ? undone : image, missing, noise,
                       options, filled, &report->patches, &seeing, error))
    return FALSE;
  image_swap (image, filled);
  return TRUE;
}

/* The noise of @image that is not to be removed. */
static gboolean
find_kept_noise (const Image *image, const Mask *missing,
                 const RestoreOptions *options, FoundNoise *found,
                 GError **error)
{
  RestoreOptions unknown = *options;

  unknown.sigma = SIGMA_UNKNOWN;
  return choose_noise (image, missing, &unknown, found, error);
}

/* The level of the noise of what shines through marks, even if it is not to be
 * removed. */
static gboolean
noise_of_marks (const Image *image, const Mask *missing,
                const RestoreOptions *options, double *sigma, GError **error)
{
  FoundNoise found;

  if (!find_kept_noise (image, missing, options, &found, error))
    return FALSE;
  *sigma = found.sigma;
  return TRUE;
}

static gboolean
fill_missing (Image *image, const Mask *missing, const RestoreOptions *options,
              RestoreReport *report, const Progress *progress, GError **error)
{
  g_autoptr (Mask) left = NULL;
  double noise = report->noise.sigma;

  if (options->paper_protocol
      || !(options->see_through || mask_has_through (missing)))
    return image_inpaint (image, missing, options, &report->patches,
                          &report->dictionary, progress, error);
  left = mask_new (missing->width, missing->height, error);
  if (left == NULL
      || (options->sigma == 0
          && !noise_of_marks (image, missing, options, &noise, error)))
    return FALSE;
  mask_add (left, missing);
  if (options->see_through)
    mask_see_through (left);
  return fill_through (image, left, noise, options, report, progress, error);
}

static gboolean
spreads_colours (const Image *image, const RestoreOptions *options)
{
  return !options->paper_protocol && image_has_chroma_cells (image);
}

/* First gives the pixels beside what is missing colours of their own, where
 * the file has mixed these. */
static gboolean
fill (Image *image, const Mask *missing, const RestoreOptions *options,
      RestoreReport *report, const Progress *progress, GError **error)
{
  g_autoptr (Image) copy = NULL;
  g_autoptr (Mask) touched = NULL;

  if (!spreads_colours (image, options))
    return fill_missing (image, missing, options, report, progress, error);
  copy = image_copy (image, error);
  if (copy == NULL)
    return FALSE;
  touched = chroma_bleed_find (image, missing, error);
  if (touched == NULL
      || !image_undo_chroma_bleed (copy, missing, touched, error)
      || !fill_missing (copy, missing, options, report, progress, error))
    return FALSE;
  image_swap (image, copy);
  return TRUE;
}

Mask *
restore_changed_by_fill (const Image *image, const Mask *missing,
                         const RestoreOptions *options, GError **error)
{
  Mask *changed = spreads_colours (image, options)
                    ? chroma_bleed_find (image, missing, error)
                    : mask_new (image->width, image->height, error);

  if (changed == NULL)
    return NULL;
  mask_add (changed, missing);
  if (options->area.width > 0)
    mask_keep (changed, &options->area);
  return changed;
}

/* Fills a copy and removes its noise, so that @image stays on failure. */
static gboolean
fill_and_denoise (Image *image, const Mask *missing, const FoundNoise *noise,
                  const RestoreOptions *options, RestoreReport *report,
                  const Progress *progress, GError **error)
{
  ProgressPart filling = { progress, 0, FILL_SHARE };
  ProgressPart denoising = { progress, FILL_SHARE, 1 };
  Progress part = progress_part (&filling);
  g_autoptr (Image) copy = image_copy (image, error);

  if (copy == NULL
      || !fill (copy, missing, options, report, &part, error))
    return FALSE;
  part = progress_part (&denoising);
  if (!image_denoise (copy, noise, options, &report->patches, &part, error))
    return FALSE;
  image_swap (image, copy);
  return TRUE;
}

/* Fills, and gives what was filled the noise of its surroundings, which stays.
 * What the steps of a JPEG took away is no grain. */
static gboolean
fill_with_grain (Image *image, const Mask *missing,
                 const RestoreOptions *options, RestoreReport *report,
                 const Progress *progress, GError **error)
{
  FoundNoise noise = report->noise;
  g_autoptr (Image) copy = image_copy (image, error);

  if (copy == NULL
      || (options->sigma >= 0
          && !find_kept_noise (image, missing, options, &noise, error))
      || !fill (copy, missing, options, report, progress, error))
    return FALSE;
  if (noise.sigma > 0 && noise.kind != NOISE_JPEG
      && !image_add_grain (copy, missing, &noise.model, options->fill_grain,
                           options->seed, error))
    return FALSE;
  image_swap (image, copy);
  return TRUE;
}

/* Steps 2 to 4. */
static gboolean
restore_pixels (Image *image, const Mask *missing,
                const RestoreOptions *options,
                RestoreReport *report, const Progress *progress,
                GError **error)
{
  FoundNoise noise;

  if (!choose_noise (image, missing, options, &report->noise, error))
    return FALSE;
  noise = noise_to_remove (&report->noise, options);
  report->sigma = noise.sigma;
  report->masked_pixels = mask_count (missing);
  if (report->masked_pixels > 0 && report->sigma > 0)
    return fill_and_denoise (image, missing, &noise, options, report, progress,
                             error);
  if (report->masked_pixels > 0)
    return (options->fill_grain > 0 ? fill_with_grain : fill) (
      image, missing, options, report, progress, error);
  report->dictionary = describe_dictionary (image, &noise, options, error);
  if (report->dictionary == NULL)
    return FALSE;
  if (report->sigma > 0)
    return image_denoise (image, &noise, options, &report->patches, progress,
                          error);
  return TRUE;
}

/* ---- 5. fading ---- */

/* On a copy, so that @image stays on failure. */
static gboolean
restore (Image *image, const Mask *missing, const RestoreOptions *options,
         RestoreReport *report, const Progress *progress, GError **error)
{
  g_autoptr (Image) copy = NULL;

  if (options->fading == FADING_KEEP)
    return restore_pixels (image, missing, options, report, progress, error);
  copy = image_copy (image, error);
  if (copy == NULL
      || !restore_pixels (copy, missing, options, report, progress, error)
      || !image_undo_fading (copy, missing, options->fading, &report->fading,
                             error))
    return FALSE;
  image_swap (image, copy);
  return TRUE;
}

static gboolean
restore_all (Image *image, const Mask *missing, const RestoreOptions *options,
             RestoreReport *report, const Progress *progress, GError **error)
{
  ProgressPart rest = { progress, DETECT_SHARE, 1 };
  Progress part = progress_part (&rest);

  if (missing != NULL)
    return restore (image, missing, options, report, progress, error);
  report->found = find_missing (image, options->detector, progress, error);
  return report->found != NULL
         && restore (image, report->found, options, report, &part, error);
}

/* ---- a part of the picture ---- */

/* What was found in the part, which begins at @x, @y, as a mask of the picture
 * with nothing outside of @area. */
static gboolean
move_found (const Image *image, const ImageArea *area, int x, int y,
            RestoreReport *report, GError **error)
{
  Mask *whole = mask_new (image->width, image->height, error);

  if (whole == NULL)
    return FALSE;
  mask_paste (whole, area, report->found, x, y);
  mask_free (report->found);
  report->found = whole;
  return TRUE;
}

static gboolean
restore_part (Image *image, const Mask *missing, const RestoreOptions *options,
              RestoreReport *report, const Progress *progress, GError **error)
{
  const ImageArea *area = &options->area;
  const ImageArea around =
    area_with_surroundings (area, image->width, image->height);
  g_autoptr (Image) part = image_cut (image, &around, error);
  g_autoptr (Mask) mask = NULL;

  if (part == NULL)
    return FALSE;
  if (missing != NULL) {
    mask = mask_cut (missing, &around, error);
    if (mask == NULL)
      return FALSE;
  }
  if (!restore_all (part, mask, options, report, progress, error)
      || (report->found != NULL
          && !move_found (image, area, around.x, around.y, report, error)))
    return FALSE;
  report->masked_pixels =
    mask_count_in (missing != NULL ? missing : report->found, area);
  image_paste (image, area, part, around.x, around.y);
  return TRUE;
}

gboolean
image_restore (Image *image, const Mask *missing,
               const RestoreOptions *options, RestoreReport *report,
               const Progress *progress, GError **error)
{
  restore_report_clear (report);
  if (missing != NULL
      && !mask_check_size (missing, image->width, image->height, error))
    return FALSE;
  if (options->area.width == 0)
    return restore_all (image, missing, options, report, progress, error);
  return area_check (&options->area, image->width, image->height, error)
         && restore_part (image, missing, options, report, progress, error);
}
