#include "app/cli/option.h"

#include "app/cli/suggest.h"
#include "base/error.h"

#include <errno.h>
#include <math.h>
#include <string.h>

gboolean
option_flag (const Option *option, const char *text, GError **error)
{
  (void) text;
  (void) error;
  *(gboolean *) option->value = TRUE;
  return TRUE;
}

/* ---- numbers ---- */

/* The factor that a suffix stands for; 0 when it is not one. */
static guint64
suffix_factor (const char *suffix)
{
  static const struct {
    const char *suffix;
    guint64 factor;
  } factors[] = { { "", 1 },
                  { "k", 1000 },
                  { "K", 1000 },
                  { "M", 1000000 },
                  { "G", 1000000000 } };

  for (gsize i = 0; i < G_N_ELEMENTS (factors); i++)
    if (g_str_equal (suffix, factors[i].suffix))
      return factors[i].factor;
  return 0;
}

static gboolean
parse_whole (const char *text, guint64 *value, GError **error)
{
  guint64 factor;
  char *end;

  errno = 0;
  *value = g_ascii_strtoull (text, &end, 10);
  factor = suffix_factor (end);
  if (!g_ascii_isdigit (*text) || factor == 0)
    return tessera_fail (error, TESSERA_ERROR_USAGE, "not a whole number");
  if (errno == ERANGE || !g_uint64_checked_mul (value, *value, factor))
    return tessera_fail (error, TESSERA_ERROR_USAGE, "number too large");
  return TRUE;
}

static gboolean
check_range (const Option *option, double value, GError **error)
{
  if (value >= option->min && value <= option->max)
    return TRUE;
  if (isinf (option->max))
    return tessera_fail (error, TESSERA_ERROR_USAGE, "must be %.15g or more",
                         option->min);
  return tessera_fail (error, TESSERA_ERROR_USAGE,
                       "must be from %.15g to %.15g", option->min,
                       option->max);
}

gboolean
option_int (const Option *option, const char *text, GError **error)
{
  guint64 whole;

  g_return_val_if_fail (option->max <= G_MAXINT, FALSE);
  if (!parse_whole (text, &whole, error)
      || !check_range (option, (double) whole, error))
    return FALSE;
  *(int *) option->value = (int) whole;
  return TRUE;
}

gboolean
option_size (const Option *option, const char *text, GError **error)
{
  guint64 whole;

  if (!parse_whole (text, &whole, error)
      || !check_range (option, (double) whole, error))
    return FALSE;
  *(gsize *) option->value = whole;
  return TRUE;
}

gboolean
option_seed (const Option *option, const char *text, GError **error)
{
  guint64 whole;

  if (!parse_whole (text, &whole, error))
    return FALSE;
  if (whole > G_MAXINT64)
    return tessera_fail (error, TESSERA_ERROR_USAGE, "number too large");
  *(guint64 *) option->value = whole;
  return TRUE;
}

gboolean
option_real (const Option *option, const char *text, GError **error)
{
  char *end;
  double value = g_ascii_strtod (text, &end);

  if (end == text || *end != '\0' || !isfinite (value))
    return tessera_fail (error, TESSERA_ERROR_USAGE, "not a number");
  if (!check_range (option, value, error))
    return FALSE;
  *(double *) option->value = value;
  return TRUE;
}

/* ---- words ---- */

gboolean
option_choice (const Option *option, const char *text, GError **error)
{
  g_autofree char *all = NULL;
  g_autofree char *hint = NULL;

  for (int i = 0; option->choices[i] != NULL; i++)
    if (g_str_equal (text, option->choices[i])) {
      *(int *) option->value = i;
      return TRUE;
    }
  all = g_strjoinv (", ", (char **) option->choices);
  hint = suggest (text, option->choices);
  return tessera_fail (error, TESSERA_ERROR_USAGE, "must be one of %s%s%s",
                       all, hint != NULL ? "; " : "",
                       hint != NULL ? hint : "");
}

gboolean
option_colour (const Option *option, const char *text, GError **error)
{
  OptionColour *colour = option->value;
  const char *digits = text + (*text == '#');

  if (strlen (digits) != 6 || strspn (digits, "0123456789abcdefABCDEF") != 6)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "not a color: write RRGGBB, as in ff0000 for red");
  for (int i = 0; i < 3; i++)
    colour->rgb[i] = (guint8) (g_ascii_xdigit_value (digits[2 * i]) * 16
                               + g_ascii_xdigit_value (digits[2 * i + 1]));
  colour->is_set = TRUE;
  return TRUE;
}

/* Digits up to @end, which is skipped; into @value, @least or more. */
static gboolean
read_pixels (const char **text, char end, int least, int *value)
{
  char *after;
  guint64 number = g_ascii_strtoull (*text, &after, 10);

  if (!g_ascii_isdigit (**text) || *after != end || number < (guint64) least
      || number > G_MAXINT)
    return FALSE;
  *value = (int) number;
  *text = after + (end != '\0');
  return TRUE;
}

gboolean
option_area (const Option *option, const char *text, GError **error)
{
  ImageArea area;

  if (!read_pixels (&text, ',', 0, &area.x)
      || !read_pixels (&text, ',', 0, &area.y)
      || !read_pixels (&text, 'x', 1, &area.width)
      || !read_pixels (&text, '\0', 1, &area.height))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "not a part of a picture: write X,Y,WxH, as in "
                         "100,50,640x480");
  *(ImageArea *) option->value = area;
  return TRUE;
}

gboolean
option_file (const Option *option, const char *text, GError **error)
{
  if (*text == '\0')
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "the file name is missing");
  *(const char **) option->value = g_intern_string (text);
  return TRUE;
}
