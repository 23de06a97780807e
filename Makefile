# analyzer: one Makefile, no recursion. `make help` lists the targets.
# BUILD=dir builds elsewhere; SAN=address,undefined or SAN=thread instruments; V=1 shows commands.
BUILD   ?= build
PREFIX  ?= /usr/local
VERSION := 0.1.0
CC      ?= cc
AR      ?= ar
PKG     ?= pkg-config
PYTHON  ?= $(shell for p in python3 /usr/bin/python3; do $$p -c 'import openpyxl, jsonschema' 2>/dev/null && { echo $$p; break; }; done)
Q       := $(if $(V),,@)

ROOMS   := cmds driver registry reports analyses formats extend perf results config model text io base
ISAL    := $(shell $(PKG) --exists libisal 2>/dev/null && echo 1)
LIBS    := $(shell $(PKG) --libs json-c sqlite3 zlib $(if $(ISAL),libisal)) -lxlsxwriter -pthread -lm
WARN    := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Werror
HARDEN  := $(if $(SAN),,-D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE)
CFLAGS  ?= -O2 -g
ALL_CFLAGS := -std=c11 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -DAZ_VERSION='"$(VERSION)"' -DAZ_DATADIR='"$(PREFIX)/share/analyzer"' \
              -Isrc $(WARN) $(HARDEN) $(if $(ISAL),-DAZ_WITH_ISAL) $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer) $(CFLAGS)
ALL_LDFLAGS := $(if $(SAN),-fsanitize=$(SAN),-pie -Wl,-z,relro,-z,now) $(LDFLAGS)

room_src = $(if $(filter registry,$(1)),src/registry.c,$(wildcard src/$(1)/*.c))
OBJS_OF  = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(call room_src,$(1)))
USED     := $(foreach r,$(ROOMS),$(if $(wildcard $(call room_src,$(r))),$(r)))
ARCHIVES := $(foreach r,$(USED),$(BUILD)/lib/lib$(r).a)
ALL_OBJS := $(foreach r,$(ROOMS),$(call OBJS_OF,$(r))) $(BUILD)/obj/main.o

.PHONY: all
all: $(BUILD)/analyzer ## build the program

$(BUILD)/analyzer: $(BUILD)/obj/main.o $(ARCHIVES)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

define room_rule
$(BUILD)/lib/lib$(1).a: $(call OBJS_OF,$(1))
	@mkdir -p $$(@D)
	$$(Q)rm -f $$@ && $$(AR) rcs $$@ $$^
endef
$(foreach r,$(USED),$(eval $(call room_rule,$(r))))
-include $(ALL_OBJS:.o=.d)

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

.PHONY: unit
unit: $(UNITS) ## build and run the unit tests
	@for t in $(UNITS); do $$t || exit 1; done

.PHONY: clean help
clean: ## remove what was built
	rm -rf $(BUILD)
help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
