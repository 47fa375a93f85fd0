#include "imaging/detect/noiseprofile.h"

#include "base/error.h"
#include "base/parallel.h"
#include "imaging/detect/noisecurve.h"
#include "imaging/inpaint/dct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BLOCKS 30000 /* of a picture; more would not change the result */
#define LEAST_STEP 2      /* between blocks: closer ones would add nothing */
#define CHUNK 64          /* blocks that are transformed at a time */

/* Blocks of a bin, at least; the share of them that measures the noise, the
 * flattest; and how many these must be. */
#define BIN_BLOCKS 1000
#define GRID_BIN_BLOCKS 300 /* where they do not overlap */
#define FLATTEST 0.03
#define LEAST_FLAT 40

/* The blocks that are less flat, and still have noise alone if there is noise:
 * the share of the bin that is flatter, from and to. */
#define NEXT_FROM 0.1
#define NEXT_TO 0.2

/* What noise may have: in units of what is expected of it.  Measured on
 * photographs of three kinds with noise and without. */
#define LEAST_UNEVEN 0.5 /* less has only a pattern, as dots of a print */
#define MOST_UNEVEN 1.7
#define MOST_UNEVEN_SCALED 2.5
#define LEAST_SLOPE 0.85
#define MOST_SLOPE 1.4

/* Noise may be that many times as strong as what the weakest bin has. */
#define MOST_RATIO 3.5

/* Where flat blocks may have lost their noise: as the weakest that have not. */
#define MOST_QUANTISED_RATIO 3

/* Least R of any frequency; that of rounding to 8 bits is near it. */
#define LEAST_CORRELATION 0.01f

enum { EVEN, ODD, PARITIES };

typedef struct {
  int number;             /* < 0 for those that cannot be used */
  float brightness;       /* mean of the colours */
  float energy[PARITIES]; /* in the cosines of one parity and the first */
} Block;

typedef struct {
  const BlockSource *source;
  const Dct *dct;
  int step, across, count;
  int samples;  /* of a block */
  float *codes; /* count x samples: colour after colour for each cosine */
  Block *blocks;
} Survey;

/* ---- where blocks come from ---- */

/* Share of the samples of a block that may be black or white. */
#define MOST_CLIPPED 0.03

static gboolean
is_visible (const ImageBlocks *blocks, int x, int y)
{
  gsize i = (gsize) y * (gsize) blocks->image->width + (gsize) x;

  return (blocks->ignore == NULL || !blocks->ignore->missing[i])
         && !image_is_transparent (blocks->image, i);
}

/* Reads one row of one colour; returns how many samples are at an end. */
static int
read_samples (const Image *image, int x, int y, int colour, float *to)
{
  int peak = image_peak (image), clipped = 0;
  float scale = 1 / (float) peak;

  for (int i = 0; i < NOISE_SIDE; i++) {
    int sample = image_pixel (image, x + i, y)[colour];

    clipped += sample == 0 || sample == peak;
    to[i] = (float) sample * scale;
  }
  return clipped;
}

static gboolean
read_block (gconstpointer data, int colours, int x, int y, float *block)
{
  const ImageBlocks *blocks = data;
  int clipped = 0;

  for (int row = y; row < y + NOISE_SIDE; row++)
    for (int col = x; col < x + NOISE_SIDE; col++)
      if (!is_visible (blocks, col, row))
        return FALSE;
  for (int c = 0; c < colours; c++)
    for (int row = 0; row < NOISE_SIDE; row++, block += NOISE_SIDE)
      clipped += read_samples (blocks->image, x, y + row, c, block);
  return clipped <= MOST_CLIPPED * NOISE_COSINES * colours;
}

BlockSource
block_source_of_image (const ImageBlocks *blocks, int colours)
{
  return (BlockSource){ .width = blocks->image->width,
                        .height = blocks->image->height,
                        .colours = colours,
                        .read = read_block,
                        .data = blocks };
}

/* ---- blocks ---- */

static int
parity (int f)
{
  return (f % NOISE_SIDE + f / NOISE_SIDE) % 2 == 0 ? EVEN : ODD;
}

/* Neither the mean nor what a gradient has most of. */
static gboolean
is_measured (int f)
{
  return f % NOISE_SIDE + f / NOISE_SIDE >= 2;
}

static void
describe (const Survey *s, Block *block, const float *code)
{
  int colours = s->source->colours;

  block->brightness =
    code[0] / ((float) NOISE_SIDE * sqrtf ((float) colours));
  block->energy[EVEN] = block->energy[ODD] = 0;
  for (int f = 1; f < NOISE_COSINES; f++)
    for (int c = 0; c < colours; c++) {
      float square = code[f * colours + c] * code[f * colours + c];

      if (!is_measured (f))
        block->energy[EVEN] += square;
      if (!is_measured (f) || parity (f) == ODD)
        block->energy[ODD] += square;
      else
        block->energy[EVEN] += square;
    }
}

static void
survey_chunk (int chunk, int worker, gpointer data)
{
  const Survey *s = data;
  int first = chunk * CHUNK, count = MIN (CHUNK, s->count - first);
  int colours = s->source->colours;
  g_autofree float *y = g_new0 (float, s->samples * count);
  g_autofree float *scratch = g_new (float, s->samples * count);

  (void) worker;
  for (int i = 0; i < count; i++) {
    int number = first + i;
    int left = number % s->across * s->step;
    int top = number / s->across * s->step;

    s->blocks[number].number =
      s->source->read (s->source->data, colours, left, top,
                       y + i * s->samples)
        ? number
        : -1;
  }
  dct_forward (s->dct, y, scratch, count);
  for (int i = 0; i < count; i++) {
    float *code = s->codes + (gsize) (first + i) * (gsize) s->samples;

    for (int f = 0; f < NOISE_COSINES; f++)
      memcpy (code + f * colours, y + colours * (i + count * f),
              (gsize) colours * sizeof (float));
    describe (s, &s->blocks[first + i], code);
  }
}

/* ---- a bin ---- */

static int
compare_floats (float a, float b)
{
  return a < b ? -1 : a > b;
}

static int
by_brightness (const void *left, const void *right)
{
  const Block *a = left, *b = right;
  int order = compare_floats (a->brightness, b->brightness);

  if ((a->number < 0) != (b->number < 0))
    return a->number < 0 ? 1 : -1;
  return order != 0 ? order : a->number - b->number;
}

static int
by_even_energy (const void *left, const void *right)
{
  const Block *a = left, *b = right;
  int order = compare_floats (a->energy[EVEN], b->energy[EVEN]);

  return order != 0 ? order : a->number - b->number;
}

static int
by_odd_energy (const void *left, const void *right)
{
  const Block *a = left, *b = right;
  int order = compare_floats (a->energy[ODD], b->energy[ODD]);

  return order != 0 ? order : a->number - b->number;
}

/* Covariance of the colours at each frequency. */
typedef double Spectrum[NOISE_COSINES][3][3];

static const float *
code_of (const Survey *s, const Block *block)
{
  return s->codes + (gsize) block->number * (gsize) s->samples;
}

/* Mean products of the colours over @count blocks, for the frequencies of
 * @which. */
static void
measure_spectrum (const Survey *s, const Block *blocks, int count, int which,
                  Spectrum spectrum)
{
  int colours = s->source->colours;

  for (int f = 0; f < NOISE_COSINES; f++) {
    if (parity (f) != which)
      continue;
    memset (spectrum[f], 0, sizeof spectrum[f]);
    for (int i = 0; i < count; i++) {
      const float *code = code_of (s, &blocks[i]) + f * colours;

      for (int a = 0; a < colours; a++)
        for (int b = 0; b < colours; b++)
          spectrum[f][a][b] += (double) (code[a] * code[b]) / count;
    }
  }
}

/* The energy of a block in the cosines of one parity: each as it is, or in
 * units of its variance for those that are not weak. */
typedef struct {
  double plain, scaled;
} Energy;

/* Cosines whose variance is below this share of the largest are ignored: what
 * JPEG leaves of them is rounding. */
#define WEAK 0.03

static void
find_weights (int colours, int which, Spectrum spectrum,
              double weights[NOISE_COSINES][3])
{
  double most = 0;

  for (int f = 0; f < NOISE_COSINES; f++)
    for (int c = 0; c < colours; c++)
      if (is_measured (f) && parity (f) == which)
        most = fmax (most, spectrum[f][c][c]);
  for (int f = 0; f < NOISE_COSINES; f++)
    for (int c = 0; c < colours; c++)
      weights[f][c] = is_measured (f) && parity (f) == which
                          && spectrum[f][c][c] > WEAK * most
                        ? 1 / spectrum[f][c][c]
                        : 0;
}

static Energy
energy_of (const Survey *s, const Block *block, int which,
           double weights[NOISE_COSINES][3])
{
  const float *code = code_of (s, block);
  Energy energy = { 0, 0 };

  for (int f = 0; f < NOISE_COSINES; f++)
    for (int c = 0; c < s->source->colours; c++)
      if (is_measured (f) && parity (f) == which) {
        double square = pow (*code++, 2);

        energy.plain += square;
        energy.scaled += weights[f][c] * square;
      } else
        code++;
  return energy;
}

static double
relative_deviation (double mean, double mean_square)
{
  return mean > 0 ? sqrt (fmax (0, mean_square - mean * mean)) / mean : 0;
}

/* What noise would have. */
static Energy
expected_deviation (int colours, int which, Spectrum spectrum,
                    double weights[NOISE_COSINES][3])
{
  double sum = 0, squares = 0;
  int n = 0;

  for (int f = 0; f < NOISE_COSINES; f++)
    for (int a = 0; a < colours; a++) {
      if (!is_measured (f) || parity (f) != which)
        continue;
      n += weights[f][a] > 0;
      sum += spectrum[f][a][a];
      for (int b = 0; b < colours; b++)
        squares += pow (spectrum[f][a][b], 2);
    }
  return (Energy){ sum > 0 ? sqrt (2 * squares) / sum : 1,
                   n > 0 ? sqrt (2. / n) : 1 };
}

/* Compares how the energies of the first @count blocks differ with how those
 * of noise would, and their mean with that of the blocks after them, which are
 * less flat. */
static void
judge (const Survey *s, const Block *blocks, int total, int flat, int which,
       Spectrum spectrum, NoiseBin *bin)
{
  double weights[NOISE_COSINES][3];
  int from = (int) (NEXT_FROM * total), to = (int) (NEXT_TO * total);
  Energy sum = { 0, 0 }, squares = { 0, 0 }, expected;
  double next = 0;

  find_weights (s->source->colours, which, spectrum, weights);
  expected =
    expected_deviation (s->source->colours, which, spectrum, weights);
  for (int i = 0; i < flat; i++) {
    Energy e = energy_of (s, &blocks[i], which, weights);

    sum.plain += e.plain / flat;
    sum.scaled += e.scaled / flat;
    squares.plain += e.plain * e.plain / flat;
    squares.scaled += e.scaled * e.scaled / flat;
  }
  for (int i = from; i < to; i++)
    next += energy_of (s, &blocks[i], which, weights).plain / (to - from);
  bin->uneven = fmax (bin->uneven,
                      relative_deviation (sum.plain, squares.plain)
                        / expected.plain);
  bin->uneven_scaled = fmax (
    bin->uneven_scaled,
    relative_deviation (sum.scaled, squares.scaled) / expected.scaled);
  bin->slope += next / fmax (sum.plain, 1e-9) / PARITIES;
}

/* Fills the lowest frequencies from the next ones. */
static void
extend_spectrum (Spectrum spectrum)
{
  const int side = NOISE_SIDE;

  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      spectrum[1][a][b] = spectrum[2][a][b];
      spectrum[side][a][b] = spectrum[2 * side][a][b];
      spectrum[0][a][b] = (spectrum[1][a][b] + spectrum[side][a][b]) / 2;
    }
}

static void
measure_bin (const Survey *s, Block *blocks, int count, NoiseBin *bin,
             Spectrum spectrum)
{
  int flat = MAX (LEAST_FLAT, (int) (FLATTEST * count));
  int colours = s->source->colours;

  *bin = (NoiseBin){ .blocks = flat };
  for (int i = 0; i < count; i++)
    bin->brightness += (double) blocks[i].brightness / count;
  for (int which = EVEN; which < PARITIES; which++) {
    qsort (blocks, (gsize) count, sizeof (Block),
           which == EVEN ? by_odd_energy : by_even_energy);
    measure_spectrum (s, blocks, flat, which, spectrum);
    judge (s, blocks, count, flat, which, spectrum, bin);
  }
  extend_spectrum (spectrum);
  for (int c = 0; c < colours; c++) {
    for (int f = 0; f < NOISE_COSINES; f++)
      bin->sigma[c] += spectrum[f][c][c] / NOISE_COSINES;
    bin->sigma[c] = sqrt (bin->sigma[c]);
  }
}

/* ---- all bins ---- */

static gboolean
is_noise (const NoiseBin *bin)
{
  return bin->uneven >= LEAST_UNEVEN && bin->uneven <= MOST_UNEVEN
         && bin->uneven_scaled <= MOST_UNEVEN_SCALED
         && bin->slope >= LEAST_SLOPE && bin->slope <= MOST_SLOPE;
}

/* The level between the brightnesses of the bins that are noise; beyond them that of
 * the last. */
static double
level_between (const NoiseProfile *p, double brightness, int c)
{
  const NoiseBin *below = NULL, *above = NULL;

  for (int i = 0; i < p->bin_count; i++) {
    const NoiseBin *bin = &p->bins[i];

    if (!bin->is_noise)
      continue;
    if (bin->brightness <= brightness)
      below = bin;
    else if (above == NULL)
      above = bin;
  }
  if (below == NULL || above == NULL)
    return (below != NULL ? below : above)->level[c];
  return below->level[c]
         + (above->level[c] - below->level[c])
             * (brightness - below->brightness)
             / (above->brightness - below->brightness);
}

/* How much the spectrum of a bin counts: less, the more texture it has. */
static double
weight_of (const NoiseBin *bin)
{
  return bin->is_noise && bin->sigma[0] > 0
           ? pow (bin->level[0] / bin->sigma[0], 4)
           : 0;
}

/* The model of the bins that are noise, of which there is at least one. */
static void
fit_model (NoiseProfile *p, Spectrum *spectra, int colours)
{
  NoiseModel *model = &p->model;
  double weights = 0;

  *model = (NoiseModel){ .colours = colours };
  for (int level = 0; level < NOISE_LEVELS; level++)
    for (int c = 0; c < colours; c++)
      model->deviation[level][c] = (float) level_between (
        p, (double) level / (NOISE_LEVELS - 1), c);
  for (int i = 0; i < p->bin_count; i++)
    weights += weight_of (&p->bins[i]);
  for (int i = 0; i < p->bin_count; i++)
    for (int f = 0; f < NOISE_COSINES && p->bins[i].is_noise; f++)
      for (int a = 0; a < colours; a++)
        for (int b = 0; b < colours; b++) {
          double unit = p->bins[i].sigma[a] * p->bins[i].sigma[b];

          if (unit > 0 && weights > 0)
            model->correlation[f][a][b] +=
              (float) (spectra[i][f][a][b] / unit * weight_of (&p->bins[i])
                       / weights);
        }
}

static double
bin_variance (const NoiseBin *bin)
{
  return (pow (bin->sigma[0], 2) + pow (bin->sigma[1], 2)
          + pow (bin->sigma[2], 2))
         / 3;
}

/* Finds out which bins are noise.  Texture may look like it in a bin, but is
 * then stronger than all that others have, noise or not. */
static void
find_noise_bins (NoiseProfile *p, gboolean is_quantised)
{
  double most = is_quantised ? MOST_QUANTISED_RATIO : MOST_RATIO;
  double least = INFINITY;

  for (int i = 0; i < p->bin_count; i++) {
    p->bins[i].is_noise = is_noise (&p->bins[i]);
    if (p->bins[i].is_noise || !is_quantised)
      least = fmin (least, bin_variance (&p->bins[i]));
  }
  for (int i = 0; i < p->bin_count; i++)
    if (bin_variance (&p->bins[i]) > most * most * least)
      p->bins[i].is_noise = FALSE;
}

/* Keeps R from being singular: noise has a little of everything. */
static void
raise_floor (NoiseModel *model)
{
  for (int f = 0; f < NOISE_COSINES; f++)
    for (int c = 0; c < model->colours; c++)
      model->correlation[f][c][c] += LEAST_CORRELATION;
}

static void
summarise (NoiseProfile *p, Spectrum *spectra, const BlockSource *source)
{
  int colours = source->colours;
  double sum = 0;
  int noise_bins = 0;

  find_noise_bins (p, source->is_quantised);
  noise_bins_find_levels (p->bins, p->bin_count, colours, source->grid == 0);
  for (int i = 0; i < p->bin_count; i++) {
    noise_bins += p->bins[i].is_noise;
    for (int c = 0; c < colours && p->bins[i].is_noise; c++)
      sum += pow (p->bins[i].level[c], 2) / colours;
  }
  if (noise_bins == 0)
    return;
  p->noise_bins = noise_bins;
  p->share = (double) noise_bins / p->bin_count;
  p->sigma = sqrt (sum / noise_bins);
  fit_model (p, spectra, colours);
  raise_floor (&p->model);
}

static void
measure_bins (const Survey *s, NoiseProfile *p)
{
  g_autofree Spectrum *spectra = g_new0 (Spectrum, NOISE_BINS);
  int usable = 0;

  qsort (s->blocks, (gsize) s->count, sizeof (Block), by_brightness);
  while (usable < s->count && s->blocks[usable].number >= 0)
    usable++;
  if (usable < 4 * LEAST_FLAT)
    return;
  p->bin_count = CLAMP (
    usable / (s->source->grid > 0 ? GRID_BIN_BLOCKS : BIN_BLOCKS), 1,
    NOISE_BINS);
  for (int i = 0; i < p->bin_count; i++) {
    int first = (int) ((gint64) usable * i / p->bin_count);
    int end = (int) ((gint64) usable * (i + 1) / p->bin_count);

    measure_bin (s, s->blocks + first, end - first, &p->bins[i], spectra[i]);
  }
  summarise (p, spectra, s->source);
}

gboolean
noise_profile_measure (const BlockSource *source, NoiseProfile *profile,
                       GError **error)
{
  g_autoptr (Dct) dct = dct_new (NOISE_SIDE, source->colours);
  double room = (double) source->width * source->height;
  Survey s = { .source = source, .dct = dct };

  *profile = (NoiseProfile){ 0 };
  if (source->width < NOISE_SIDE || source->height < NOISE_SIDE)
    return TRUE;
  s.step = MAX (LEAST_STEP, (int) ceil (sqrt (room / MOST_BLOCKS)));
  if (source->grid > 0)
    s.step = (s.step + source->grid - 1) / source->grid * source->grid;
  s.across = (source->width - NOISE_SIDE) / s.step + 1;
  s.count = s.across * ((source->height - NOISE_SIDE) / s.step + 1);
  s.samples = NOISE_COSINES * source->colours;
  s.codes = tessera_try_new (float, (gsize) s.count * (gsize) s.samples,
                             "measuring noise", error);
  if (s.codes != NULL)
    s.blocks = tessera_try_new0 (Block, s.count, "measuring noise", error);
  if (s.blocks != NULL) {
    parallel_for ((s.count + CHUNK - 1) / CHUNK, survey_chunk, &s, NULL, NULL);
    measure_bins (&s, profile);
  }
  g_free (s.codes);
  g_free (s.blocks);
  return s.blocks != NULL;
}
