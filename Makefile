# Tessera - make deps demo | make deps check
#
#   all         build/tessera, and the library in build/lib
#   deps        install what is needed to build and test (Debian, Ubuntu)
#   deps-browser  and Chromium, for the tests that need a browser
#   demo        compare dictionaries on the bundled photographs
#   check       run the tests            check-asan  the same, sanitized
#   check-kernels  the same bytes under every kernel of OpenBLAS
#   siege       500 pictures, killed ten times, and what that costs
#   check-tsan  what uses threads, under ThreadSanitizer
#   check-oom   allocations fail, of every place and every large one
#   fuzz        SECONDS=60 of libFuzzer for each of tests/fuzz (needs clang)
#   layers      check who includes whom  headers     each compiles alone
#   data        several hundred landscape pictures, for experiments
#   comparison  the report that docs/comparing.md speaks of
#   quality     measure how well pictures are restored, and compare with the
#               committed figures; SCENARIOS="dust text" QUALITY=fast for a part
#   quality-accept  take over what was measured as the figures to commit
#   bench       measure speed            format      lay the sources out
#   dictionary  learn the built-in dictionaries again
#   gimp        a plug-in for GIMP 2.10 (needs libgimp2.0-dev)
#   install, uninstall (PREFIX, DESTDIR), clean
#   install-gimp, uninstall-gimp  the plug-in, where GIMP looks for it
#   deb         Debian packages, in build/deb (needs debhelper, dh-python)
#
# Options: NATIVE=1 for this machine's instructions (the binary is then for
# machines like it), WERROR=1 to stop at warnings, V=1 to see all commands,
# CC=clang, BUILD=folder, MPI=1 for a program that mpirun starts on several
# machines (needs libopenmpi-dev), TIFF=0 and WEBP=0 to leave these formats out.
# All cores are used; -j1 for one.

ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc) --no-print-directory
endif

# Several goals are made one after the other, and each sees what the ones before
# it have made or installed.
ifneq ($(word 2,$(MAKECMDGOALS)),)
.NOTPARALLEL:
.PHONY: $(MAKECMDGOALS)
$(MAKECMDGOALS):
	@+$(MAKE) $@
else

VERSION := $(shell awk '/define TESSERA_VERSION_/ { v = v s $$3; s = "." } \
                        END { print v }' include/tessera.h)
BUILD   ?= build
PROGRAM ?= $(BUILD)/tessera
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
CFLAGS  ?= -O3 -g
OBJCOPY ?= objcopy
# Formats that may be left out; by default they are where their packages are.
has   = $(shell pkg-config --exists '$(1)' && echo 1 || echo 0)
TIFF ?= $(call has,libtiff-4 >= 4.5)
WEBP ?= $(call has,libwebp libwebpmux libwebpdemux)
FORMATS  := $(if $(filter 1,$(TIFF)),TIFF) $(if $(filter 1,$(WEBP)),WEBP)
LIB_PKGS := glib-2.0 gio-2.0 json-glib-1.0 libpng zlib libjpeg openblas lapacke \
            $(if $(filter TIFF,$(FORMATS)),libtiff-4) \
            $(if $(filter WEBP,$(FORMATS)),libwebp libwebpmux libwebpdemux)
PKGS     := $(LIB_PKGS) libmicrohttpd gnutls

# Asked when first used, which is never by "make deps", and only once.
once = $(eval $(1) := $(shell pkg-config $(2)))$($(1))
PKG_CFLAGS   = $(call once,PKG_CFLAGS,--cflags $(PKGS))
PKG_LIBS     = $(call once,PKG_LIBS,--libs $(PKGS))
LIB_PKG_LIBS = $(call once,LIB_PKG_LIBS,--libs $(LIB_PKGS))
WARN  := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion \
         -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
# Without -ffp-contract=off products and sums may be fused, and round otherwise
# on processors that can.
ALL_CFLAGS = -std=c11 -ffp-contract=off -fPIC -fvisibility=hidden -D_GNU_SOURCE \
             -DTESSERA_VERSION='"$(VERSION)"' $(FORMATS:%=-DHAVE_%) -I. \
             $(WARN) $(if $(WERROR),-Werror) $(if $(NATIVE),-march=native) \
             $(patsubst -I%,-isystem%,$(PKG_CFLAGS)) $(MORE_CFLAGS) \
             $(CPPFLAGS) $(CFLAGS)
LIBS = $(LDFLAGS) $(PKG_LIBS) -lm

# Folders are layers, and each may have rooms: files of any depth count.
LAYERS    := app imaging dictlearn omp base include
LEFT_OUT  := $(if $(filter TIFF,$(FORMATS)),,imaging/codec/tiff%) \
             $(if $(filter WEBP,$(FORMATS)),,imaging/codec/webp%)
LIB_SRC   := $(filter-out $(LEFT_OUT),\
  $(sort $(shell find $(filter-out app,$(LAYERS)) -name '*.c')))
# app/gimp is a program of its own; see app/gimp/build.mk.
APP_SRC   := $(filter-out app/gimp/%,$(sort $(shell find app -name '*.c')))
HEADERS   := $(filter-out app/gimp/% $(LEFT_OUT),\
  $(sort $(shell find $(LAYERS) -name '*.h')))
Q          = $(if $(V),,@)
objects    = $(patsubst %.c,$(BUILD)/%.o,$(1))

# Files inside the library and the program: what these .gresource.xml list.
LIB_RESOURCES := data/dictionaries/dictionaries data/finders/finders data/detector/detector
APP_RESOURCES := app/compare/report/report app/serve/page/page
resources      = $(patsubst %,$(BUILD)/%.resource.o,$(1))
LIB_OBJECTS    = $(call objects,$(LIB_SRC)) $(call resources,$(LIB_RESOURCES))
APP_OBJECTS    = $(call objects,$(filter-out app/main.c,$(APP_SRC))) \
                 $(call resources,$(APP_RESOURCES))

# The library as it is installed: shared, and static.  Raise SOVERSION when
# programs that were built with the one before would no longer work.
SOVERSION  := 0
SONAME     := libtessera.so.$(SOVERSION)
SHARED_LIB := $(BUILD)/lib/libtessera.so.$(VERSION)
STATIC_LIB := $(BUILD)/lib/libtessera.a

all: $(PROGRAM) $(SHARED_LIB) $(STATIC_LIB)

# Only what include/tessera.h declares has a name outside.  The linker is told
# too, since gcc forgets it for functions with several versions
# (base/cpudispatch.h).
$(SHARED_LIB): $(LIB_OBJECTS)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)echo '{ global: tessera_*; local: *; };' >$(@D)/names
	$(Q)$(CC) $(ALL_CFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--as-needed \
	  -Wl,--version-script,$(@D)/names -o $@ $^ $(LDFLAGS) $(LIB_PKG_LIBS) -lm

$(STATIC_LIB): $(LIB_OBJECTS)
	@mkdir -p $(@D)
	@rm -f $@
	@echo "  ar   $@"
	$(Q)$(LD) -r -o $(@D)/tessera.o $^
	$(Q)$(OBJCOPY) --localize-hidden --wildcard \
	  --keep-global-symbol='tessera_*' $(@D)/tessera.o
	$(Q)$(AR) rcs $@ $(@D)/tessera.o

ARCHIVES := $(BUILD)/libapp.a $(BUILD)/libtessera.a
$(PROGRAM): $(BUILD)/app/main.o $(if $(MPI),$(BUILD)/mpi/launch.o) $(ARCHIVES) \
  $(PROGRAM).mpi
	@echo "  link $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS) \
	  $(if $(MPI),$(shell pkg-config --libs ompi-c))

# One object differs with MPI=1; the program is linked again when that changes.
$(BUILD)/mpi/launch.o: app/system/launch.c Makefile
	@mkdir -p $(@D)
	@echo "  cc   $< (MPI)"
	$(Q)$(CC) $(ALL_CFLAGS) -DTESSERA_MPI -MMD -MP -c -o $@ $< \
	  $(patsubst -I%,-isystem%,$(shell pkg-config --cflags ompi-c))
$(PROGRAM).mpi: FORCE
	@mkdir -p $(@D)
	@echo '$(MPI)' | cmp -s - $@ || echo '$(MPI)' >$@
FORCE:

# The library with all its names, for the program and the tests; and the
# program without its main(), for the tests.
$(BUILD)/libapp.a: $(APP_OBJECTS)
$(BUILD)/libtessera.a: $(LIB_OBJECTS)
$(ARCHIVES):
	@rm -f $@
	@echo "  ar   $@"
	$(Q)$(AR) rcs $@ $^

# The program above the library waits for it, and for people.
$(BUILD)/app/%.o: CFLAGS := $(CFLAGS:-O3=-O1)

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  cc   $<"
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The assembler copies the files: as C, they take longer than anything else.
data = $(notdir $*)_resource_data
$(BUILD)/%.gresource: %.gresource.xml Makefile
	@mkdir -p $(@D)
	@echo "  res  $<"
	$(Q)glib-compile-resources --sourcedir $(<D) --target $@ $<
$(BUILD)/%.resource.c: %.gresource.xml $(BUILD)/%.gresource
	$(Q)glib-compile-resources --generate-source --internal --external-data \
	  --c-name $(notdir $*) --sourcedir $(<D) --target $@ $<
	$(Q)echo '__asm__ (".section .rodata; .balign 8; .hidden $(data);"' \
	  '".globl $(data); $(data): .incbin \"$(BUILD)/$*.gresource\"; .previous");' >>$@
$(BUILD)/data/dictionaries/dictionaries.gresource: $(wildcard data/dictionaries/*)
$(BUILD)/data/finders/finders.gresource: data/finders/dust.safetensors
$(BUILD)/data/detector/detector.gresource: data/detector/damage.safetensors
$(BUILD)/app/compare/report/report.gresource: $(wildcard app/compare/report/*)
$(BUILD)/app/serve/page/page.gresource: $(wildcard app/serve/page/*)

# What depends on the formats is made again when they change.
$(shell mkdir -p $(BUILD); echo '$(FORMATS)' | cmp -s - $(BUILD)/formats \
  || echo '$(FORMATS)' >$(BUILD)/formats)
$(call objects,imaging/codec/codec.c imaging/codec/foreign.c app/version.c): \
  $(BUILD)/formats

$(BUILD)/%.resource.o: $(BUILD)/%.resource.c
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

include tests/tests.mk data/data.mk app/install.mk app/gimp/build.mk

format:
	clang-format -i $(LIB_SRC) $(APP_SRC) $(HEADERS) tests/*.[ch] \
	  $(BENCH_SRC)

# Needs root or sudo, says what it will do, does nothing when all is there.
APT := gcc g++ libc6-dev make pkg-config perl libpng-dev libjpeg62-turbo-dev \
       libopenblas-dev liblapacke-dev libglib2.0-dev libglib2.0-dev-bin \
       libjson-glib-dev libmicrohttpd-dev libgnutls28-dev \
       libtiff-dev libwebp-dev zlib1g-dev
deps:
	@missing=; for p in $(APT); do \
	  dpkg-query -W -f '$${Status}' $$p 2>/dev/null \
	    | grep -q 'ok installed' || missing="$$missing $$p"; done; \
	if [ -z "$$missing" ]; then echo "deps: everything is installed"; \
	else echo "deps: installing$$missing"; \
	  sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	  $$sudo apt-get update -q && \
	  DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -q -y \
	    --no-install-recommends $$missing; fi

demo: all
	@TESSERA=$(BUILD)/tessera sh docs/demo.sh $(BUILD)/demo

clean:
	rm -rf $(BUILD)

-include $(BUILD)/mpi/launch.d
-include $(patsubst %.o,%.d,$(call objects,\
  $(LIB_SRC) $(APP_SRC) $(TEST_SRC) $(BENCH_SRC) \
  $(FUZZ_SRC) tests/support.c tests/mutate.c tests/bench/support.c \
  data/halve.c $(FINDERS_SRC)))

.PHONY: FORCE all check check-asan check-kernels check-tsan siege check-oom \
  fuzz fuzzers layers headers bench format deps deps-browser detector finders \
  comparison data deb demo dictionary quality quality-accept install uninstall clean
.SECONDARY:

endif
