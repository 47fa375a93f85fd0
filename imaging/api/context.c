/* context.c - contexts, progress, and functions about the library as a
 * whole */
#include "imaging/api/api.h"

#include <gio/gio.h>

struct TesseraContext {
  gatomicrefcount references;
  ThreadPool *pool;
};

const char *
tessera_version (void)
{
  return TESSERA_VERSION;
}

const char *
tessera_blas_name (void)
{
  return parallel_blas_name ();
}

void
tessera_free (void *memory)
{
  g_free (memory);
}

TesseraContext *
tessera_context_new (int threads)
{
  TesseraContext *context = g_new0 (TesseraContext, 1);

  g_atomic_ref_count_init (&context->references);
  context->pool = thread_pool_new (threads);
  return context;
}

TesseraContext *
context_ref (TesseraContext *context)
{
  if (context != NULL)
    g_atomic_ref_count_inc (&context->references);
  return context;
}

void
tessera_context_free (TesseraContext *context)
{
  if (context == NULL || !g_atomic_ref_count_dec (&context->references))
    return;
  thread_pool_free (context->pool);
  g_free (context);
}

int
tessera_context_threads (const TesseraContext *context)
{
  return context != NULL ? thread_pool_size (context->pool) : 1;
}

/* ---- calls ---- */

static void
report (double done, gpointer data)
{
  Call *call = data;

  call->done = CLAMP (done, call->done, 1);
  if (!call->func (call->done, call->data))
    g_cancellable_cancel (call->cancellable);
}

const Progress *
call_begin (Call *call, TesseraContext *context, TesseraProgressFunc func,
            void *data)
{
  *call = (Call){ .func = func, .data = data };
  parallel_enter (&call->scope, context != NULL ? context->pool : NULL);
  if (func == NULL)
    return NULL;
  call->cancellable = g_cancellable_new ();
  call->progress = (Progress){ report, call, call->cancellable };
  return &call->progress;
}

void
call_complete (Call *call)
{
  if (call->func != NULL && call->done < 1)
    call->func (1, call->data);
}

void
call_end (Call *call)
{
  parallel_leave (&call->scope);
  g_clear_object (&call->cancellable);
}
