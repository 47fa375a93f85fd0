#include "dictlearn/builtin.h"

#include "dictlearn/initial.h"

#define BUILTIN_PATCH 10

/* The file as it is, put between two symbols by the assembler. */
__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        "tessera_learned_start:\n"
        ".incbin \"data/dictionaries/learned.safetensors\"\n"
        "tessera_learned_end:\n"
        ".byte 0\n"
        ".popsection\n");

extern const guint8 tessera_learned_start[], tessera_learned_end[];

Dictionary *
dictionary_builtin (int channels)
{
  return dictionary_dct (BUILTIN_PATCH, channels);
}

Dictionary *
dictionary_learned (void)
{
  g_autoptr (GBytes) bytes =
    g_bytes_new_static (tessera_learned_start,
                        (gsize) (tessera_learned_end - tessera_learned_start));

  return dictionary_from_bytes (bytes, "learned", NULL);
}
