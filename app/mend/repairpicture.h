/* repairpicture.h - one picture on its way through restore, inpaint, denoise
 * or find
 *
 * repair.c     what was asked for; one picture, or a folder of them
 * repairpicture.c  a picture: read, restored, written
 * missing.c    which of its pixels are missing
 * outcome.c    what is said about it
 */
#pragma once

#include "app/batch/turn.h"
#include "app/cli/commandline.h"
#include "app/files/picturefile.h"
#include "app/mend/repair.h"

#include <json-glib/json-glib.h>

/* What was asked for, for all pictures. */
typedef struct {
  const RepairTask *task;
  CommandLine line;
  PictureOutput output;
  BatchOptions folders;
  RestoreOptions options;
  int quality, fill, protocol; /* numbers of choices */
  Dictionary *dictionary;      /* NULL for the built-in one */
} RepairRequest;

/* One picture: what is worked on, what came out. */
typedef struct {
  const RepairRequest *request;
  const char *path;      /* of the picture */
  const char *mask_path; /* or NULL */
  const char *output;
  gboolean is_alone; /* not one of many */
  PageReader *file;      /* until the last page is decoded */
  PageReader *mask_file; /* likewise; NULL before the first */
  GBytes *source;        /* the bytes of the file */
  int page, pages;
  GBytes *patched;  /* the result, where only some blocks of a JPEG change */
  PageWriter *done; /* the pages before this one, mended; NULL for none */
  gsize masked_pixels, patches; /* of all pages so far */
  gboolean is_changed;          /* likewise: something was restored */
  gboolean is_noise_left;       /* of one of them, and may be texture */
  gboolean is_fading_left;      /* one of them is not certainly faded */
  Image *image;
  Image *input; /* a copy, if what was removed is to be written */
  Mask *mask;   /* NULL if the user did not say what is missing */
  RestoreReport report;
  JsonObject *found; /* pixels of each kind; NULL if none was looked for */
  JsonObject *marks; /* likewise, marks of each kind */
  GPtrArray *left_out; /* what the result does not hold, of all pages */
  double seconds;
} Repair;

void repair_clear (Repair *repair);

/* The part of the picture that is worked on: all of it without --crop. */
ImageArea repair_area (const Repair *repair);

/* ---- repairpicture.c ---- */

/* Writes the picture, and says what was done. */
gboolean repair_alone (Repair *repair, GError **error);

/* The bytes of the result, and in @turn what was done. */
GBytes *repair_in_turn (Repair *repair, BatchTurn *turn, GError **error);

/* Whether the result is the file itself: nothing was restored, and nothing
 * else was asked for. */
gboolean repair_is_copy (const Repair *repair);

/* FALSE with @error set if --noise-out was given, which is for one picture
 * with one page. */
gboolean repair_check_noise_out (const RepairRequest *request, GError **error);

/* ---- missing.c ---- */

/* Adds the options that mark pixels or have damage found; sets @sources to
 * the defaults, which are to be filled in. */
void missing_add_options (CommandLine *line, MaskSources *sources);

/* The same, only those that have damage found. */
void missing_add_find_options (CommandLine *line, MaskSources *sources);

/* After parsing: FALSE with @error set (USAGE) if they exclude each other. */
gboolean missing_check_options (const MaskSources *sources, GError **error);

/* Whether the user has said what is missing. */
gboolean missing_is_named (const MaskSources *sources);

/* The kinds of damage that are to be found, or NULL. */
const char *missing_kinds (const Repair *repair);

/* The mask that the user's options name. */
Mask *missing_from_sources (Repair *repair, GError **error);

/* Finds those kinds, adds them to the mask and says how much there is of
 * each. */
gboolean missing_find (Repair *repair, const Progress *progress,
                       GError **error);

/* Widens all marks as the user says. */
gboolean missing_widen (Repair *repair, GError **error);

/* ---- outcome.c ---- */

/* After each page; tells the user after the last one what was left as it is. */
void outcome_note_page (Repair *repair);

void outcome_fill_json (const Repair *repair, JsonObject *json);

/* "removed ... and filled ... in 1.2 s, 34 patches -> out.png", or "unchanged,
 * in 1.2 s -> out.png" */
void outcome_append_summary (const Repair *repair, GString *text);

/* Adds what the result does not hold, if there is anything. */
void outcome_append_left_out (const Repair *repair, GString *text);

/* Prints one or the other, and a note of what the result does not hold. */
gboolean outcome_print (const Repair *repair, GError **error);
