# analyzer: one Makefile for everything. `make help` lists the targets.
# BUILD=dir builds elsewhere; SAN=address,undefined or SAN=thread instruments; V=1 shows commands. An instrumented or fuzzing
# build is this file again with another BUILD.
BUILD   ?= build
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
VERSION := 0.1.0
CC      ?= cc
AR      ?= ar
OBJCOPY ?= objcopy
PKG     ?= pkg-config
PYTHON  ?= $(shell for p in python3 /usr/bin/python3; do $$p -c 'import openpyxl, jsonschema' 2>/dev/null && { echo $$p; break; }; done)
Q       := $(if $(V),,@)

ROOMS   := cmds library serve run read replay merge registry reports compat analyses tables formats query facts extend perf config regression compare saved document stats model classify text io base
ISAL    := $(shell $(PKG) --exists libisal 2>/dev/null && echo 1)
# The workbook library is loaded when a workbook is written (reports/xlsx/xlsx_lib.h); XLSX_SO= links it.
XLSX_SO ?= $(shell readelf -d "$$($(CC) -print-file-name=libxlsxwriter.so)" 2>/dev/null | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
XLSX_SO := $(XLSX_SO)
LIBS    := $(shell $(PKG) --libs json-c sqlite3 zlib lua5.4 minizip expat libutf8proc $(if $(ISAL),libisal)) $(if $(XLSX_SO),-ldl,-lxlsxwriter) -pthread -lm
# The program holds these libraries itself where they are installed as archives: to find and link them is half of what a short
# command takes (src/docs/performance.md 6). SYSTEM_LIBS=1 leaves them shared, as the packages of a system do. Not json-c, which
# does not survive a failed allocation: the tests of faults have to know it from the rest (tests/faults/fault.c).
archive  = $(wildcard $(shell $(PKG) --variable=libdir $(1))/lib$(or $(2),$(1)).a)
INSIDE  := $(if $(SYSTEM_LIBS)$(SAN),,$(strip $(call archive,sqlite3) $(call archive,lua5.4) $(call archive,minizip) $(call archive,expat) $(call archive,libutf8proc,utf8proc) $(call archive,zlib,z)))
PROGRAM_LIBS := $(INSIDE) $(filter-out $(patsubst lib%.a,-l%,$(notdir $(INSIDE))),$(LIBS))
WARN    := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Werror
# Where an address sanitizer looks on, buffers of readers are small and move at every call (base/mem.h): a view that is kept too
# long shows at once.
MOVES   := $(if $(findstring address,$(SAN)),-DAZ_MOVE_BUFFERS)
HARDEN  := $(if $(SAN),,-D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE)
CFLAGS  ?= -O2 -g
# Files whose names end in _v3 are compiled for processors with AVX2 and called where there is one (src/base/cpu.h).
V3      := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),-mavx2 -mbmi -mbmi2)
ALL_CFLAGS := -std=c11 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -DAZ_VERSION='"$(VERSION)"' -DAZ_DATADIR='"$(PREFIX)/share/analyzer"' \
              -Isrc $(shell $(PKG) --cflags lua5.4) $(WARN) $(HARDEN) $(if $(ISAL),-DAZ_WITH_ISAL) $(if $(V3),-DAZ_V3) $(if $(SAN),-DAZ_SANITIZED $(MOVES) -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(CFLAGS)
ALL_LDFLAGS := $(if $(SAN),-fsanitize=$(SAN),-pie -Wl,-z,relro,-z,now) $(LDFLAGS)

room_src = $(if $(filter registry library,$(1)),src/$(1).c,$(wildcard src/$(1)/*.c src/$(1)/*/*.c))
OBJS_OF  = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(call room_src,$(1)))
USED     := $(foreach r,$(ROOMS),$(if $(call room_src,$(r)),$(r)))
ARCHIVES := $(foreach r,$(USED),$(BUILD)/lib/lib$(r).a)
ALL_OBJS := $(foreach r,$(ROOMS),$(call OBJS_OF,$(r))) $(BUILD)/obj/main.o

.PHONY: all
all: $(BUILD)/analyzer ## build the program

$(BUILD)/analyzer: $(BUILD)/obj/main.o $(ARCHIVES) $(INSIDE) $(BUILD)/inside
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@.new $(BUILD)/obj/main.o $(ARCHIVES) $(PROGRAM_LIBS) && mv $@.new $@
$(BUILD)/inside: FORCE
	@mkdir -p $(@D)
	@echo '$(PROGRAM_LIBS)' | cmp -s - $@ || echo '$(PROGRAM_LIBS)' > $@
$(BUILD)/obj/cmds/version.o: $(BUILD)/inside

# The same for MPI, where its compiler is installed.
MPICC ?= mpicc
$(BUILD)/analyzer-mpi: src/mpi/main.c $(ARCHIVES)
	$(Q)$(MPICC) $(filter-out -Wconversion -Wcast-qual -Wstrict-prototypes,$(ALL_CFLAGS)) $(ALL_LDFLAGS) -o $@ $< $(ARCHIVES) $(PROGRAM_LIBS)
.PHONY: mpi
mpi: $(BUILD)/analyzer-mpi ## build analyzer-mpi (needs mpicc: libopenmpi-dev)

# Rooms that go over every event: they are made with -O3 (src/docs/performance.md 10).
HOT := analyses/operators analyses/verdict base facts model tables text
# Objects depend on the flags they were made with.
export AZ_FLAGS := $(CC) $(ALL_CFLAGS) $(HOT)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$AZ_FLAGS" | cmp -s - $@ || printf '%s\n' "$$AZ_FLAGS" > $@
.PHONY: FORCE
FORCE:

$(BUILD)/obj/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/reports/xlsx/%.o $(BUILD)/pic/reports/xlsx/%.o: ALL_CFLAGS += $(if $(XLSX_SO),-DAZ_XLSX_SONAME='"$(XLSX_SO)"')
# Facts that `analyzer version` prints: a commit changes one object, not all. A tree without git says which release it is.
SOURCE   := $(or $(shell [ ! -e .git ] || git rev-parse --short=12 HEAD 2>/dev/null),release $(VERSION))
$(BUILD)/source: FORCE
	@mkdir -p $(@D)
	@echo '$(SOURCE)' | cmp -s - $@ || echo '$(SOURCE)' > $@
$(BUILD)/obj/cmds/version.o: $(BUILD)/source
$(BUILD)/obj/cmds/version.o: ALL_CFLAGS += -DAZ_SOURCE='"$(SOURCE)"' -DAZ_LUA='"lua $(shell $(PKG) --modversion lua5.4)"'

# base/data.c embeds these files.
$(BUILD)/obj/base/data.o: $(wildcard configs/*)

# V_CFLAGS: what `version` says.
V_CFLAGS := $(CFLAGS); $(HOT): -O3$(if $(V3),; where the processor has them: $(V3))
$(foreach r,$(HOT),$(BUILD)/obj/$(r)/%.o $(BUILD)/pic/$(r)/%.o): ALL_CFLAGS += $(if $(SAN),,-O3)
$(BUILD)/obj/formats/pytorch/%.o $(BUILD)/pic/formats/pytorch/%.o: ALL_CFLAGS += $(if $(SAN),,-O3)
$(foreach f,formats/pytorch/pytorch_event_v3 io/digest_v3,$(BUILD)/obj/$(f).o $(BUILD)/pic/$(f).o): ALL_CFLAGS += $(V3)
# What the assembler embeds is not seen by link-time optimisation (CFLAGS='-O2 -flto' AR=gcc-ar).
$(foreach o,obj pic,$(BUILD)/$(o)/base/data.o $(BUILD)/$(o)/reports/html/html_data.o): ALL_CFLAGS += -fno-lto
$(BUILD)/obj/cmds/version.o: ALL_CFLAGS += -DAZ_OPTIMISED='"$(V_CFLAGS)"' $(if $(INSIDE),-DAZ_INSIDE='"$(notdir $(INSIDE))"')

# The digest goes over every byte of an input; unrolled it takes two thirds of the time.
$(BUILD)/obj/io/digest.o $(BUILD)/obj/io/digest_v3.o: ALL_CFLAGS += -O3

# reports/html/html_data.c embeds style, scripts and Chart.js, which comes from its package.
CHART_JS ?= $(firstword $(wildcard $(addsuffix /chart.min.js,/usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist)))
$(BUILD)/obj/reports/html/html_data.o: ALL_CFLAGS += -DAZ_CHART_JS='"$(CHART_JS)"'
$(BUILD)/obj/reports/html/html_data.o: $(or $(CHART_JS),chart.js-is-missing) $(wildcard src/reports/html/*.css src/reports/html/*.js)
.PHONY: chart.js-is-missing
chart.js-is-missing:
	@echo 'Chart.js was not found: install the package libjs-chart.js, or name the file: make CHART_JS=.../chart.min.js' >&2; exit 1

# An archive is made anew when its list of files changes, too.
define room_rule
$(BUILD)/lib/$(1).list: FORCE
	@mkdir -p $$(@D)
	@echo '$(call room_src,$(1))' | cmp -s - $$@ || echo '$(call room_src,$(1))' > $$@
$(BUILD)/lib/lib$(1).a: $(call OBJS_OF,$(1)) $(BUILD)/lib/$(1).list
	$$(Q)rm -f $$@ && $$(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach r,$(USED),$(eval $(call room_rule,$(r))))
-include $(ALL_OBJS:.o=.d)
$(BUILD)/obj/base/data.o: $(wildcard configs/*) # embedded by the assembler

# The library: every room but the commands in one object in which only the names of analyzer.h are left global; the shared
# and the static library are made of it. Its objects are position independent, hidden but for those names, and read no
# environment (AZ_LIBRARY); the program keeps its own.
SONAME   := libanalyzer.so.0
LIB_ROOM := $(filter-out cmds library,$(USED))
LIB_OBJS := $(patsubst src/%.c,$(BUILD)/pic/%.o,$(foreach r,$(LIB_ROOM),$(call room_src,$(r))))
LIB_ALL  := $(LIB_OBJS) $(BUILD)/pic/library.o
LIB_NEED  = json-c sqlite3 zlib lua5.4 minizip expat libutf8proc $(if $(ISAL),libisal)
$(BUILD)/pic/base/data.o: $(wildcard configs/*)
$(BUILD)/pic/io/digest.o $(BUILD)/pic/io/digest_v3.o: ALL_CFLAGS += -O3
$(BUILD)/pic/reports/html/html_data.o: ALL_CFLAGS += -DAZ_CHART_JS='"$(CHART_JS)"'
$(BUILD)/pic/reports/html/html_data.o: $(or $(CHART_JS),chart.js-is-missing) $(wildcard src/reports/html/*.css src/reports/html/*.js)
$(BUILD)/pic/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -fPIE,$(ALL_CFLAGS)) -fPIC -fvisibility=hidden -DAZ_LIBRARY -MMD -MP -c -o $@ $<
$(BUILD)/pic/rooms.a: $(LIB_OBJS)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(BUILD)/pic/analyzer.o: $(BUILD)/pic/library.o $(BUILD)/pic/rooms.a
	$(Q)$(LD) -r -o $@ $^ && $(OBJCOPY) --localize-hidden $@
$(BUILD)/libanalyzer.a: $(BUILD)/pic/analyzer.o
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(BUILD)/$(SONAME): $(BUILD)/pic/analyzer.o src/packaging/libanalyzer.map
	$(Q)$(CC) -shared $(LDFLAGS) -Wl,--version-script=src/packaging/libanalyzer.map $(if $(SAN),-fsanitize=$(SAN),-Wl,-z,relro,-z,now,-z,defs) -Wl,-soname,$(SONAME) -o $@ $< $(LIBS)
$(BUILD)/libanalyzer.so: $(BUILD)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@
-include $(LIB_ALL:.o=.d)
$(BUILD)/analyzer.pc: src/packaging/analyzer.pc.in $(BUILD)/flags Makefile
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@PRIVATE@|$(LIBS)|' $< > $@
.PHONY: lib abi
lib: $(BUILD)/libanalyzer.so $(BUILD)/libanalyzer.a $(BUILD)/analyzer.pc ## build the library (src/docs/library.md)
abi: $(BUILD)/$(SONAME) ## write src/packaging/libanalyzer.abi, what programs rely on (needs abidw of abigail-tools)
	abidw --header-file src/analyzer.h --drop-private-types --exported-interfaces-only --no-show-locs --no-corpus-path \
	    --no-comp-dir-path --no-elf-needed --no-architecture --type-id-style hash --out-file src/packaging/libanalyzer.abi $<

# Unit tests: tests/unit/<room>_<name>.c links the archives of its room and those below it, so that an upward call fails.
UNIT_SRC := $(wildcard tests/unit/*.c)
UNITS    := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(UNIT_SRC))
room_of   = $(firstword $(subst _, ,$(notdir $(1))))
from_room = $(if $(filter $(firstword $(2)),$(1)),$(2),$(if $(2),$(call from_room,$(1),$(wordlist 2,99,$(2)))))
unit_libs = $(foreach r,$(call from_room,$(call room_of,$(1)),$(USED)),$(BUILD)/lib/lib$(r).a)
.SECONDEXPANSION:
$(BUILD)/unit/%: tests/unit/%.c $$(call unit_libs,$$*)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Wno-conversion -Itests -MMD -MP $(ALL_LDFLAGS) -o $@ $< $(call unit_libs,$*) -lcmocka $(LIBS)
-include $(UNITS:=.d)

# Fuzz harnesses: tests/fuzz/NAME_fuzz.c with LLVMFuzzerTestOneInput; seeds and regressions in tests/fuzz/corpus/NAME/.
FUZZ_SRC := $(wildcard tests/fuzz/*_fuzz.c)
FUZZERS  := $(patsubst tests/fuzz/%_fuzz.c,$(BUILD)/fuzz/%,$(FUZZ_SRC))
REPLAYS  := $(patsubst tests/fuzz/%_fuzz.c,$(BUILD)/replay/%,$(FUZZ_SRC))
FUZZ_SECONDS ?= 30
FUZZ_ENGINE  ?= -fsanitize=fuzzer
FUZZ_H   := $(wildcard tests/fuzz/*.h)
$(BUILD)/fuzz/%: tests/fuzz/%_fuzz.c $(FUZZ_H) $(ARCHIVES)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Wno-error -Itests $(FUZZ_ENGINE) -o $@ $< $(ARCHIVES) $(LIBS)
$(BUILD)/replay/%: tests/fuzz/%_fuzz.c tests/fuzz/driver.c $(FUZZ_H) $(ARCHIVES)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests $(ALL_LDFLAGS) -o $@ $< tests/fuzz/driver.c $(ARCHIVES) $(LIBS)

# Programs that scripts of the tests call: tests/tools/NAME.c.
TOOLS := $(patsubst tests/tools/%.c,$(BUILD)/tools/%,$(filter-out %/mutate_cover.c,$(wildcard tests/tools/*.c)))
$(BUILD)/tools/%: tests/tools/%.c $(ARCHIVES)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $< $(ALL_LDFLAGS) $(ARCHIVES) $(LIBS)

include tests/tools/mutate.mk

# Benchmarks: tests/bench/NAME.c, linked with everything but the commands.
BENCHES := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))
$(BUILD)/bench/%: tests/bench/%.c $(ARCHIVES)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $< $(ALL_LDFLAGS) $(ARCHIVES) $(LIBS)

# Programs that the sanitizer runs use: tests/stress/NAME.c.
$(BUILD)/stress/%: tests/stress/%.c $(ARCHIVES)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Wno-conversion -o $@ $< $(ALL_LDFLAGS) $(ARCHIVES) $(LIBS)

# The SQLite input of the example is generated (its CSVs are committed).
EXAMPLE_DB := $(BUILD)/example-data/llama2_70b.sqlite
EXAMPLE_ROCPROF := $(BUILD)/example-data/rocprof/train_results.json
$(EXAMPLE_ROCPROF): tests/gen/make_rocprof_examples.py
	$(Q)$(PY) $< $(@D)
$(EXAMPLE_DB): | $(EXAMPLE_ROCPROF)
$(EXAMPLE_DB): tests/gen/make_example_nsys.py
	$(Q)$(PY) $< --sqlite $@

PY     = $(or $(PYTHON),python3)
STAGES = BUILD='$(BUILD)' ANALYZER='$(abspath $(BUILD)/analyzer)' EXAMPLE_DATA='$(abspath $(BUILD)/example-data)' \
         PYTHON='$(PY)' CC='$(CC)' UNITS='$(UNITS)' REPLAY='$(BUILD)-asan/replay' sh tests/stages.sh
AGAIN  = $(MAKE) --no-print-directory V=$(V)
ASAN  := SAN=address,undefined

.PHONY: example unit units installed check-library replays fuzzers golden check-html check-shared schema test test-build
example: ## run the examples (results in build/example-out)
	@BUILD='$(BUILD)' sh example/run.sh

test: test-build ## run every test; the last line is "N passed, N failed"
	@$(STAGES) unit golden sizes cluster html stragglers gates , examples faults library packages documented accounts trust graphs \
	    counters steps names query schema verdict fuzz shared
test-build: all units installed $(TOOLS) $(EXAMPLE_DB) $(if $(shell command -v $(MPICC) 2>/dev/null),$(if $(SAN),,mpi))
	+@$(if $(FUZZ_SRC),$(AGAIN) BUILD=$(BUILD)-asan $(ASAN) replays)
units: $(UNITS)
installed: all lib
	+@$(AGAIN) BUILD=$(BUILD) install DESTDIR='$(abspath $(BUILD)/installed)' > $(BUILD)/installed.log
replays: $(REPLAYS)
fuzzers: $(FUZZERS)

unit: $(UNITS) ## build and run the unit tests
	@$(STAGES) unit
check-html: all $(TOOLS) ## open HTML reports in headless Chromium, if it is installed
	@$(STAGES) html
check-library: installed $(EXAMPLE_DB) ## the installed library: its names, ABI, examples, tables
	@$(STAGES) library
golden: all $(EXAMPLE_DB) ## command lines with exact output (tests/golden/run.sh --update rewrites)
	@$(STAGES) golden
check-shared: all $(TOOLS) ## run the analyzer on the shared inputs, if ../shared is there
	@$(STAGES) shared
schema: all ## write schemas/config.schema.json from the option table
	@mkdir -p schemas
	$(BUILD)/analyzer schema > schemas/config.schema.json.tmp && mv schemas/config.schema.json.tmp schemas/config.schema.json
readme: all ## write the generated parts of src/docs and the picture of the output
	@$(PY) tests/options_documented.py --analyzer $(BUILD)/analyzer --update
	@$(PY) src/docs/make_screen.py --analyzer $(BUILD)/analyzer

.PHONY: readme lint sanitize fuzz bench install uninstall clean help
lint: ## include rule, format, static analysis, shell scripts
	@PYTHON='$(PY)' CPPFLAGS='-D_POSIX_C_SOURCE=200809L $(if $(ISAL),-DAZ_WITH_ISAL)' sh tests/lint/run.sh

# With buffers that move (see MOVES); the examples must give what the usual build gives.
sanitize: all $(EXAMPLE_DB) ## tests with address, undefined and thread sanitizers (build-asan, build-tsan)
	+@$(AGAIN) BUILD=$(BUILD)-asan $(ASAN) all units replays $(patsubst $(BUILD)/%,$(BUILD)-asan/%,$(TOOLS))
	+@$(AGAIN) BUILD=$(BUILD)-tsan SAN=thread all $(BUILD)-tsan/unit/base_pool $(BUILD)-tsan/stress/xlsx_stress
	@TSAN='$(BUILD)-tsan' PYTHON='$(PY)' UNITS='$(patsubst $(BUILD)/%,$(BUILD)-asan/%,$(UNITS))' \
	    BUILD='$(BUILD)-asan' ANALYZER='$(abspath $(BUILD)-asan/analyzer)' EXAMPLE_DATA='$(abspath $(BUILD)/example-data)' \
	    OTHER='$(abspath $(BUILD)/analyzer)' REPLAY='$(BUILD)-asan/replay' sh tests/stages.sh unit examples sizes threads , golden fuzz shared

fuzz: ## fuzz every harness with clang (FUZZ_SECONDS=30 each, build-fuzz)
	+@$(AGAIN) CC=clang BUILD=$(BUILD)-fuzz SAN=fuzzer-no-link,address,undefined WARN= fuzzers
	@set -e; for f in $(patsubst tests/fuzz/%_fuzz.c,%,$(FUZZ_SRC)); do \
	    mkdir -p $(BUILD)-fuzz/found/$$f $(BUILD)-fuzz/corpus/$$f; echo "== $$f"; \
	    seeds=; [ -d tests/fuzz/corpus/$$f ] && seeds=tests/fuzz/corpus/$$f; \
	    $(BUILD)-fuzz/fuzz/$$f -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
	        -artifact_prefix=$(BUILD)-fuzz/found/$$f/ $(BUILD)-fuzz/corpus/$$f $$seeds > $(BUILD)-fuzz/$$f.log 2>&1 || \
	        { grep -v '^#' $(BUILD)-fuzz/$$f.log | tail -n 60; exit 1; }; \
	    awk '/PC tables/ { split($$0, p, /[( ]+/); for (i in p) if (p[i + 1] == "PCs):" || p[i + 1] == "PCs") all = p[i] } \
	        / cov: / { for (i = 1; i < NF; i++) if ($$i == "cov:") cov = $$(i + 1) } \
	        /executed_units/ { runs = $$2 } /peak_rss/ { rss = $$2 } \
	        END { printf "%d inputs, %d of %d edges of what is linked (%.1f %%), %d MB\n", runs, cov, all, all ? 100 * cov / all : 0, rss }' \
	        $(BUILD)-fuzz/$$f.log; done

bench: all $(BENCHES) ## measure against the figures of the design (BENCH=smoke: small and quick)
	@BUILD='$(BUILD)' PYTHON='$(PY)' BENCH='$(BENCH)' sh tests/bench/run.sh

# Manual pages and completion are made by the program from its own tables.
COMMANDS = $(shell $(BUILD)/analyzer help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
.PHONY: papers
papers: all ## manual pages and completion for shells, in build/papers
	@rm -rf $(BUILD)/papers && mkdir -p $(BUILD)/papers
	$(Q)cd $(BUILD)/papers && a=$(abspath $(BUILD)/analyzer) && "$$a" help --man > analyzer.1 && \
	    "$$a" help --man config > analyzer-config.5 && \
	    for c in $(COMMANDS); do "$$a" help --man $$c > analyzer-$$c.1 || exit 1; done && \
	    "$$a" help --completion=bash > analyzer.bash && "$$a" help --completion=zsh > _analyzer && \
	    "$$a" help --completion=fish > analyzer.fish

# What goes where, one line a file: mode, file, place below PREFIX. Uninstalling takes the same lines.
SHARE     = share/analyzer
DOCDIR   ?= share/doc/analyzer
INSTALLED = { echo '755 $(BUILD)/analyzer bin/analyzer'; \
	    for f in configs/* schemas/*; do echo "644 $$f $(SHARE)/$$f"; done; \
	    for f in $(BUILD)/papers/*.1; do echo "644 $$f share/man/man1/$${f\#\#*/}"; done; \
	    for f in $(BUILD)/papers/*.5; do echo "644 $$f share/man/man5/$${f\#\#*/}"; done; \
	    echo '644 $(BUILD)/papers/analyzer.bash share/bash-completion/completions/analyzer'; \
	    echo '644 $(BUILD)/papers/_analyzer share/zsh/vendor-completions/_analyzer'; \
	    echo '644 $(BUILD)/papers/analyzer.fish share/fish/vendor_completions.d/analyzer.fish'; \
	    for f in LICENSE src/docs/*.md src/docs/*.svg; do echo "644 $$f $(DOCDIR)/$${f\#\#*/}"; done; \
	    find example -type f | LC_ALL=C sort | while read -r f; do m=644; [ -x "$$f" ] && m=755; \
	        echo "$$m $$f $(DOCDIR)/examples/$${f\#example/}"; done; }
INSTALLED_LIB = { echo '644 src/analyzer.h $(PREFIX)/include/analyzer.h'; \
	    echo '644 $(BUILD)/analyzer.pc $(LIBDIR)/pkgconfig/analyzer.pc'; \
	    echo '644 $(BUILD)/$(SONAME) $(LIBDIR)/$(SONAME)'; \
	    echo '644 $(BUILD)/libanalyzer.a $(LIBDIR)/libanalyzer.a'; }
install: all lib papers ## install into $(DESTDIR)$(PREFIX): program, library, data, manual, completion, examples
	@$(INSTALLED) | while read -r mode file place; do \
	    install -D -m $$mode "$$file" "$(DESTDIR)$(PREFIX)/$$place" || exit 1; done
	@$(INSTALLED_LIB) | while read -r mode file place; do \
	    install -D -m $$mode "$$file" "$(DESTDIR)$$place" || exit 1; done
	@ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libanalyzer.so
uninstall: papers ## remove what install wrote
	@$(INSTALLED) | while read -r mode file place; do rm -f "$(DESTDIR)$(PREFIX)/$$place"; done
	@$(INSTALLED_LIB) | while read -r mode file place; do rm -f "$(DESTDIR)$$place"; done
	@rm -f $(DESTDIR)$(LIBDIR)/libanalyzer.so
	@for d in $(SHARE) $(DOCDIR); do [ ! -d "$(DESTDIR)$(PREFIX)/$$d" ] || \
	    find "$(DESTDIR)$(PREFIX)/$$d" -depth -type d -exec rmdir {} + 2> /dev/null || true; done

# The same bytes from the same files, whenever and by whomever: times are those of the last change (SOURCE_DATE_EPOCH).
SOURCE_DATE_EPOCH ?= $(shell { [ -e .git ] && git log -1 --format=%ct 2>/dev/null; } || stat -c %Y Makefile)
DIST      = analyzer-$(VERSION)
.PHONY: dist deb sbom
sbom: all ## what the program is linked with, as CycloneDX: $(BUILD)/analyzer.cdx.json
	@$(PY) src/packaging/sbom.py $(BUILD)/analyzer > $(BUILD)/analyzer.cdx.json
dist: ## $(BUILD)/dist/analyzer-VERSION.tar.gz of the files that git knows
	@mkdir -p $(BUILD)/dist
	@{ if [ -e .git ] && command -v git >/dev/null; then git ls-files -z; else find . -type f ! -path './build*' ! -path './.git/*' -printf '%P\0'; fi; } | LC_ALL=C sort -z | \
	    tar --create --no-recursion --null --files-from=- --format=ustar --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
	    --mtime=@$(SOURCE_DATE_EPOCH) --transform='s|^|$(DIST)/|' | gzip -9n > $(BUILD)/dist/$(DIST).tar.gz.tmp
	@mv $(BUILD)/dist/$(DIST).tar.gz.tmp $(BUILD)/dist/$(DIST).tar.gz
	@cd $(BUILD)/dist && sha256sum $(DIST).tar.gz
deb: ## Debian packages in $(BUILD)/deb (src/packaging/debian; needs debhelper)
	@BUILD='$(abspath $(BUILD))' VERSION='$(VERSION)' sh src/packaging/deb.sh
clean: ## remove what was built
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz
help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
