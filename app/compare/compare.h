/* compare.h - what the command "compare" is made of
 *
 * Contenders, which are dictionaries learned here or given by the user,
 * restore the same damaged test pictures.  A contender and a way to restore
 * make a method.
 *
 *     compare.c     the options, and the order of things
 *     data.c        which pictures train and which test; patches
 *     damagelist.c  what is done to the test pictures
 *     contenders.c  what is compared, and with which settings
 *     learning.c    learning, and learning curves
 *     transforming.c  learning of a transform, from whole pictures
 *     sharing.c     contenders and test pictures handed out to ranks
 *     outside.c     programs of others that learn or restore
 *     testing.c     damages, restores and scores the test pictures
 *     summary.c     means, deviations, paired differences
 *     tables.c      the results as tables and as JSON
 *     report.c      the files of the report
 *     page.c        its page, from the template in report/
 *
 * A restoration is given a Damaged, which holds nothing of the clean picture.
 */
#pragma once

#include "app/cli/commandline.h"
#include "app/cli/progressbar.h"
#include "app/compare/damagelist.h"
#include "app/files/skipped.h"
#include "app/chart/table.h"
#include "dictlearn/dictionary.h"
#include "dictlearn/learner.h"
#include "imaging/mask.h"
#include "imaging/metric.h"

#include <json-glib/json-glib.h>

/* ---- what is compared ---- */

/* How patches are laid over a picture. */
typedef enum {
  PROTOCOL_SEPARATE,    /* side by side, plain pursuit, as in the paper */
  PROTOCOL_OVERLAPPING, /* every second pixel, as "inpaint --dict" does */
  PROTOCOL_ENGINE,      /* whatever "inpaint" does by itself */
  PROTOCOL_OUTSIDE,     /* whatever a program of somebody else does */
  PROTOCOLS
} Protocol;

extern const char *const protocol_names[PROTOCOLS];

/* Engine, outside programs and overlapping patches compete with each other;
 * separate patches among themselves. */
static inline gboolean
protocol_competes (Protocol a, Protocol b)
{
  return (a == PROTOCOL_SEPARATE) == (b == PROTOCOL_SEPARATE);
}

/* How good a dictionary was at restoring the probes, and when. */
typedef struct {
  int iteration;
  double seconds;               /* of learning */
  double psnr[PROTOCOL_ENGINE]; /* by protocol */
  double ssim[PROTOCOL_ENGINE];
} CurvePoint;

typedef enum {
  CONTENDER_LEARNER,
  CONTENDER_TRANSFORM,
  CONTENDER_COSINES,
  CONTENDER_FILE,
  CONTENDER_ENGINE,
  CONTENDER_OUTSIDE_LEARNER,
  CONTENDER_RESTORER,
} ContenderKind;

/* What was learned with one seed. */
typedef struct {
  gboolean ready;
  Dictionary *dictionary; /* NULL for what restores without one */
  const char *start;      /* what a learner began from */
  double seconds;         /* of learning */
  int iterations;
  gboolean out_of_time;
  GArray *curve; /* CurvePoint; NULL for what does not learn here */
} LearnRun;

typedef struct {
  char *name;
  ContenderKind kind;
  const LearnerClass *learner;       /* of a learner */
  LearnOptions (*published) (int n); /* settings of its paper, or NULL */
  char *file;                        /* of a dictionary given by the user */
  char **command; /* of an outside program, with its placeholders */

  LearnRun *runs; /* one for each seed, or only one if nothing is learned */
  guint run_count;
  char *failed; /* why an outside learner failed, or NULL */
} Contender;

/* Whether it is made from the training pictures. */
static inline gboolean
contender_learns (const Contender *contender)
{
  return contender->kind == CONTENDER_LEARNER
         || contender->kind == CONTENDER_TRANSFORM
         || contender->kind == CONTENDER_OUTSIDE_LEARNER;
}

/* What it has learned with seed number @seed. */
static inline LearnRun *
contender_run (const Contender *contender, guint seed)
{
  return &contender->runs[MIN (seed, contender->run_count - 1)];
}

static inline gboolean
learn_run_has_curve (const LearnRun *run)
{
  return run->ready && run->curve != NULL && run->curve->len > 0;
}

/* How much of it is ready: the first so many runs. */
static inline guint
contender_ready_runs (const Contender *contender)
{
  guint count = 0;

  while (count < contender->run_count && contender->runs[count].ready)
    count++;
  return count;
}

typedef struct {
  guint contender;
  Protocol protocol;
} Method;

/* ---- results ---- */

typedef struct {
  guint picture, damage, method;
  guint seed; /* number of the seed it was learned with */
  ImageScore score;
  double seconds;     /* of restoring */
  const char *failed; /* why there is no score (interned), or NULL */
} Score;

/* A restored test picture, to be looked at. */
typedef struct {
  guint picture, damage;
  int method; /* or SHOWN_CLEAN, SHOWN_DAMAGED */
  double psnr, ssim;
  GBytes *png;
} Shown;

enum { SHOWN_CLEAN = -2, SHOWN_DAMAGED = -1 };

/* A mean over test pictures and seeds, and over the differences to the
 * reference. */
typedef struct {
  double mean, deviation;
  double difference, low, high; /* NAN for the reference itself */
} Summary;

typedef struct {
  guint damage, method;
  int count;       /* test pictures */
  int failed;      /* restorations that failed */
  const char *why; /* the first of them did, or NULL */
  int reference;   /* method that it is compared with, or -1 */
  Summary psnr, ssim, ms_ssim, psnr_masked, seconds;
  gboolean best_psnr, best_ssim; /* of the methods that compete */
} SummaryRow;

/* ---- the command ---- */

/* A comparison of a preset, which has a folder of its own. */
typedef struct {
  const char *name; /* of the folder */
  int patch;
  const char *damages;
} ComparePart;

typedef struct {
  CommandLine line;
  const char *folder;
  int preset;              /* row of the presets; 0 for none */
  const ComparePart *part; /* of the preset, or NULL */
  char *part_folder;
  JsonObject *all;   /* results of all parts; NULL outside of a preset */
  gboolean separate; /* patches are laid side by side only */
  const char *train, *test; /* folders, or NULL */
  char **algorithms;
  GPtrArray *files;                /* NAME=FILE */
  GPtrArray *restorers, *learners; /* NAME=COMMAND */
  double outside_limit;            /* seconds for an outside program */
  GArray *seeds;                   /* guint64: of learning */
  GArray *damages;                 /* Damage */
  const char *reference;
  int patch, patches, test_pictures, show;
  int atoms, atoms_per_patch, train_atoms, iterations;
  int init; /* row of compare_init_names */
  double time_limit;

  char *command; /* as it was typed */
  ProgressBar bar;
  char stage[96]; /* its label */
  GDateTime *began;
  gint64 started; /* microseconds */

  GPtrArray *training; /* char *: paths */
  GPtrArray *probing;
  GPtrArray *testing;
  GPtrArray *names; /* char *: of the test pictures, valid UTF-8, all different
                       where their paths are */
  SkippedFiles skipped;
  Mat Y; /* the training patches */

  GArray *contenders; /* Contender */
  GArray *methods;    /* Method */
  GArray *scores;     /* Score */
  GArray *shown;      /* Shown */
  GArray *summary;    /* SummaryRow */
  gboolean interrupted;
  gboolean is_over; /* another rank has failed, and says why */
} Compare;

#define COMPARE_CHANNELS 3

/* Whether dictionaries restore in that way. */
static inline gboolean
compare_lays (const Compare *compare, Protocol protocol)
{
  return protocol < PROTOCOL_ENGINE
         && (protocol == PROTOCOL_SEPARATE || !compare->separate);
}

extern const char *const compare_init_names[];

static inline int
compare_length (const Compare *compare)
{
  return compare->patch * compare->patch * COMPARE_CHANNELS;
}

/* Atoms per patch where patches are separate: the paper's tenth. */
static inline int
compare_atoms_per_patch (const Compare *compare)
{
  return compare->atoms_per_patch > 0 ? compare->atoms_per_patch
                                      : MAX (1, compare_length (compare) / 10);
}

static inline guint64
compare_seed (const Compare *compare, guint i)
{
  return g_array_index (compare->seeds, guint64, i);
}

static inline const Damage *
compare_damage (const Compare *compare, guint i)
{
  return &g_array_index (compare->damages, Damage, i);
}

static inline Contender *
compare_contender (const Compare *compare, guint i)
{
  return &g_array_index (compare->contenders, Contender, i);
}

static inline const Method *
compare_method (const Compare *compare, guint i)
{
  return &g_array_index (compare->methods, Method, i);
}

static inline const char *
compare_method_name (const Compare *compare, guint i)
{
  return compare_contender (compare, compare_method (compare, i)->contender)
    ->name;
}

/* ---- data.c ---- */

/* Fills in training, probing and testing.  FALSE with @error set (INPUT,
 * USAGE) when there are too few pictures. */
gboolean compare_find_pictures (Compare *compare, GError **error);

/* Fills in Y, as seed number @seed draws the patches. */
gboolean compare_gather_patches (Compare *compare, guint seed,
                                 const Progress *progress, GError **error);

/* ---- contenders.c ---- */

/* Names that --algorithms takes, NULL at the end. */
const char *const *compare_algorithm_names (void);

/* Makes the contenders that were asked for and their methods.  FALSE with
 * @error set (USAGE, INPUT) when a dictionary given by the user does not
 * fit. */
gboolean compare_make_contenders (Compare *compare, GError **error);
void compare_contender_clear (gpointer contender);

/* How a learner is to learn. */
LearnOptions compare_learn_options (const Compare *compare,
                                    const Contender *contender, guint seed);

/* The name of the dictionary of seed number @seed in the report. */
char *compare_dictionary_file (const Compare *compare,
                               const Contender *contender, guint seed);
const char *compare_init_name (InitKind kind);

/* ---- sharing.c ---- */

/* Work in numbered items.  Which rank does which does not matter. */
typedef struct {
  /* Works on an item.  What comes out, as data for the other ranks. */
  gboolean (*work) (gpointer data, guint item, GVariant **result,
                    const Progress *progress, GError **error);
  /* Adds what came out, in the order of the items, on all ranks. */
  void (*put) (gpointer data, guint item, GVariant *result, gboolean is_own);
  gpointer data;
} CompareStage;

/* Does items 0 .. count - 1, each on the rank that is free first.  FALSE with
 * @error set if any rank has failed or was interrupted; what was finished is
 * put nevertheless. */
gboolean compare_share_out (Compare *compare, guint count,
                            const CompareStage *stage,
                            const Progress *progress, GError **error);

/* What was learned; @failed is why a program failed, or NULL. */
GVariant *learn_run_to_variant (const LearnRun *run, const char *failed);
void learn_run_from_variant (GVariant *variant, LearnRun *run, char **failed);

/* The scores of a test picture and what is shown of it; or why it was
 * skipped. */
GVariant *trial_to_variant (const GArray *scores, const GArray *shown,
                            const char *skipped);
char *trial_from_variant (GVariant *variant, GArray *scores, GArray *shown);

/* ---- learning.c ---- */

/* Learns what has to be learned from Y with seed number @seed, one after the
 * other on each rank. */
gboolean compare_learn (Compare *compare, guint seed, const Progress *progress,
                        GError **error);

/* ---- transforming.c ---- */

/* Learns a transform with seed number @seed. */
gboolean compare_learn_transform (const Compare *compare, LearnRun *run,
                                  guint seed, const Progress *progress,
                                  GError **error);

/* ---- testing.c ---- */

/* All that a restoration may know. */
typedef struct {
  Image *image;
  Mask *missing;
  double noise; /* standard deviation, white is 255 */
} Damaged;

void damaged_clear (Damaged *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Damaged, damaged_clear)

/* Damages @clean, as the picture number @number always is. */
gboolean compare_damage_picture (const Compare *compare, guint damage,
                                 const Image *clean, guint64 number,
                                 Damaged *damaged, GError **error);

/* ---- outside.c ---- */

/* Splits NAME=COMMAND; the command as words, of which at least one must have
 * "{output}".  FALSE with @error set (USAGE). */
gboolean outside_parse (const char *pair, const char *option, char **name,
                        char ***command, GError **error);

/* Restores by a program that is given the damaged picture, the mask and the
 * noise level as files and numbers of its command line, nothing else.  NULL
 * with @error set: CANCELLED, or anything else if it failed. */
Image *outside_restore (const Compare *compare, const Contender *contender,
                        const Damaged *damaged, double *seconds,
                        const Progress *progress, GError **error);

/* Learns by a program that reads Y as a .npy. */
gboolean outside_learn (const Compare *compare, const Contender *contender,
                        guint seed, LearnRun *run, const Progress *progress,
                        GError **error);

/* ---- testing.c, continued ---- */

/* How to restore. */
typedef struct {
  const Dictionary *dictionary; /* NULL for the engine */
  Protocol protocol;
  int max_atoms;  /* per patch, where patches are separate */
  gboolean quick; /* fewer overlapping patches */
} RestoreMethod;

/* NULL with @error set (INPUT, LIMIT, CANCELLED). */
Image *compare_restore (const Damaged *damaged, const RestoreMethod *method,
                        const Progress *progress, GError **error);

/* About how long compare_test() takes here, for the bar.  Programs of others
 * count like our own. */
double compare_restoring_seconds (const Compare *compare);

/* Damages, restores and scores all test pictures.  What is finished when it is
 * stopped stays. */
gboolean compare_test (Compare *compare, const Progress *progress,
                       GError **error);

/* ---- summary.c ---- */

/* Fills in the summary from the scores. */
void compare_summarise (Compare *compare);

/* ---- tables.c ---- */

/* A row for each picture, damage and method, and for each test of the
 * probes. */
Table *compare_scores_table (const Compare *compare);
Table *compare_curves_table (const Compare *compare);

/* What results.json holds. */
JsonObject *compare_to_json (const Compare *compare);

/* The summary as text. */
char *compare_to_text (const Compare *compare);

/* ---- report.c, page.c ---- */

gboolean compare_write_report (const Compare *compare, GError **error);

/* The whole page; NULL with @error set when there is no memory for it. */
GBytes *compare_to_page (const Compare *compare, GError **error);

/* The learning curves; @by_time or by iterations. */
GBytes *compare_plot (const Compare *compare, Protocol protocol,
                      gboolean by_time);
