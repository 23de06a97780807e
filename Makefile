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
# `make deb` installs the compiler and pkg-config before it builds, in a make of its own: nothing asks for them here.
BUILDING := $(filter-out clean deb help,$(or $(MAKECMDGOALS),all))
ifeq ($(BUILDING),)
CC      := true
PKG     := true
unexport CC PKG
endif
PYTHON  ?= $(shell for p in python3 /usr/bin/python3; do $$p -c 'import openpyxl, jsonschema' 2>/dev/null && { echo $$p; break; }; done)
Q       := $(if $(V),,@)

ROOMS   := cmds library serve run read replay merge registry reports compat analyses tables formats query facts extend perf config regression compare saved document stats model classify text io base
ISAL    := $(shell $(PKG) --exists libisal 2>/dev/null && echo 1)
ZSTD    := $(shell $(PKG) --exists libzstd 2>/dev/null && echo 1)
# The workbook library is loaded when a workbook is written (reports/xlsx/xlsx_lib.h); XLSX_SO= links it.
XLSX_SO ?= $(shell readelf -d "$$($(CC) -print-file-name=libxlsxwriter.so)" 2>/dev/null | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
XLSX_SO := $(XLSX_SO)
LIBS    := $(shell $(PKG) --libs json-c sqlite3 zlib lua5.4 minizip expat libutf8proc $(if $(ISAL),libisal) $(if $(ZSTD),libzstd)) $(if $(XLSX_SO),-ldl,-lxlsxwriter) -pthread -lm
# These libraries are linked statically where their archives are installed: dynamic linking is half of the time of a short
# command (src/docs/performance.md 6). SYSTEM_LIBS=1 links them dynamically, as packages do. Not json-c, which
# does not survive a failed allocation: the tests of faults have to distinguish it (tests/faults/fault.c).
archive  = $(wildcard $(shell $(PKG) --variable=libdir $(1))/lib$(or $(2),$(1)).a)
INSIDE  := $(if $(SYSTEM_LIBS)$(SAN),,$(strip $(call archive,sqlite3) $(call archive,lua5.4) $(call archive,minizip) $(call archive,expat) $(call archive,libutf8proc,utf8proc) $(call archive,zlib,z) $(if $(ZSTD),$(wildcard $(shell $(CC) -print-file-name=libzstd.a)))))
PROGRAM_LIBS := $(INSIDE) $(filter-out $(patsubst lib%.a,-l%,$(notdir $(INSIDE))),$(LIBS))
WARN    := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Werror
# clang's is stricter: it rejects designated initializers, too.
WARN    += $(if $(findstring clang,$(CC)),-Wno-missing-field-initializers)
# Lengths of printed numbers are known with -O2 only.
WARN    += $(if $(SAN),-Wno-format-truncation)
# With an address sanitizer, buffers of readers are small and move at every call (base/mem.h): a view that is used too
# long is detected at once.
MOVES   := $(if $(findstring address,$(SAN)),-DAZ_MOVE_BUFFERS)
# At a fixed address a program with sanitizers starts in little more than half the time: what they add needs no relocation.
HARDEN  := $(if $(SAN),-fno-pie,-D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE)
CFLAGS  ?= $(if $(SAN),-O1 -g1,-O2 -g)
# Files whose names end in _v3 are compiled for processors with AVX2 and called where there is one (src/base/cpu.h).
V3      := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),-mavx2 -mbmi -mbmi2)
ALL_CFLAGS := -std=c11 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -Isrc $(shell $(PKG) --cflags lua5.4) $(WARN) $(HARDEN) $(if $(ISAL),-DAZ_WITH_ISAL) $(if $(ZSTD),-DAZ_WITH_ZSTD) $(if $(V3),-DAZ_V3) $(if $(SAN),-DAZ_SANITIZED $(MOVES) -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(CFLAGS)
ALL_LDFLAGS := $(if $(SAN),-fsanitize=$(SAN) -no-pie,-pie -Wl,-z,relro,-z,now) $(LDFLAGS)
# Exported, so that the workbook library calls the program's function instead of its own (reports/xlsx/xlsx_lib.c).
EXPORTED := -Wl,--export-dynamic-symbol=lxw_tmpfile
PROGRAM_LDFLAGS := $(ALL_LDFLAGS) $(if $(XLSX_SO),$(EXPORTED))

room_src = $(if $(filter registry,$(1)),src/$(1).c,$(wildcard src/$(1)/*.c src/$(1)/*/*.c))
OBJS_OF  = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(call room_src,$(1)))
USED     := $(foreach r,$(ROOMS),$(if $(call room_src,$(r)),$(r)))
ARCHIVES := $(foreach r,$(USED),$(BUILD)/lib/lib$(r).a)
ALL_OBJS := $(foreach r,$(ROOMS),$(call OBJS_OF,$(r))) $(BUILD)/obj/main.o

# $(call stamp,FILE,TEXT): a file that changes when its text does, written while this file is read, so that its dependents
# are rebuilt, and nothing else (`make -n` prints them).
stamp = $(if $(BUILDING),$(shell mkdir -p $(dir $(1)))$(file >$(1).new,$(2))$(shell cmp -s $(1).new $(1) && rm -f $(1).new || mv $(1).new $(1)))

.PHONY: all
all: $(BUILD)/analyzer ## build the program

$(BUILD)/analyzer: $(BUILD)/obj/main.o $(ARCHIVES) $(INSIDE) $(BUILD)/inside
	$(Q)$(CC) $(PROGRAM_LDFLAGS) -o $@.new $(BUILD)/obj/main.o $(ARCHIVES) $(PROGRAM_LIBS) && mv $@.new $@
$(call stamp,$(BUILD)/inside,$(PROGRAM_LIBS))
$(BUILD)/obj/cmds/version.o: $(BUILD)/inside

# The same for MPI, where its compiler is installed.
MPICC ?= mpicc
$(BUILD)/analyzer-mpi: src/mpi/main.c $(ARCHIVES)
	$(Q)$(MPICC) $(filter-out -Wconversion -Wcast-qual -Wstrict-prototypes,$(ALL_CFLAGS)) $(PROGRAM_LDFLAGS) -o $@ $< $(ARCHIVES) $(PROGRAM_LIBS)
.PHONY: mpi
mpi: $(BUILD)/analyzer-mpi ## build analyzer-mpi (needs mpicc: libopenmpi-dev)

# Rooms that process every event: built with -O3 (src/docs/performance.md 10).
HOT := analyses/collectives analyses/operators analyses/verdict base facts model tables text
HOT_CFLAGS ?= $(if $(SAN),,-O3)
# Objects depend on their compiler flags.
$(call stamp,$(BUILD)/flags,$(CC) $(ALL_CFLAGS) $(HOT) $(HOT_CFLAGS))

$(BUILD)/obj/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/reports/xlsx/%.o $(BUILD)/pic/reports/xlsx/%.o: ALL_CFLAGS += $(if $(XLSX_SO),-DAZ_XLSX_SONAME='"$(XLSX_SO)"')
# Facts that `analyzer version` prints: a commit changes one object, not all. A tree without git has the version of its release.
SOURCE   := $(or $(shell [ ! -e .git ] || git rev-parse --short=12 HEAD 2>/dev/null),release $(VERSION))
$(call stamp,$(BUILD)/source,$(SOURCE))
$(BUILD)/obj/cmds/version.o: $(BUILD)/source
$(BUILD)/obj/cmds/version.o: ALL_CFLAGS += -DAZ_SOURCE='"$(SOURCE)"' -DAZ_LUA='"lua $(shell $(PKG) --modversion lua5.4)"'

# The files that name the version or the place of the data: `make install PREFIX=...` compiles these and no others again.
RELEASED := cmds/man cmds/version library/library read/facts read/part_file reports/html/html serve/server
RELEASED := $(foreach d,obj pic,$(RELEASED:%=$(BUILD)/$(d)/%.o))
$(call stamp,$(BUILD)/release,$(VERSION) $(PREFIX))
$(RELEASED): $(BUILD)/release
$(RELEASED): ALL_CFLAGS += -DAZ_VERSION='"$(VERSION)"' -DAZ_DATADIR='"$(PREFIX)/share/analyzer"'

# base/data.c embeds these files.
$(BUILD)/obj/base/data.o: $(wildcard configs/*)

# V_CFLAGS: flags printed by `version`.
V_CFLAGS := $(CFLAGS); $(HOT): -O3$(if $(V3),; where the processor has them: $(V3))
$(foreach r,$(HOT),$(BUILD)/obj/$(r)/%.o $(BUILD)/pic/$(r)/%.o): ALL_CFLAGS += $(HOT_CFLAGS)
$(BUILD)/obj/formats/pytorch/%.o $(BUILD)/pic/formats/pytorch/%.o: ALL_CFLAGS += $(HOT_CFLAGS)
$(foreach f,formats/pytorch/pytorch_event_v3 io/digest_v3,$(BUILD)/obj/$(f).o $(BUILD)/pic/$(f).o): ALL_CFLAGS += $(V3)
# Link-time optimization ignores files embedded by the assembler (CFLAGS='-O2 -flto' AR=gcc-ar).
$(foreach o,obj pic,$(BUILD)/$(o)/base/data.o $(BUILD)/$(o)/reports/html/html_data.o): ALL_CFLAGS += -fno-lto
$(BUILD)/obj/cmds/version.o: ALL_CFLAGS += -DAZ_OPTIMISED='"$(V_CFLAGS)"' $(if $(INSIDE),-DAZ_INSIDE='"$(notdir $(INSIDE))"')

# The digest covers every byte of an input; unrolling saves a third of the time.
$(BUILD)/obj/io/digest.o $(BUILD)/obj/io/digest_v3.o: ALL_CFLAGS += -O3

# reports/html/html_data.c embeds style, scripts and Chart.js, which comes from its package.
CHART_JS ?= $(firstword $(wildcard $(addsuffix /chart.min.js,/usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist)))
HTML_PARTS := src/reports/html/html.css $(or $(CHART_JS),chart.js-is-missing) $(foreach s,charts tables timeline flame,src/reports/html/html_$(s).js)
HTML_DATA  := $(foreach o,obj pic,$(BUILD)/$(o)/reports/html/html_data.o)
$(HTML_DATA): ALL_CFLAGS += -DAZ_CHART_JS='"$(CHART_JS)"' -DAZ_HTML_DIGESTS='"$(BUILD)/html_digests.h"' -I.
$(HTML_DATA): $(HTML_PARTS) $(BUILD)/html_digests.h
$(BUILD)/html_digests.h: $(HTML_PARTS) # SHA-256 of each, in the order of enum az_html_part
	@mkdir -p $(@D)
	$(Q)sha256sum $(HTML_PARTS) | sed 's/^\\*\([0-9a-f]*\).*/"\1",/' >$@.new && mv $@.new $@
.PHONY: chart.js-is-missing
chart.js-is-missing:
	@echo 'Chart.js was not found: install the package libjs-chart.js, or name the file: make CHART_JS=.../chart.min.js' >&2; exit 1

# An archive is rebuilt when its list of files changes, too.
define room_rule
$$(call stamp,$(BUILD)/lib/$(1).list,$(call room_src,$(1)))
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
LIB_OWN  := $(patsubst src/%.c,$(BUILD)/pic/%.o,$(call room_src,library))
LIB_ALL  := $(LIB_OBJS) $(LIB_OWN)
LIB_NEED  = json-c sqlite3 zlib lua5.4 minizip expat libutf8proc $(if $(ISAL),libisal) $(if $(ZSTD),libzstd)
$(BUILD)/pic/base/data.o: $(wildcard configs/*)
$(BUILD)/pic/io/digest.o $(BUILD)/pic/io/digest_v3.o: ALL_CFLAGS += -O3
$(BUILD)/pic/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -fPIE,$(ALL_CFLAGS)) -fPIC -fvisibility=hidden -DAZ_LIBRARY -MMD -MP -c -o $@ $<
$(BUILD)/pic/rooms.a: $(LIB_OBJS)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(BUILD)/pic/analyzer.o: $(LIB_OWN) $(BUILD)/pic/rooms.a
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
abi: $(BUILD)/$(SONAME) ## write src/packaging/libanalyzer.abi, the ABI of the library (needs abidw of abigail-tools)
	abidw --header-file src/analyzer.h --drop-private-types --exported-interfaces-only --no-show-locs --no-corpus-path \
	    --no-comp-dir-path --no-elf-needed --no-architecture --type-id-style hash --out-file src/packaging/libanalyzer.abi $<

include src/packaging/tests.mk
include src/packaging/install.mk
include src/packaging/python.mk

.PHONY: clean help
clean: ## remove build outputs
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz
help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
