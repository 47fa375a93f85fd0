# tests/tests.mk - tests, sanitizers, fuzzers, benchmarks; see the Makefile

TEST_SRC  := $(wildcard tests/test_*.c)
BENCH_SRC := $(filter-out %/support.c,$(wildcard tests/bench/*.c))
TESTS     := $(patsubst %.c,$(BUILD)/%,$(TEST_SRC))
CLI_TESTS := $(wildcard tests/cli_*.sh tests/web_*.sh)
BENCHES   := $(patsubst %.c,$(BUILD)/%,$(BENCH_SRC))
SGEMM     := $(BUILD)/tests/bench/sgemm

$(TESTS) $(BENCHES): %: %.o $(BUILD)/tests/support.o \
  $(BUILD)/tests/mutate.o $(ARCHIVES)
	@echo "  link $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LIBS)

$(BENCHES): $(BUILD)/tests/bench/support.o

# A host of the library, for check-oom.
$(BUILD)/tests/libraryhost: $(BUILD)/tests/libraryhost.o $(STATIC_LIB)
	@echo "  link $@"
	$(Q)$(CC) $(ALL_CFLAGS) -rdynamic -o $@ $^ $(LIBS)

check: all layers headers $(TESTS) $(SGEMM)
	$(Q)TESSERA=$(abspath $(BUILD))/tessera prove -j$$(nproc) --timer $(TESTS) $(CLI_TESTS) :: --tap

check-kernels: all $(TESTS)
	$(Q)TESSERA=$(abspath $(BUILD))/tessera prove -v tests/kernels.sh

# Inner loops see nothing but pointers that their callers have checked, and
# would be fifty times slower: they are tested without instruments.
INNER_LOOPS := base/orderedgemm.c omp/kernels.c \
  imaging/inpaint/groupshrink.c imaging/inpaint/normalequations.c
$(call objects,$(INNER_LOOPS)): override CFLAGS := \
  $(if $(findstring -fsanitize,$(CFLAGS)),-O3 -g,$(CFLAGS))

# Without a browser, which is slow and adds no C code, and without what is about
# results alone.
check-asan:
	$(MAKE) check BUILD=$(BUILD)/asan \
	  CLI_TESTS="$(filter-out %/cli_quality.sh,$(wildcard tests/cli_*.sh))" LDFLAGS= CFLAGS="-O1 -g \
	  -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	  -fno-omit-frame-pointer"

# What takes its time, or clang; see the scripts.
FUZZ_SRC := $(wildcard tests/fuzz/*.c)
FUZZERS  := $(patsubst %.c,$(BUILD)/%,$(FUZZ_SRC))
$(FUZZERS): %: %.o $(BUILD)/tests/mutate.o $(ARCHIVES)
	@echo "  link $@"
	$(Q)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)
fuzzers: $(FUZZERS)
SECONDS = 60
fuzz: all
	$(Q)sh tests/fuzz/run.sh $(BUILD) $(SECONDS) $(TARGETS)
siege: all
	$(Q)SIEGE_FILES=500 SIEGE_KILLS=10 SIEGE_FIGURES=1 \
	  TESSERA=$(abspath $(BUILD))/tessera prove -v tests/cli_siege.sh
check-tsan:
	$(Q)sh tests/check_tsan.sh $(BUILD)
check-oom: all $(BUILD)/tests/libraryhost
	$(Q)TESSERA=$(abspath $(BUILD))/tessera CC="$(CC)" prove tests/check_oom.sh

# Folders are layers: a file includes only its own or one further right.
layers:
	@allowed="$(LAYERS)"; for layer in $(LAYERS); do \
	  pattern=$$(echo $$allowed | sed 's/ /|/g'); \
	  if grep -rnE --include='*.[ch]' '^#include "' $$layer \
	    | grep -vE "\"($$pattern)/"; then \
	    echo "layers: $$layer may include only: $$allowed" >&2; exit 1; fi; \
	  allowed=$${allowed#$$layer }; done
	@if grep -rnE '^#include "' app/gimp \
	  | grep -vE '"(app/gimp/.*|include/tessera)\.h"'; then \
	  echo "layers: app/gimp uses only the public interface" >&2; exit 1; fi
	@if grep -rnE '<(cblas|lapacke)\.h>' $(filter-out base,$(LAYERS)); then \
	  echo "layers: only base/ includes BLAS and LAPACK" >&2; exit 1; fi
	@if grep -rnE '\<(mat_(multiply|solve|invert|eigen)|matf_multiply|cholesky_)' \
	  imaging omp; then echo "layers: imaging/ and omp/ multiply by" \
	  "base/orderedgemm.h and base/spdinverse.h" >&2; exit 1; fi
	@if grep -rnE '\<exec[lv]' --include='*.c' $(LAYERS) \
	  | grep -v '^app/system/restart.c:'; then \
	  echo "layers: only app/system/restart.c starts the program again" >&2; \
	  exit 1; fi

# Those of app/gimp only where GIMP's are.
header_alone = echo "\#include \"$$h\"" \
  | $(CC) $(ALL_CFLAGS) $(1) -fsyntax-only -x c - || exit 1
headers:
	@for h in $(HEADERS); do $(call header_alone); done
	@if pkg-config --exists gimpui-2.0; then for h in $(GIMP_HEADERS); do \
	  $(call header_alone,$(patsubst -I%,-isystem%,$(shell \
	    pkg-config --cflags --silence-errors gimpui-2.0))); done; fi

bench: all $(BENCHES)
	@for b in $(BENCHES); do echo "== $$b"; $$b || exit 1; done

# How well pictures are restored, beside the figures that are committed; see
# tests/quality/quality.py.  Without QUALITY, fast and normal.
quality quality-accept: all $(SGEMM)
	$(Q)python3 tests/quality/quality.py \
	  $(if $(filter %-accept,$@),accept,measure) --program $(PROGRAM) \
	  --sgemm $(SGEMM) --folder $(BUILD)/quality --quality "$(QUALITY)" \
	  --scenarios "$(SCENARIOS)" --pictures "$(PICTURES)" $(if $(JOBS),--jobs $(JOBS))

# For tests/web_*.sh, which are skipped without it.
deps-browser:
	$(Q)sh tests/browser/install.sh build/browser
