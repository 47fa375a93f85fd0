# build.mk - the plug-in for GIMP 2.10; see the Makefile
#
# Of no interest to anything else here: it uses include/tessera.h and the shared
# library as a stranger would.  GIMP_PLUGINS is where GIMP looks for plug-ins.

GIMP_SRC     := $(sort $(wildcard app/gimp/*.c))
GIMP_HEADERS := $(sort $(wildcard app/gimp/*.h))
GIMP_PLUGIN  := $(BUILD)/gimp/tessera
GIMP_CFLAGS   = $(call once,GIMP_CFLAGS,--cflags gimpui-2.0)
GIMP_LIBS     = $(call once,GIMP_LIBS,--libs gimpui-2.0)
GIMP_PLUGINS ?= $(shell pkg-config --variable=gimplibdir gimp-2.0)/plug-ins
IN_GIMP       = $(DESTDIR)$(GIMP_PLUGINS)/tessera

$(BUILD)/app/gimp/%.o: MORE_CFLAGS = $(patsubst -I%,-isystem%,$(GIMP_CFLAGS))
$(call objects,$(GIMP_SRC)): | gimp-is-there

$(GIMP_PLUGIN): $(call objects,$(GIMP_SRC)) $(SHARED_LIB)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(ALL_CFLAGS) -Wl,--as-needed -o $@ $^ $(LDFLAGS) $(GIMP_LIBS)

gimp-is-there:
	@pkg-config --exists gimpui-2.0 || { echo "The plug-in for GIMP needs" \
	  "GIMP 2.10's development files: libgimp2.0-dev" >&2; exit 1; }

gimp: $(GIMP_PLUGIN)

install-gimp: gimp
	install -d $(IN_GIMP)
	install -m 755 $(GIMP_PLUGIN) $(IN_GIMP)

uninstall-gimp:
	rm -f $(IN_GIMP)/tessera
	rmdir $(IN_GIMP) 2>/dev/null || true

-include $(patsubst %.o,%.d,$(call objects,$(GIMP_SRC)))

.PHONY: gimp gimp-is-there install-gimp uninstall-gimp
