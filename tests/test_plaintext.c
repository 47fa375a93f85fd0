/* test_plaintext.c - text for terminals and JSON, whatever it holds */
#include "app/cli/jsonreport.h"
#include "app/cli/plaintext.h"

#include <string.h>

#define STRINGS 3000

/* What a terminal obeys, or what reorders a line. */
static const char *const controls[] = {
  "\001",         "\t",           "\n",           "\r",
  "\033[2J",      "\037",         "\177",         "\302\200",
  "\302\233",     "\302\237",     "\330\234",     "\342\200\216",
  "\342\200\217", "\342\200\250", "\342\200\251", "\342\200\252",
  "\342\200\256", "\342\201\246", "\342\201\251",
};

/* Neither that, nor valid UTF-8. */
static const char *const broken[] = {
  "\200", "\233", "\377", "\303", "\342\200", "\355\240\200", "\300\200",
  "\360\237\230",
};

static const char *const harmless[] = {
  "a", " ", "\\", "\"", "/", "\\x41", "\\u202e", "\303\274",
  "\342\202\254", "\360\237\230\200", "\342\200\215", "\302\240",
};

static const char *
pick (GRand *random, const char *const *words, gsize count)
{
  return words[g_rand_int_range (random, 0, (gint32) count)];
}

static char *
random_text (GRand *random)
{
  GString *text = g_string_new (NULL);
  int length = g_rand_int_range (random, 0, 12);

  for (int i = 0; i < length; i++)
    switch (g_rand_int_range (random, 0, 3)) {
    case 0:
      g_string_append (text,
                       pick (random, controls, G_N_ELEMENTS (controls)));
      break;
    case 1:
      g_string_append (text, pick (random, broken, G_N_ELEMENTS (broken)));
      break;
    default:
      g_string_append (text,
                       pick (random, harmless, G_N_ELEMENTS (harmless)));
    }
  return g_string_free (text, FALSE);
}

/* By the ranges of Unicode, byte by byte, apart from the code under test. */
static void
assert_harmless (const char *text)
{
  g_assert_true (g_utf8_validate (text, -1, NULL));
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at)) {
    gunichar letter = g_utf8_get_char (at);

    g_assert_false (letter < 0x20 || (letter >= 0x7f && letter < 0xa0));
    g_assert_false (letter == 0x61c || letter == 0x200e || letter == 0x200f);
    g_assert_false (letter >= 0x2028 && letter <= 0x202e);
    g_assert_false (letter >= 0x2066 && letter <= 0x2069);
  }
}

static void
test_terminal (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  g_test_summary ("Any text becomes valid UTF-8 that controls no terminal");
  for (int i = 0; i < STRINGS; i++) {
    g_autofree char *text = random_text (random);
    g_autofree char *plain = plain_text (text);

    assert_harmless (plain);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (harmless); i++) {
    g_autofree char *plain = plain_text (harmless[i]);

    g_assert_cmpstr (plain, ==, harmless[i]);
  }
}

/* @text with \xHH for what is not UTF-8, the slow way. */
static char *
escape_bytes (const char *text)
{
  GString *valid = g_string_new (NULL);
  const char *end;

  while (!g_utf8_validate (text, -1, &end)) {
    g_string_append_len (valid, text, end - text);
    g_string_append_printf (valid, "\\x%02x", (guint) (guchar) *end);
    text = end + 1;
  }
  g_string_append (valid, text);
  return g_string_free (valid, FALSE);
}

static void
test_json (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (2);

  g_test_summary ("JSON is valid and harmless, and has the text that was put "
                  "into it");
  for (int i = 0; i < STRINGS; i++) {
    g_autofree char *text = random_text (random);
    g_autofree char *valid = escape_bytes (text);
    g_autoptr (JsonObject) object = json_object_new ();
    g_autoptr (JsonParser) parser = json_parser_new ();
    g_autoptr (GError) error = NULL;
    g_autofree char *json = NULL;

    json_report_set_text (object, "name", text);
    json = json_report_to_line (object);
    g_assert_true (g_str_has_suffix (json, "}\n"));
    json_parser_load_from_data (parser, json, -1, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (
      json_object_get_string_member (
        json_node_get_object (json_parser_get_root (parser)), "name"),
      ==, valid);
    json[strlen (json) - 1] = '\0';
    assert_harmless (json);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plaintext/terminal", test_terminal);
  g_test_add_func ("/plaintext/json", test_json);
  return g_test_run ();
}
