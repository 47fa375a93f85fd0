/* crops.h - tasks to learn, and damaged crops and patches to learn them from
 *
 * Example number i is a function of the seed and i alone: a picture, a place
 * in it, perhaps at half the size, one of the eight orientations, and one of
 * the kinds of damage.  So any thread may make any example, and learning that
 * was interrupted goes on with the examples it would have had.
 */
#pragma once

#include "dictlearn/convolutional/trainer.h"
#include "imaging/image.h"

typedef enum {
  TASK_MISSING,  /* pixels, each by itself: low .. high is the share */
  TASK_CHANNELS, /* samples, each by itself: low .. high is the share */
  TASK_BLOCKS,   /* squares: low .. high is the side in pixels */
  TASK_STROKES,  /* straight ones: low .. high is the width in pixels */
  TASK_NOISE,    /* added: low .. high is the deviation, white 255 */
} TaskDamageKind;

typedef struct {
  TaskDamageKind kind;
  double low, high;
} TaskDamage;

/* Reads "missing:0.05-0.95,blocks:3-16,noise:0-75": kinds with an amount or a
 * range.  Blocks may be SIDExCOUNT as for "compare"; the count is ignored
 * here.  Returns an array of TaskDamage that the caller owns, or NULL with
 * @error set (USAGE). */
GArray *task_parse (const char *text, GError **error);

/* What one convolutional dictionary can serve, the steps that takes, and their
 * length.  The more often a kind of damage is named, the more often it is
 * drawn. */
#define CONV_USUAL_TASK                                                       \
  "missing:0.05-0.95,missing:0.3-0.9,channels:0.05-0.95,blocks:3-16,"         \
  "strokes:1-6,noise:0-75"
#define CONV_USUAL_STEPS 18000
#define CONV_USUAL_RATE 8e-4

typedef struct TrainingCrops TrainingCrops;

/* @task is an array of TaskDamage and is copied.  @channels is 1 or 3. */
TrainingCrops *training_crops_new (const GArray *task, int channels, int crop,
                                   guint64 seed);
void training_crops_free (TrainingCrops *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TrainingCrops, training_crops_free)

/* Takes a copy of @image, colours only, in 8 bits.  FALSE with @error set: INPUT
 * if it is smaller than a crop, MEMORY. */
gboolean training_crops_add (TrainingCrops *self, const Image *image,
                             GError **error);

/* Pictures taken. */
int training_crops_count (const TrainingCrops *self);

/* An ExampleFunc; @data is a TrainingCrops with at least one picture. */
void training_crops_draw (guint64 index, Example *example, gpointer data);

/* A patch of side x side x channels, planes one after the other. */
typedef struct {
  const float *clean;
  float *given, *known, *counts; /* to be filled in; see TaskBatch */
} PatchExample;

/* Damages patch number @index, as drawn by @seed, with one of @task.  The
 * error counts where samples are missing, or everywhere if there is noise. */
void task_damage_patch (const GArray *task, int side, int channels,
                        guint64 seed, guint64 index,
                        const PatchExample *patch);
