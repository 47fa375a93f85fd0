/* coded.c - a picture whose noise a convolutional dictionary or a transform removes */
#include "imaging/convolutional/recode.h"
#include "imaging/denoise/denoiseprivate.h"

#include <math.h>

/* Grey that is repeated has the same noise in all channels: their common part,
 * which the model takes for brightness, has sqrt (3) times the noise that it
 * would have if they were independent. */
static double
told_sigma (const Denoise *d, const Recoder *coder)
{
  return d->sigma * sqrt ((double) recoder_channels (coder) / d->colours);
}

typedef struct {
  Denoise *denoise;
  float sigma;
} Coding;

static void
read_part (Box box, RecodePart *part, gpointer data)
{
  const Coding *coding = data;

  for (int y = box.top; y < box.bottom; y++)
    for (int x = box.left; x < box.right; x++) {
      tile_read_pixel (coding->denoise, part->values, x - box.left,
                       y - box.top, x, y);
      *planes_at (part->noise, 0, x - box.left, y - box.top) = coding->sigma;
    }
}

/* What was repeated is averaged. */
static void
write_part (Box box, const Planes *restored, gpointer data)
{
  const Coding *coding = data;
  Planes *coded = coding->denoise->coded;
  int repeats = restored->channels / coded->channels;

  for (int c = 0; c < restored->channels; c++)
    for (int y = box.top; y < box.bottom; y++)
      for (int x = box.left; x < box.right; x++)
        *planes_at (coded, c % coded->channels, x, y) +=
          *planes_at (restored, c, x - box.left, y - box.top)
          / (float) repeats;
}

gboolean
denoise_code_picture (Denoise *d, const Recoder *coder, int turns,
                      const Progress *progress, GError **error)
{
  Coding coding = { d, (float) told_sigma (d, coder) };
  RecodeSettings settings = { .coder = *coder, .turns = turns };
  RecodePicture picture = { .width = d->from->width,
                            .height = d->from->height,
                            .channels =
                              MAX (d->colours, recoder_channels (coder)),
                            .read = read_part,
                            .write = write_part,
                            .data = &coding };

  d->coded = planes_new (picture.width, picture.height, d->colours, error);
  return d->coded != NULL
         && picture_recode (&picture, &settings, progress, error);
}
