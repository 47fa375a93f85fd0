/* suggest.h - "did you mean" for a word that is not among the known ones */
#pragma once

#include <glib.h>

/* "did you mean 'inpaint'?" with the one of @known, NULL at its end, that
 * @word is nearest to; NULL when none is near.  The caller owns it. */
char *suggest (const char *word, const char *const *known);
