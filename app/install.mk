# install.mk - install, uninstall, Debian packages; see the Makefile

ZSH_FUNCTIONS ?= $(PREFIX)/share/zsh/site-functions

# Completion is made from the options that the program has.
SHELLS      := bash zsh fish
COMPLETIONS := $(SHELLS:%=$(BUILD)/completion/%)
$(COMPLETIONS): $(BUILD)/tessera
	@mkdir -p $(@D)
	$(Q)$(BUILD)/tessera completion $(@F) >$@.part && mv $@.part $@

# Where things are installed.
IN_BIN  = $(DESTDIR)$(PREFIX)/bin
IN_LIB  = $(DESTDIR)$(LIBDIR)
IN_INC  = $(DESTDIR)$(PREFIX)/include
IN_MAN  = $(DESTDIR)$(PREFIX)/share/man
IN_DATA = $(DESTDIR)$(PREFIX)/share/tessera
IN_APPS = $(DESTDIR)$(PREFIX)/share/applications
IN_ICON = $(DESTDIR)$(PREFIX)/share/icons/hicolor/scalable/apps
IN_BASH = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
IN_ZSH  = $(DESTDIR)$(ZSH_FUNCTIONS)
IN_FISH = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

install: all $(COMPLETIONS)
	install -d $(IN_BASH) $(IN_ZSH) $(IN_FISH)
	install -m 644 $(BUILD)/completion/bash $(IN_BASH)/tessera
	install -m 644 $(BUILD)/completion/zsh $(IN_ZSH)/_tessera
	install -m 644 $(BUILD)/completion/fish $(IN_FISH)/tessera.fish
	install -d $(IN_BIN) $(IN_LIB)/pkgconfig $(IN_INC) $(IN_MAN)/man1 \
	  $(IN_MAN)/man3 $(IN_DATA)/photos
	install -m 755 $(BUILD)/tessera $(IN_BIN)
	install -m 755 $(SHARED_LIB) $(IN_LIB)
	ln -sf libtessera.so.$(VERSION) $(IN_LIB)/$(SONAME)
	ln -sf $(SONAME) $(IN_LIB)/libtessera.so
	install -m 644 $(STATIC_LIB) $(IN_LIB)
	install -m 644 include/tessera.h $(IN_INC)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	  -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(LIB_PKG_LIBS)|' \
	  include/tessera.pc.in >$(IN_LIB)/pkgconfig/tessera.pc
	install -m 644 docs/man/*.1 $(IN_MAN)/man1
	install -m 644 docs/man/*.3 $(IN_MAN)/man3
	install -m 644 data/photos/* $(IN_DATA)/photos
	install -d $(IN_APPS) $(IN_ICON)
	install -m 644 data/desktop/tessera.desktop $(IN_APPS)
	install -m 644 app/serve/page/icon.svg $(IN_ICON)/tessera.svg

uninstall:
	rm -f $(IN_BASH)/tessera $(IN_ZSH)/_tessera $(IN_FISH)/tessera.fish
	rm -f $(IN_BIN)/tessera $(IN_LIB)/libtessera.a $(IN_LIB)/libtessera.so \
	  $(IN_LIB)/$(SONAME) $(IN_LIB)/libtessera.so.$(VERSION) \
	  $(IN_LIB)/pkgconfig/tessera.pc $(IN_INC)/tessera.h
	cd docs/man && for page in *.1; do rm -f $(IN_MAN)/man1/$$page; done
	cd docs/man && for page in *.3; do rm -f $(IN_MAN)/man3/$$page; done
	cd data/photos && for photo in *; do rm -f $(IN_DATA)/photos/$$photo; done
	rm -f $(IN_APPS)/tessera.desktop $(IN_ICON)/tessera.svg
	rmdir $(IN_DATA)/photos $(IN_DATA) 2>/dev/null || true

# The packages are built from a copy, without what git does not know; that of
# the plug-in only where GIMP's development files are.
DEB := $(BUILD)/deb/tessera-$(VERSION)
deb:
	rm -rf $(BUILD)/deb
	mkdir -p $(DEB)
	umask 022; { git ls-files -z 2>/dev/null || find . -path ./build -prune -o \
	  -type f -print0; } | tar --null -T - -cf - | tar -xf - -C $(DEB)
	cd $(DEB) && dpkg-buildpackage -us -uc \
	  $(if $(filter 0,$(call has,gimpui-2.0)),-Ppkg.tessera.nogimp)
	@ls $(BUILD)/deb/*.deb
