/* lessons.h - damaged crops of clean pictures, for learning
 *
 * Example number i is a function of the seed and i alone: a picture, a place in
 * it, perhaps at half the size, one of the eight orientations, and one of the
 * kinds of damage.  So any thread may make any example, and learning that was
 * interrupted goes on with the examples it would have had.
 */
#pragma once

#include "dictlearn/convolutional/teacher.h"
#include "imaging/image.h"

typedef enum {
  LESSON_MISSING,  /* pixels, each by itself: low .. high is the share */
  LESSON_CHANNELS, /* samples, each by itself: low .. high is the share */
  LESSON_BLOCKS,   /* squares: low .. high is the side in pixels */
  LESSON_STROKES,  /* straight ones: low .. high is the width in pixels */
  LESSON_NOISE,    /* added: low .. high is the deviation, white 255 */
} LessonKind;

typedef struct {
  LessonKind kind;
  double low, high;
} Lesson;

/* Reads "missing:0.05-0.95,blocks:3-16,noise:0-75": kinds with an amount or a
 * range.  Blocks may be SIDExCOUNT as for "compare"; the count is ignored
 * here.  Returns an array of Lesson that the caller owns, or NULL with @error
 * set (USAGE). */
GArray *lessons_parse (const char *text, GError **error);

/* What one convolutional dictionary can serve, the steps that takes, and their
 * length.  The more often a kind of damage is named, the more often it is
 * drawn. */
#define LESSONS_USUAL_TASK                                                    \
  "missing:0.05-0.95,missing:0.3-0.9,channels:0.05-0.95,blocks:3-16,"         \
  "strokes:1-6,noise:0-75"
#define LESSONS_USUAL_STEPS 18000
#define LESSONS_USUAL_RATE 8e-4

typedef struct Lessons Lessons;

/* @lessons is an array of Lesson and is copied.  @channels is 1 or 3. */
Lessons *lessons_new (const GArray *lessons, int channels, int crop,
                      guint64 seed);
void lessons_free (Lessons *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Lessons, lessons_free)

/* Takes a copy of @image, colours only, in 8 bits.  FALSE if it is smaller
 * than a crop. */
gboolean lessons_add (Lessons *self, const Image *image);

/* Pictures taken. */
int lessons_count (const Lessons *self);

/* An ExampleFunc; @data is a Lessons with at least one picture. */
void lessons_draw (guint64 index, Example *example, gpointer data);

/* A patch of side x side x channels, planes one after the other. */
typedef struct {
  const float *clean;
  float *given, *known, *counts; /* to be filled in; see TaskBatch */
} PatchLesson;

/* Damages patch number @index, as drawn by @seed, with one of @lessons.  The
 * error counts where samples are missing, or everywhere if there is noise. */
void lessons_damage_patch (const GArray *lessons, int side, int channels,
                           guint64 seed, guint64 index,
                           const PatchLesson *patch);
