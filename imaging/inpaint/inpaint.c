/* inpaint.c - from a picture with a mask to a picture without holes */
#include "imaging/inpaint/inpaint.h"

#include "dictlearn/builtin.h"
#include "imaging/inpaint/bounds.h"
#include "imaging/inpaint/fill.h"
#include "imaging/inpaint/ground.h"
#include "imaging/inpaint/region.h"
#include "imaging/inpaint/texture.h"
#include "imaging/inpaint/collaborative.h"

/* Variance of what rounding to 8 bits adds; to explain less is to explain
 * noise. */
#define ROUNDING_ERROR (1. / 255 / 255 / 12)

/* The paper codes separate patches with a tenth of 300 atoms. */
#define PAPER_ATOMS 30

/* Of a thick hole, patches fill this many pixels from its edge: so far, they
 * predict better than what is put inside, and close the seam to it. */
#define RIM 3.f

/* Measured on holes, ellipses and torn corners of 80 to 150 pixels in ten
 * landscapes: texture of all levels alone costs up to 1 dB of what its mean
 * with the ground reaches, and structure of a fourth of the size gains. */
static const TextureOptions textures[] = {
  [FILL_AUTO] = { .share = 0.8f },
  [FILL_SMOOTH] = { .share = 0.4f, .finest = 2 },
  [FILL_TEXTURE] = { .share = 1 },
};

/* Share of the work that thick parts are taken for. */
#define THICK_SHARE 0.5

typedef struct {
  FillSettings fill;
  CollaborativeSettings rounds;
} Effort;

/* Of a dictionary that is named. */
#define NAMED_ATOMS 20
#define RIDGE 0.02

const InpaintCoder inpaint_coder = { NAMED_ATOMS, ROUNDING_ERROR, RIDGE };
const InpaintCoder inpaint_paper_coder = { PAPER_ATOMS, 0, 0 };

#define FILL(distance, atoms)                                                 \
  {                                                                           \
    .step = distance, .max_atoms = atoms, .max_error = ROUNDING_ERROR,        \
    .ridge = RIDGE, .bounded = TRUE, .least_share = 0.3                       \
  }

/* For the built-in dictionary: a quick fill, then rounds. */
static const Effort efforts[] = {
  [QUALITY_FAST] = { FILL (4, 12), { 8, 0, 0.6, 0.03, { { 10, 3, 1 } } } },
  [QUALITY_NORMAL] = { FILL (3, 16),
                       { 14,
                         8,
                         1.0,
                         0.025,
                         { { 6, 3, 8 }, { 10, 4, 8 }, { 16, 6, 8 } } } },
  [QUALITY_BEST] = { FILL (2, 24),
                     { 28,
                       0,
                       0.9,
                       0.02,
                       { { 6, 2, 8 }, { 10, 3, 8 }, { 16, 5, 8 } } } },
};

/* For a dictionary that was named: a thorough fill with it alone, so that what
 * comes out is its own work. */
static const FillSettings fills[] = {
  [QUALITY_FAST] = FILL (4, 12),
  [QUALITY_NORMAL] = FILL (2, NAMED_ATOMS),
  [QUALITY_BEST] = FILL (1, 24),
};

/* Share of the work that the fill is, before rounds. */
static const double fill_shares[] = {
  [QUALITY_FAST] = 0.4, [QUALITY_NORMAL] = 0.15, [QUALITY_BEST] = 0.05
};

static FillSettings
choose_fill (const RestoreOptions *options, const Dictionary *dictionary)
{
  FillSettings fill = options->dictionary == NULL
                        ? efforts[options->quality].fill
                        : fills[options->quality];

  if (options->paper_protocol)
    fill =
      (FillSettings){ .step = dictionary->patch, .max_atoms = PAPER_ATOMS };
  if (options->max_atoms > 0)
    fill.max_atoms = options->max_atoms;
  fill.max_atoms = MIN (fill.max_atoms, dictionary->atoms.cols);
  return fill;
}

/* Fills, and improves unless @rounds is NULL. */
static gboolean
fill_and_improve (Canvas *canvas, const Dictionary *dictionary,
                  const FillSettings *fill,
                  const CollaborativeSettings *rounds, double share,
                  gsize *patches, const Progress *progress, GError **error)
{
  ProgressPart filling = { progress, 0, share };
  ProgressPart improving = { progress, share, 1 };
  Progress part = progress_part (&filling);
  gsize filled = 0, improved = 0;

  if (!canvas_fill (canvas, dictionary, fill, &filled, &part, error))
    return FALSE;
  part = progress_part (&improving);
  if (rounds != NULL
      && !canvas_improve (canvas, rounds, &improved, &part, error))
    return FALSE;
  *patches += filled + improved;
  return TRUE;
}

/* Codes patches where @missing says, in all of its holes. */
static gboolean
inpaint_by_patches (Image *image, const Mask *missing,
                    const Dictionary *dictionary,
                    const RestoreOptions *options, gsize *patches,
                    const Progress *progress, GError **error)
{
  FillSettings fill = choose_fill (options, dictionary);
  gboolean improve = options->dictionary == NULL && !options->paper_protocol;
  const CollaborativeSettings *rounds =
    improve ? &efforts[options->quality].rounds : NULL;
  int reach =
    MAX (dictionary->patch, rounds != NULL ? collaborative_reach (rounds) : 0);
  g_autoptr (Canvas) canvas = canvas_new (
    image, missing, MAX (image_colours (image), dictionary->channels), reach,
    error);

  if (canvas == NULL
      || !fill_and_improve (canvas, dictionary, &fill, rounds,
                            improve ? fill_shares[options->quality] : 1,
                            patches, progress, error))
    return FALSE;
  canvas_write_back (canvas, image);
  return TRUE;
}

/* ---- thick parts ---- */

/* Fills the thick part of a hole that was chosen, but for its rim, and takes
 * it out of @left. */
static gboolean
fill_part (Image *image, const Mask *missing, const Thickness *thickness,
           const RestoreOptions *options, Mask *left, const Progress *progress,
           GError **error)
{
  g_autoptr (Region) region = region_new (image, missing, thickness, error);
  TextureOptions texture = textures[options->fill];
  ProgressPart parts[] = { { progress, 0, 0.1 }, { progress, 0.1, 1 } };
  Progress laying = progress_part (&parts[0]);
  Progress copying = progress_part (&parts[1]);

  texture.seed = options->seed;
  if (region == NULL || !region_lay_ground (region, &laying, error)
      || !region_copy_texture (region, &texture, &copying, error))
    return FALSE;
  region_write_back (region, RIM, image, left);
  return TRUE;
}

/* Fills the thick parts of all holes, but for their rims, and takes them out
 * of @left. */
static gboolean
fill_thick_parts (Image *image, const Mask *missing, Thickness *thickness,
                  const RestoreOptions *options, Mask *left,
                  const Progress *progress, GError **error)
{
  double all = (double) thickness->waiting;
  ProgressPart share = { progress, 0, 0 };

  while (thickness_next (thickness)) {
    Progress part = progress_part (&share);

    share.to = 1 - (double) thickness->waiting / all;
    if (!fill_part (image, missing, thickness, options, left, &part, error))
      return FALSE;
    share.from = share.to;
  }
  return TRUE;
}

/* Works on a copy, so that @image stays as it was where something fails. */
static gboolean
inpaint_thick (Image *image, const Mask *missing, Thickness *thickness,
               const Dictionary *dictionary, const RestoreOptions *options,
               gsize *patches, const Progress *progress, GError **error)
{
  g_autoptr (Image) copy = image_copy (image, error);
  g_autoptr (Mask) left =
    copy != NULL ? mask_new (image->width, image->height, error) : NULL;
  ProgressPart thick = { progress, 0, THICK_SHARE };
  ProgressPart thin = { progress, THICK_SHARE, 1 };
  Progress part = progress_part (&thick);

  if (left == NULL)
    return FALSE;
  mask_add (left, missing);
  if (!fill_thick_parts (copy, missing, thickness, options, left, &part,
                         error))
    return FALSE;
  part = progress_part (&thin);
  if (!inpaint_by_patches (copy, left, dictionary, options, patches, &part,
                           error)
      || !image_bound_fill (copy, missing, thickness, error))
    return FALSE;
  image_swap (image, copy);
  return TRUE;
}

static gboolean
inpaint_with (Image *image, const Mask *missing, const Dictionary *dictionary,
              const RestoreOptions *options, gsize *patches,
              const Progress *progress, GError **error)
{
  g_autoptr (Thickness) thickness = NULL;

  if (options->paper_protocol)
    return inpaint_by_patches (image, missing, dictionary, options, patches,
                               progress, error);
  thickness = thickness_new (image, missing, error);
  if (thickness == NULL)
    return FALSE;
  if (thickness->waiting == 0)
    return inpaint_by_patches (image, missing, dictionary, options, patches,
                               progress, error)
           && image_bound_fill (image, missing, NULL, error);
  return inpaint_thick (image, missing, thickness, dictionary, options,
                        patches, progress, error);
}

gboolean
image_inpaint (Image *image, const Mask *missing,
               const RestoreOptions *options, gsize *patches,
               const Progress *progress, GError **error)
{
  g_autoptr (Dictionary) builtin = NULL;
  const Dictionary *dictionary = options->dictionary;

  if (dictionary == NULL)
    dictionary = builtin = dictionary_builtin (image_colours (image));
  return inpaint_with (image, missing, dictionary, options, patches, progress,
                       error);
}
