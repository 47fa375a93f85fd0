#include "app/cli/plaintext.h"

/* What is written in the place of a character that is not plain, and before
 * the digits of a byte that is not part of one. */
typedef struct {
  void (*character) (GString *plain, gunichar letter);
  const char *byte;
} Substitutes;

/* The characters that change the direction of writing, and the separators of
 * lines and paragraphs. */
static gboolean
changes_layout (gunichar letter)
{
  return letter == 0x061c || (letter >= 0x200e && letter <= 0x200f)
         || (letter >= 0x2028 && letter <= 0x202e)
         || (letter >= 0x2066 && letter <= 0x2069);
}

static gboolean
is_plain (gunichar letter)
{
  return !g_unichar_iscntrl (letter) && !changes_layout (letter);
}

/* Copies @text.  @kept is a control character that stays, 0 for none. */
static char *
make_plain (const char *text, char kept, const Substitutes *substitutes)
{
  g_autoptr (GString) plain = g_string_new (NULL);

  while (*text != '\0') {
    gunichar letter = g_utf8_get_char_validated (text, -1);

    if (letter == (gunichar) -1 || letter == (gunichar) -2) {
      g_string_append_printf (plain, "%s%02x", substitutes->byte,
                              (guint) (guchar) *text++);
      continue;
    }
    if (is_plain (letter) || letter == (gunichar) kept)
      g_string_append_unichar (plain, letter);
    else
      substitutes->character (plain, letter);
    text = g_utf8_next_char (text);
  }
  return g_string_free (g_steal_pointer (&plain), FALSE);
}

static void
write_mark (GString *plain, gunichar letter)
{
  (void) letter;
  g_string_append_c (plain, '?');
}

static void
write_escape (GString *plain, gunichar letter)
{
  g_string_append_printf (plain, "\\u%04x", letter);
}

char *
plain_text (const char *text)
{
  static const Substitutes substitutes = { write_mark, "\\x" };

  return make_plain (text, '\0', &substitutes);
}

/* Between values there are no control characters but newlines, and in strings
 * the generator has escaped those, backslashes and quotes. */
char *
plain_json (const char *json)
{
  static const Substitutes substitutes = { write_escape, "\\\\x" };

  return make_plain (json, '\n', &substitutes);
}
