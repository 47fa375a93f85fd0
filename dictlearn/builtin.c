#include "dictlearn/builtin.h"

#include "dictlearn/initial.h"

#define BUILTIN_PATCH 10

/* The files as they are, each put between two symbols by the assembler. */
__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        "tessera_learned_start:\n"
        ".incbin \"data/dictionaries/learned.safetensors\"\n"
        "tessera_learned_end:\n"
        ".byte 0\n"
        ".balign 16\n"
        "tessera_convolutional_start:\n"
        ".incbin \"data/dictionaries/convolutional.safetensors\"\n"
        "tessera_convolutional_end:\n"
        ".byte 0\n"
        ".popsection\n");

extern const guint8 tessera_learned_start[], tessera_learned_end[];
extern const guint8 tessera_convolutional_start[], tessera_convolutional_end[];

Dictionary *
dictionary_builtin (int channels)
{
  return dictionary_dct (BUILTIN_PATCH, channels);
}

static Dictionary *
dictionary_inside (const guint8 *start, const guint8 *end, const char *name)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (start, (gsize) (end - start));

  return dictionary_from_bytes (bytes, name, NULL);
}

Dictionary *
dictionary_learned (void)
{
  return dictionary_inside (tessera_learned_start, tessera_learned_end,
                            "learned");
}

Dictionary *
dictionary_convolutional (void)
{
  return dictionary_inside (tessera_convolutional_start,
                            tessera_convolutional_end, "convolutional");
}
