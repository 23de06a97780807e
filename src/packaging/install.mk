# Manual pages, installation and packages (part of the Makefile).

# The program generates manual pages and completion from its tables.
COMMANDS = $(shell $(BUILD)/analyzer help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
.PHONY: papers install uninstall
papers: all ## write manual pages and shell completion to build/papers
	@rm -rf $(BUILD)/papers && mkdir -p $(BUILD)/papers
	$(Q)cd $(BUILD)/papers && a=$(abspath $(BUILD)/analyzer) && "$$a" help --man > analyzer.1 && \
	    "$$a" help --man config > analyzer-config.5 && \
	    for c in $(COMMANDS); do "$$a" help --man $$c > analyzer-$$c.1 || exit 1; done && \
	    "$$a" help --completion=bash > analyzer.bash && "$$a" help --completion=zsh > _analyzer && \
	    "$$a" help --completion=fish > analyzer.fish

# Programs and libraries are installed without debug information; `make install-debug` adds it, in files that debuggers find
# by a link and its checksum. NOSTRIP=1 installs all of it in place, for packages that split it off themselves.
STRIP    ?= strip
STRIPPED := $(if $(NOSTRIP),,$(BUILD)/stripped)
AS_BUILT := $(BUILD)/analyzer $(BUILD)/$(SONAME) $(BUILD)/libanalyzer.a
.PHONY: stripped install-debug
stripped: all lib
	@mkdir -p $(BUILD)/stripped
	@for f in $(if $(NOSTRIP),,$(AS_BUILT)); do to=$(BUILD)/stripped/$${f##*/}; [ $$to -nt $$f ] && continue; \
	    case $$f in \
	    *.a) $(STRIP) --strip-debug -o $$to $$f;; \
	    *) $(OBJCOPY) --only-keep-debug $$f $$to.debug && $(STRIP) --strip-unneeded -o $$to $$f && \
	       (cd $(BUILD)/stripped && $(OBJCOPY) --add-gnu-debuglink=$${f##*/}.debug $${f##*/});; \
	    esac || exit 1; done
install-debug: stripped ## install the debug information of the program and the library
	@install -D -m 644 $(BUILD)/stripped/analyzer.debug "$(DESTDIR)$(PREFIX)/bin/.debug/analyzer.debug"
	@install -D -m 644 $(BUILD)/stripped/$(SONAME).debug "$(DESTDIR)$(LIBDIR)/.debug/$(SONAME).debug"

# Installed files, one per line: mode, file, place below PREFIX. Uninstalling uses the same lines. Examples that read generated
# inputs (EXAMPLE_DATA) work in the source tree only.
SHARE     = share/analyzer
DOCDIR   ?= share/doc/analyzer
INSTALLED = { echo '755 $(or $(STRIPPED),$(BUILD))/analyzer bin/analyzer'; \
	    for f in configs/* schemas/*; do echo "644 $$f $(SHARE)/$$f"; done; \
	    for f in $(BUILD)/papers/*.1; do echo "644 $$f share/man/man1/$${f\#\#*/}"; done; \
	    for f in $(BUILD)/papers/*.5; do echo "644 $$f share/man/man5/$${f\#\#*/}"; done; \
	    echo '644 $(BUILD)/papers/analyzer.bash share/bash-completion/completions/analyzer'; \
	    echo '644 $(BUILD)/papers/_analyzer share/zsh/vendor-completions/_analyzer'; \
	    echo '644 $(BUILD)/papers/analyzer.fish share/fish/vendor_completions.d/analyzer.fish'; \
	    for f in LICENSE src/docs/*.md src/docs/*.svg; do echo "644 $$f $(DOCDIR)/$${f\#\#*/}"; done; \
	    grep -rL EXAMPLE_DATA --exclude='*.sqlite*' example | LC_ALL=C sort | while read -r f; do m=644; [ -x "$$f" ] && m=755; \
	        echo "$$m $$f $(DOCDIR)/examples/$${f\#example/}"; done; }
INSTALLED_LIB = { echo '644 src/analyzer.h $(PREFIX)/include/analyzer.h'; \
	    echo '644 $(BUILD)/analyzer.pc $(LIBDIR)/pkgconfig/analyzer.pc'; \
	    echo '644 $(or $(STRIPPED),$(BUILD))/$(SONAME) $(LIBDIR)/$(SONAME)'; \
	    echo '644 $(or $(STRIPPED),$(BUILD))/libanalyzer.a $(LIBDIR)/libanalyzer.a'; }
install: all lib papers stripped ## install into $(DESTDIR)$(PREFIX): program, library, data, manual, completion, examples
	@$(INSTALLED) | while read -r mode file place; do \
	    install -D -m $$mode "$$file" "$(DESTDIR)$(PREFIX)/$$place" || exit 1; done
	@sed -i -e 's#](\.\./\.\./example/#](examples/#g' -e 's#\[\([^]]*\)\](\.\./[^)]*)#\1#g' $(DESTDIR)$(PREFIX)/$(DOCDIR)/*.md # no links out of it
	@find $(DESTDIR)$(PREFIX)/$(DOCDIR)/examples -name '*.json' -exec grep -l '"\$$schema"' {} + | xargs sed -i \
	    's#"\(\(\.\./\)*\)\.\./schemas/#"\1../../../analyzer/schemas/#' # at their place below $(SHARE)
	@$(INSTALLED_LIB) | while read -r mode file place; do \
	    install -D -m $$mode "$$file" "$(DESTDIR)$$place" || exit 1; done
	@ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libanalyzer.so
	@printf '%s\n' 'installed in $(DESTDIR)$(PREFIX):' '  program        bin/analyzer' \
	    '  library        $(LIBDIR:$(PREFIX)/%=%), include/analyzer.h' '  documentation  $(DOCDIR), examples in it' \
	    "  also           manual (man analyzer), completion of bash, zsh and fish"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) [ -n "$(DESTDIR)" ] || echo 'not in PATH yet: export PATH="$(PREFIX)/bin:$$PATH"';; esac
uninstall: papers ## remove the installed files
	@$(INSTALLED) | while read -r mode file place; do rm -f "$(DESTDIR)$(PREFIX)/$$place"; done
	@$(INSTALLED_LIB) | while read -r mode file place; do rm -f "$(DESTDIR)$$place"; done
	@rm -f $(DESTDIR)$(LIBDIR)/libanalyzer.so "$(DESTDIR)$(LIBDIR)/.debug/$(SONAME).debug" "$(DESTDIR)$(PREFIX)/bin/.debug/analyzer.debug"
	@for d in "$(DESTDIR)$(LIBDIR)/.debug" "$(DESTDIR)$(PREFIX)/bin/.debug"; do rmdir "$$d" 2> /dev/null || true; done
	@for d in $(SHARE) $(DOCDIR); do [ ! -d "$(DESTDIR)$(PREFIX)/$$d" ] || \
	    find "$(DESTDIR)$(PREFIX)/$$d" -depth -type d -exec rmdir {} + 2> /dev/null || true; done
	@echo "removed from $(DESTDIR)$(PREFIX)"

# Reproducible: times are those of the last commit (SOURCE_DATE_EPOCH).
SOURCE_DATE_EPOCH ?= $(shell { [ -e .git ] && git log -1 --format=%ct 2>/dev/null; } || stat -c %Y Makefile)
DIST      = analyzer-$(VERSION)
.PHONY: dist deb sbom
sbom: all ## list linked libraries as CycloneDX: $(BUILD)/analyzer.cdx.json
	@$(PY) src/packaging/sbom.py $(BUILD)/analyzer > $(BUILD)/analyzer.cdx.json
dist: ## $(BUILD)/dist/analyzer-VERSION.tar.gz of the files tracked by git
	@mkdir -p $(BUILD)/dist
	@{ if [ -e .git ] && command -v git >/dev/null; then git ls-files -z; else find . -type f ! -path './build*' ! -path './.git/*' -printf '%P\0'; fi; } | LC_ALL=C sort -z | \
	    tar --create --no-recursion --null --files-from=- --format=ustar --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
	    --mtime=@$(SOURCE_DATE_EPOCH) --transform='s|^|$(DIST)/|' | gzip -9n > $(BUILD)/dist/$(DIST).tar.gz.tmp
	@mv $(BUILD)/dist/$(DIST).tar.gz.tmp $(BUILD)/dist/$(DIST).tar.gz
	@cd $(BUILD)/dist && sha256sum $(DIST).tar.gz
deb: ## build Debian packages in $(BUILD)/deb (src/packaging/debian; needs debhelper)
	@BUILD='$(abspath $(BUILD))' VERSION='$(VERSION)' sh src/packaging/deb.sh
