/* option.h - one option of a command, and the kinds of values
 *
 * A row of a command's table says what an option is called, how its value is
 * read and where that goes.  Ranges are checked here, so a command sees only
 * values that make sense.
 */
#pragma once

#include "imaging/image.h"

typedef struct Option Option;

/* Reads @text into the option's value.  Returns FALSE with @error set (USAGE);
 * the caller puts the option's name in front of its message.  For a flag,
 * @text is NULL. */
typedef gboolean (*OptionParser) (const Option *option, const char *text,
                                  GError **error);

/* Files that an option names are checked before the work begins. */
typedef enum {
  NO_FILE,
  INPUT_FILE,
  OUTPUT_FILE,
  OUTPUT_PLACE, /* a file, or a folder that the command checks itself */
  OUTPUT_BESIDE /* a file if OUTPUT_PLACE is one, else a folder, too */
} OptionRole;

struct Option {
  const char *name;
  char short_name;        /* 0 for none */
  const char *value_name; /* for the help; NULL for a flag */
  const char *help;
  OptionParser parse;
  gpointer value;             /* where the value goes */
  double min, max;            /* for numbers */
  const char *const *choices; /* for a choice, NULL at the end; where the
                                 value is a file, names that do as well */
  OptionRole role;
  gboolean required;     /* only for files */
  gboolean may_be_bare;  /* a choice whose value may be left out: the first */
  gboolean keeps_result; /* the result does not depend on it */
};

/* A colour, if one was given. */
typedef struct {
  gboolean is_set;
  guint8 rgb[3];
} OptionColour;

gboolean option_flag (const Option *option, const char *text, GError **error);

/* Whole numbers within min .. max; 2k, 3M and 1G mean thousands, millions and
 * so on.  Into an int, a gsize and a guint64; a seed may be anything that JSON
 * can hold, below 2^63. */
gboolean option_int (const Option *option, const char *text, GError **error);
gboolean option_size (const Option *option, const char *text, GError **error);
gboolean option_seed (const Option *option, const char *text, GError **error);

/* Into a double within min .. max. */
gboolean option_real (const Option *option, const char *text, GError **error);

/* One of the choices; its number goes into an int. */
gboolean option_choice (const Option *option, const char *text,
                        GError **error);

/* RRGGBB with or without a # into an OptionColour. */
gboolean option_colour (const Option *option, const char *text,
                        GError **error);

/* X,Y,WxH into an ImageArea that is not empty. */
gboolean option_area (const Option *option, const char *text, GError **error);

/* A file name into a const char *, which lives as long as the program. */
gboolean option_file (const Option *option, const char *text, GError **error);
