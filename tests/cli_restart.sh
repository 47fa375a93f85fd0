#!/bin/sh
# cli_restart.sh - what the program tells itself when it starts anew is not
# told to the programs that it starts
. tests/lib.sh

# What the tests as a whole may be run with would look like what leaks.
for name in $(env | sed -n '/OPENBLAS/s/^\([A-Za-z_][A-Za-z_0-9]*\)=.*/\1/p'); do
  unset "$name"
done

# A sanitizer wants to come before all other libraries.
(ulimit -v 4000000 && "$TESSERA" --version >/dev/null 2>&1) \
  || skip_all "the program cannot be limited"

# A browser that only writes down what it was told.
mkdir bin
cat >bin/xdg-open <<END
#!/bin/sh
env >$FOLDER/seen.new
mv $FOLDER/seen.new $FOLDER/seen
END
chmod +x bin/xdg-open

# environment_of COMMAND... - runs a server; leaves in seen what its browser
# was told
environment_of () {
  rm -f seen
  DISPLAY=:0 PATH=$FOLDER/bin:$PATH TMPDIR=$FOLDER "$@" >out 2>err &
  server=$!
  for _ in $(seq 100); do
    [ -s seen ] && break
    sleep 0.1
  done
  kill "$server"
  wait "$server" 2>/dev/null
}

# To be run in the background, where it has a shell of its own.
limited () {
  ulimit -v 4000000 && exec "$TESSERA" serve
}

environment_of limited
ok "limited memory is no business of a browser" not grep -q 'OPENBLAS\|KEPT' seen
OPENBLAS_NUM_THREADS=3
export OPENBLAS_NUM_THREADS
environment_of limited
ok "... and it gets what the user said" grep -qx OPENBLAS_NUM_THREADS=3 seen
unset OPENBLAS_NUM_THREADS

# An OpenBLAS that does not know this processor, unless it is told.
cat >old.c <<'END'
#include <stdlib.h>
static const char *kernels = "Prescott";
__attribute__ ((constructor)) static void
load (void)
{
  if (getenv ("OPENBLAS_CORETYPE") != NULL)
    kernels = getenv ("OPENBLAS_CORETYPE");
}
const char *openblas_get_corename (void);
const char *openblas_get_corename (void)
{
  return kernels;
}
END
if ! grep -q ' avx2 ' /proc/cpuinfo; then
  skip "kernels" "this processor has no better ones"
elif ! ${CC:-cc} -shared -fPIC -o old.so old.c 2>/dev/null; then
  skip "kernels" "there is no compiler"
else
  LD_PRELOAD=$FOLDER/old.so "$TESSERA" --version >out
  ok "better kernels are chosen" grep -q 'Haswell\|SkylakeX' out
  environment_of env LD_PRELOAD="$FOLDER/old.so" "$TESSERA" serve
  ok "... and are no business of a browser" not grep -q 'OPENBLAS\|KEPT' seen
  OPENBLAS_CORETYPE=Nehalem
  export OPENBLAS_CORETYPE
  environment_of env LD_PRELOAD="$FOLDER/old.so" "$TESSERA" serve
  ok "... and it gets what the user said" grep -qx OPENBLAS_CORETYPE=Nehalem \
    seen
fi

finish
