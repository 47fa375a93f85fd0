/* filter.h - an entry of the menu Filters > Tessera
 *
 * Every filter finds out which pixels are missing; then these are filled, or
 * become the selection.
 */
#pragma once

#include "app/gimp/setting.h"
#include "include/tessera.h"

/* What a filter is to work on. */
typedef struct {
  gint32 drawable;
  GeglRectangle part; /* of the drawable: what was read */
  TesseraArea area;   /* of the part: what is wanted; 0 wide for all */
  const Values *values;
  TesseraContext *context;
  TesseraProgressFunc progress;
  void *progress_data;
} Job;

typedef struct {
  const char *procedure; /* "plug-in-tessera-heal" */
  const char *label;     /* in the menu */
  const char *title;     /* of the dialog and the progress bar */
  const char *blurb;     /* one line */
  const char *help;
  const Setting *settings;
  int setting_count;
  gboolean needs_selection;

  /* The pixels of @image, which is the part, that are missing.  NULL with
   * @error set. */
  TesseraMask *(*missing) (const Job *job, const TesseraImage *image,
                           GError **error);

  /* How these are filled; NULL if they become the selection instead. */
  void (*choose) (const Values *values, TesseraRestoreOptions *options);

  /* If they become the selection: how. */
  GimpChannelOps (*operation) (const Values *values);

  /* What is said when nothing was found to do. */
  const char *(*nothing_done) (const TesseraRestoreReport *report);
} Filter;

extern const Filter filter_heal, filter_find, filter_denoise;

/* Restores @image, which is the part, as @filter does.  @report has its size.
 * FALSE with @error set, and the image unchanged. */
gboolean filter_restore (const Filter *filter, const Job *job,
                         TesseraImage *image, TesseraRestoreReport *report,
                         GError **error);
