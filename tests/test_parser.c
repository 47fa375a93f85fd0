/* test_parser.c - words of a command line to values, or one line of
 * complaint */
#include "app/cli/optionlist.h"
#include "app/cli/parser.h"
#include "base/error.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

static const char *const colours[] = { "red", "green", "blue", NULL };

/* What the words set. */
typedef struct {
  gboolean flag;
  int whole, choice, bare;
  gsize size;
  guint64 seed;
  double real;
  const char *file;
  GArray *list;
  char **words;
  char **rest;
} Values;

static void
values_clear (Values *values)
{
  g_clear_pointer (&values->list, g_array_unref);
  g_clear_pointer (&values->words, g_strfreev);
  g_clear_pointer (&values->rest, g_strfreev);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Values, values_clear)

/* Parses the words of @line, which single spaces separate. */
static gboolean
parse (Values *values, const char *line, GError **error)
{
  const Option rows[] = {
    { "flag", 'f', NULL, "", option_flag, .value = &values->flag },
    { "whole", 'w', "N", "", option_int, .value = &values->whole, .min = 1,
      .max = 5000 },
    { "size", 0, "N", "", option_size, .value = &values->size, .min = 0,
      .max = (double) G_MAXSSIZE },
    { "seed", 0, "N", "", option_seed, .value = &values->seed },
    { "real", 'r', "X", "", option_real, .value = &values->real, .min = -1,
      .max = 1 },
    { "colour", 0, "NAME", "", option_choice, .value = &values->choice,
      .choices = colours },
    { "bare", 0, "NAME", "", option_choice, .value = &values->bare,
      .choices = colours, .may_be_bare = TRUE },
    { "output", 'o', "FILE", "", option_file, .value = &values->file,
      .role = OUTPUT_FILE },
    { "list", 0, "N,...", "", option_int_list, .value = &values->list,
      .min = 0, .max = 9 },
    { "words", 0, "NAME,...", "", option_word_list, .value = &values->words,
      .choices = colours },
  };
  g_autoptr (GArray) options = g_array_new (FALSE, FALSE, sizeof (Option));
  g_auto (GStrv) argv = g_strsplit (line, " ", -1);
  Parser parser = { "IN -o OUT", "about", options, NULL };

  g_array_append_vals (options, rows, G_N_ELEMENTS (rows));
  return parser_run (&parser, argv, &values->rest, error);
}

static void
parse_well (Values *values, const char *line)
{
  g_autoptr (GError) error = NULL;

  parse (values, line, &error);
  g_assert_no_error (error);
}

static void
test_ways_to_say_it (void)
{
  const char *const lines[] = { "x -f -w 12 a.png",
                                "x --flag --whole 12 a.png",
                                "x --whole=12 a.png -f", "x a.png -w12 -f",
                                "x -f -w 7 -w 12 a.png" };

  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_auto (Values) values = { 0 };

    g_test_message ("%s", lines[i]);
    parse_well (&values, lines[i]);
    g_assert_true (values.flag);
    g_assert_cmpint (values.whole, ==, 12);
    g_assert_cmpuint (g_strv_length (values.rest), ==, 1);
    g_assert_cmpstr (values.rest[0], ==, "a.png");
  }
}

/* The value is the next word only if it is a choice. */
static void
test_bare (void)
{
  const struct {
    const char *line;
    int choice;
    guint files;
  } cases[] = { { "x --bare a.png", 0, 1 },      { "x a.png --bare", 0, 1 },
                { "x --bare -f a.png", 0, 1 },   { "x --bare blue a.png", 2, 1 },
                { "x --bare=green a.png", 1, 1 }, { "x --bare -- blue", 0, 1 },
                { "x a.png", 7, 1 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Values) values = { .bare = 7 };

    g_test_message ("%s", cases[i].line);
    parse_well (&values, cases[i].line);
    g_assert_cmpint (values.bare, ==, cases[i].choice);
    g_assert_cmpuint (g_strv_length (values.rest), ==, cases[i].files);
  }
}

/* Behind --, and - itself, are no options. */
static void
test_files (void)
{
  g_auto (Values) values = { 0 };
  g_auto (Values) none = { 0 };

  parse_well (&values, "x - -o out.png -- --flag -w");
  g_assert_false (values.flag);
  g_assert_cmpstr (values.file, ==, "out.png");
  g_assert_cmpuint (g_strv_length (values.rest), ==, 3);
  g_assert_cmpstr (values.rest[0], ==, "-");
  g_assert_cmpstr (values.rest[1], ==, "--flag");
  g_assert_cmpstr (values.rest[2], ==, "-w");
  parse_well (&none, "x");
  g_assert_null (none.rest);
}

static void
test_values (void)
{
  g_auto (Values) values = { 0 };

  parse_well (&values,
              "x --size 12k --seed 9223372036854775807 --real -0.5e0 "
              "--colour blue --list 3,1,2 --words green,red --whole 5k");
  g_assert_cmpuint (values.size, ==, 12000);
  g_assert_cmpuint (values.seed, ==, G_MAXINT64);
  g_assert_cmpfloat (values.real, ==, -0.5);
  g_assert_cmpint (values.choice, ==, 2);
  g_assert_cmpint (values.whole, ==, 5000);
  g_assert_cmpuint (values.list->len, ==, 3);
  g_assert_cmpint (g_array_index (values.list, int, 0), ==, 3);
  g_assert_cmpuint (g_strv_length (values.words), ==, 2);
  g_assert_cmpstr (values.words[1], ==, "red");
}

static void
test_mistakes (void)
{
  static const struct {
    const char *line, *word; /* that the message must have */
  } wrong[] = {
    { "x --whole", "whole" },
    { "x --whole 0", "from 1 to 5000" },
    { "x --whole 5001", "from 1 to 5000" },
    { "x --whole -1", "not a whole number" },
    { "x --whole 1.5", "not a whole number" },
    { "x --whole 12x", "not a whole number" },
    { "x --whole=", "not a whole number" },
    { "x --size 99999999999999999999", "too large" },
    { "x --size 18446744073709551615k", "too large" },
    { "x --seed 9223372036854775808", "too large" },
    { "x --real nan", "not a number" },
    { "x --real inf", "not a number" },
    { "x --real 1e999", "not a number" },
    { "x --real 0x", "not a number" },
    { "x --real 1.01", "from -1 to 1" },
    { "x --colour purple", "red" },
    { "x --colour", "colour" },
    { "x --list 1,,2", "''" },
    { "x --list 1,10", "'10'" },
    { "x --words red,red", "twice" },
    { "x --words red,pink", "'pink'" },
    { "x --flag=yes", "takes no value" },
    { "x --flga", "--flag" },
    { "x --unheard-of=3", "--unheard-of" },
    { "x -z", "-z" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_auto (Values) values = { 0 };
    g_autoptr (GError) error = NULL;

    g_test_message ("%s", wrong[i].line);
    g_assert_false (parse (&values, wrong[i].line, &error));
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, wrong[i].word));
    g_assert_null (strchr (error->message, '\n'));
  }
}

/* A list has at most OPTION_LIST_MAX elements. */
static void
test_long_lists (void)
{
  for (int more = 0; more < 2; more++) {
    g_autoptr (GString) line = g_string_new ("x --list 1");
    g_auto (Values) values = { 0 };
    g_autoptr (GError) error = NULL;

    for (int i = 1; i < OPTION_LIST_MAX + more; i++)
      g_string_append (line, ",1");
    g_assert_true (parse (&values, line->str, &error) == !more);
    if (more)
      g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
    else
      g_assert_cmpuint (values.list->len, ==, OPTION_LIST_MAX);
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/parser/ways", test_ways_to_say_it);
  g_test_add_func ("/parser/files", test_files);
  g_test_add_func ("/parser/bare", test_bare);
  g_test_add_func ("/parser/values", test_values);
  g_test_add_func ("/parser/mistakes", test_mistakes);
  g_test_add_func ("/parser/lists", test_long_lists);
  return g_test_run ();
}
