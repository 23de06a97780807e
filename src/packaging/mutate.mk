# Mutation tests (mutate.py, src/docs/testing.md): builds of their own, in which the whole program is one shared library that
# unit tests and the program load. A mutant replaces one object of it by a small library that is loaded first, so that
# nothing else is linked again. In $(BUILD)/mutate every block reports to mutate_cover.c, without optimization in any room, so
# that the lines of a block are known; $(BUILD)/mutate/asan has the address sanitizer.
MUTATE_N    ?= 200
MUTATE_SEED ?= 1
MUTATE_BUILD = BUILD=$(BUILD)/mutate SAN= HOT_CFLAGS= CFLAGS='-O0 -g1 -fPIC -fsanitize-coverage=trace-pc' WARN=-w
MUTATE_ASAN  = BUILD=$(BUILD)/mutate/asan SAN=address CFLAGS='-O0 -fPIC' WARN=-w
MUTATE_LIBS  = $(if $(SAN),-fsanitize=$(SAN)) -Wl,--no-as-needed -L$(BUILD)/loaded -lmutant -lprogram -Wl,--as-needed \
               -lcmocka $(LIBS) -Wl,-rpath,'$$ORIGIN/../loaded:$$ORIGIN/loaded'
MUTATE_RUN   = MAKEFLAGS= PYTHON='$(PY)' /usr/bin/python3 tests/tools/mutate.py --build $(BUILD)/mutate \
               --example-data $(BUILD)/example-data --make "$(MAKE) $(MUTATE_BUILD)"

.PHONY: mutate mutate-smoke mutate-build
mutate: $(EXAMPLE_DB) ## change one operator at a time and see whether a test fails (MUTATE_N, MUTATE_SEED, MUTATE_FILES)
	+@$(AGAIN) $(MUTATE_BUILD) mutate-build
	$(if $(MUTATE_ASAN),+@$(AGAIN) $(MUTATE_ASAN) mutate-build)
	@$(MUTATE_RUN) -n $(MUTATE_N) --seed $(MUTATE_SEED) $(if $(MUTATE_ASAN),--asan "$(MAKE) $(MUTATE_ASAN)") \
	    $(if $(MUTATE_FILES),--files '$(MUTATE_FILES)') $(MUTATE_FLAGS)
# Ten mutants that stay the same until their lines change, without the sanitizer.
mutate-smoke: $(EXAMPLE_DB) ## ten mutants, which must be killed or listed in tests/mutate-survivors
	+@$(AGAIN) $(MUTATE_BUILD) mutate-build
	@$(MUTATE_RUN) -n 10 --seed 1 --check

MUTATE_UNITS := $(patsubst tests/unit/%.c,$(BUILD)/unit-shared/%,$(UNIT_SRC))
MUTATE_TOOLS := $(TOOLS:$(BUILD)/tools/%=$(BUILD)/checks/tools/%)
mutate-build: $(BUILD)/mutated-program $(MUTATE_UNITS) $(MUTATE_TOOLS)
$(BUILD)/loaded/libprogram.so: $(ALL_OBJS) tests/tools/mutate_cover.c
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -fPIC -c -o $(BUILD)/cover.o tests/tools/mutate_cover.c
	$(Q)$(CC) -shared $(if $(SAN),-fsanitize=$(SAN)) -o $@ $(ALL_OBJS) $(BUILD)/cover.o $(LIBS)
	$(Q)echo | $(CC) -shared -fPIC -Wl,-soname,libmutant.so -o $(@D)/libmutant.so -x c -
$(BUILD)/mutated-program: $(BUILD)/loaded/libprogram.so
	$(Q)$(CC) -o $@ $(MUTATE_LIBS)
# Programs of scripts: BUILD/checks is the build that scripts are called with.
$(BUILD)/checks/tools/%: tests/tools/%.c $(BUILD)/loaded/libprogram.so
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -fsanitize-coverage=%,$(ALL_CFLAGS)) -Itests -o $@ $< $(subst $$ORIGIN/../,$$ORIGIN/../../,$(MUTATE_LIBS))
$(BUILD)/unit-shared/%: tests/unit/%.c $(wildcard tests/unit/*.h) $(BUILD)/loaded/libprogram.so
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -fsanitize-coverage=%,$(ALL_CFLAGS)) -Itests -o $@ $< $(MUTATE_LIBS)
