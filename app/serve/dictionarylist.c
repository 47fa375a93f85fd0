#include "app/serve/dictionarylist.h"

#include "app/cli/jsonreport.h"
#include "base/error.h"
#include "dictlearn/builtin.h"

#define MOST_DICTIONARIES 16

typedef struct {
  char *name;
  Dictionary *dictionary;
} Entry;

struct DictionaryList {
  GMutex lock;
  GPtrArray *entries; /* Entry */
};

static void
entry_free (Entry *entry)
{
  g_free (entry->name);
  dictionary_free (entry->dictionary);
  g_free (entry);
}

static void
append (DictionaryList *self, const char *name, Dictionary *dictionary)
{
  Entry *entry = g_new (Entry, 1);

  *entry = (Entry){ g_strdup (name), dictionary };
  g_ptr_array_add (self->entries, entry);
}

DictionaryList *
dictionary_list_new (GError **error)
{
  g_autoptr (Dictionary) convolutional = dictionary_convolutional (error);
  g_autoptr (Dictionary) learned =
    convolutional != NULL ? dictionary_learned (error) : NULL;
  DictionaryList *self;

  if (learned == NULL)
    return NULL;
  self = g_new0 (DictionaryList, 1);
  g_mutex_init (&self->lock);
  self->entries = g_ptr_array_new_with_free_func ((GDestroyNotify) entry_free);
  append (self, "Built in", g_steal_pointer (&convolutional));
  append (self, "Learned from bundled photographs",
          g_steal_pointer (&learned));
  return self;
}

void
dictionary_list_free (DictionaryList *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->entries);
  g_mutex_clear (&self->lock);
  g_free (self);
}

int
dictionary_list_add (DictionaryList *self, const char *name,
                     Dictionary *dictionary, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  if (self->entries->len < MOST_DICTIONARIES) {
    append (self, name, dictionary);
    return (int) self->entries->len - 1;
  }
  dictionary_free (dictionary);
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
               "there are %d dictionaries already; restart the server to "
               "make room",
               MOST_DICTIONARIES);
  return -1;
}

const Dictionary *
dictionary_list_get (DictionaryList *self, int number, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  if (number >= 0 && number < (int) self->entries->len)
    return ((Entry *) self->entries->pdata[number])->dictionary;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
               "there is no dictionary number %d", number);
  return NULL;
}

gboolean
dictionary_list_is_builtin (int number)
{
  return number == 0;
}

JsonObject *
dictionary_list_describe (DictionaryList *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  JsonArray *array = json_array_new ();
  JsonObject *json = json_object_new ();

  for (guint i = 0; i < self->entries->len; i++) {
    const Entry *entry = self->entries->pdata[i];
    g_autofree char *about = dictionary_describe (entry->dictionary);
    JsonObject *row = json_object_new ();

    json_report_set_count (row, "number", i);
    json_report_set_text (row, "name", entry->name);
    json_report_set_text (row, "about", about);
    json_array_add_object_element (array, row);
  }
  json_object_set_array_member (json, "dictionaries", array);
  return json;
}
