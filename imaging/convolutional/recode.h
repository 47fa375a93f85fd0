/* recode.h - restores a picture with a convolutional dictionary or a transform
 *
 * The picture is cut into squares that depend on its size alone; each is read,
 * restored together with a margin around it, and written.  So memory is that
 * of a square, and the result does not depend on threads.  Where everything is
 * known and there is no noise, nothing is done.
 */
#pragma once

#include "base/progress.h"
#include "dictlearn/convolutional/model.h"
#include "dictlearn/transform/model.h"
#include "imaging/planes.h"

/* Columns left .. right - 1, rows top .. bottom - 1. */
typedef struct {
  int left, top, right, bottom;
} Box;

/* A part of a picture, planes of the size of the box. */
typedef struct {
  Planes *values;
  Planes *known; /* 1 for each sample that is known, 0 for others */
  Planes *noise; /* one plane: the standard deviation where white is 1 */
} RecodePart;

/* What is restored.  The functions are called from one thread. */
typedef struct {
  int width, height;
  int channels; /* a multiple of those of the coder */

  /* Fills in the part of @box: all that is known, or zero noise, where it does
   * not set anything else. */
  void (*read) (Box box, RecodePart *part, gpointer data);

  /* Takes the restored part of @box.  Known samples without noise have the
   * value that was read.  What is read later may have changed only in samples
   * that are not known. */
  void (*write) (Box box, const Planes *restored, gpointer data);
  gpointer data;
} RecodePicture;

/* Either of them; the other one is NULL. */
typedef struct {
  const ConvModel *model;
  const TransformModel *transform;
} Recoder;

/* Of the pictures it is for: 1 or 3. */
int recoder_channels (const Recoder *coder);

typedef struct {
  Recoder coder;
  int turns;      /* 1, 2, 4 or 8 orientations of the picture; the results are
                     averaged */
  gsize *patches; /* grows by the number of patches coded; may be NULL */
} RecodeSettings;

/* Restores @picture; if the model has fewer channels, group by group.  FALSE
 * with @error set: CANCELLED, MEMORY, and INPUT where the model makes samples
 * that no picture has. */
gboolean picture_recode (const RecodePicture *picture,
                         const RecodeSettings *settings,
                         const Progress *progress, GError **error);
