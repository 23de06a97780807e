# Tests, checks and benchmarks (part of the Makefile).

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

include src/packaging/mutate.mk

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

.PHONY: example unit units installed check-library check-python replays fuzzers golden check-html check-shared schema test test-build
example: ## run the examples (results in build/example-out)
	@BUILD='$(BUILD)' sh example/run.sh

test: test-build ## run every test; the last line is "N passed, N failed"
	@$(STAGES) -j faults golden:1/4 golden:2/4 golden:3/4 golden:4/4 unit regions html cluster documented gates query shared packages \
	    graphs steps examples verdict python accounts schema stragglers counters sizes library trust fuzz names watch
test-build: all units installed wheel $(TOOLS) $(EXAMPLE_DB) $(if $(shell command -v $(MPICC) 2>/dev/null),$(if $(SAN),,mpi))
	+@$(if $(FUZZ_SRC),$(AGAIN) BUILD=$(BUILD)-asan $(ASAN) replays)
units: $(UNITS)
installed: all lib
	@rm -rf '$(abspath $(BUILD)/installed)' # no files of an earlier tree
	+@$(AGAIN) BUILD=$(BUILD) install DESTDIR='$(abspath $(BUILD)/installed)' > $(BUILD)/installed.log
replays: $(REPLAYS)
fuzzers: $(FUZZERS)

unit: $(UNITS) ## build and run the unit tests
	@$(STAGES) unit
check-html: all $(TOOLS) ## open HTML reports in headless Chromium, if it is installed
	@$(STAGES) html
check-library: installed $(EXAMPLE_DB) ## test the installed library: names, ABI, examples, tables
	@$(STAGES) library
check-python: all wheel ## test the Python wheel
	@$(STAGES) python
golden: all $(EXAMPLE_DB) ## test command lines with exact output (tests/golden/run.sh --update rewrites)
	@$(STAGES) golden
check-shared: all $(TOOLS) ## run the analyzer on the shared inputs, if ../shared exists
	@$(STAGES) shared
schema: all ## write schemas/config.schema.json from the option table
	@mkdir -p schemas
	$(BUILD)/analyzer schema > schemas/config.schema.json.tmp && mv schemas/config.schema.json.tmp schemas/config.schema.json
readme: all ## write the generated parts of src/docs and the picture of the output
	@$(PY) tests/options_documented.py --analyzer $(BUILD)/analyzer --update
	@$(PY) tests/migration_check.py --analyzer $(BUILD)/analyzer --update
	@$(PY) src/docs/make_screen.py --analyzer $(BUILD)/analyzer

docs: ## build the pages as HTML in $(BUILD)/docs (needs cmark-gfm)
	@sh tests/need.sh cmark-gfm
	@$(PY) src/docs/make_site.py --out $(BUILD)/docs

.PHONY: docs readme lint sanitize fuzz fuzz-long bench
lint: ## run include rule, spelling, format, static analysis, shell scripts
	@PYTHON='$(PY)' CPPFLAGS='-D_POSIX_C_SOURCE=200809L $(if $(ISAL),-DAZ_WITH_ISAL)' sh tests/lint/run.sh

# With buffers that move (see MOVES); the output of the examples must equal that of the usual build. cli_limits starts the
# program some 2,000 times, on one path, and a start takes more than a tenth of a second there.
sanitize: all $(EXAMPLE_DB) ## tests with address, undefined and thread sanitizers (build-asan, build-tsan)
	+@$(AGAIN) BUILD=$(BUILD)-asan $(ASAN) all units replays $(patsubst $(BUILD)/%,$(BUILD)-asan/%,$(TOOLS))
	+@$(AGAIN) BUILD=$(BUILD)-tsan SAN=thread all $(BUILD)-tsan/unit/base_pool $(BUILD)-tsan/stress/xlsx_stress
	@TSAN='$(BUILD)-tsan' PYTHON='$(PY)' UNITS='$(patsubst $(BUILD)/%,$(BUILD)-asan/%,$(UNITS))' \
	    BUILD='$(BUILD)-asan' ANALYZER='$(abspath $(BUILD)-asan/analyzer)' EXAMPLE_DATA='$(abspath $(BUILD)/example-data)' \
	    OTHER='$(abspath $(BUILD)/analyzer)' REPLAY='$(BUILD)-asan/replay' GOLDEN_SKIP=cli_limits \
	    sh tests/stages.sh -j unit golden:1/4 golden:2/4 golden:3/4 golden:4/4 shared examples threads sizes fuzz

fuzz: ## fuzz every harness with clang (FUZZ_SECONDS=30 each, build-fuzz)
	+@$(AGAIN) CC=clang BUILD=$(BUILD)-fuzz SAN=fuzzer-no-link,address,undefined WARN= fuzzers
	@set -e; for f in $(patsubst tests/fuzz/%_fuzz.c,%,$(FUZZ_SRC)); do \
	    mkdir -p $(BUILD)-fuzz/found/$$f $(BUILD)-fuzz/corpus/$$f; echo "== $$f"; \
	    seeds=; [ -d tests/fuzz/corpus/$$f ] && seeds=tests/fuzz/corpus/$$f; \
	    $(BUILD)-fuzz/fuzz/$$f -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
	        -dict=tests/fuzz/words.dict -artifact_prefix=$(BUILD)-fuzz/found/$$f/ $(BUILD)-fuzz/corpus/$$f $$seeds > $(BUILD)-fuzz/$$f.log 2>&1 || \
	        { grep -v '^#' $(BUILD)-fuzz/$$f.log | tail -n 60; exit 1; }; \
	    awk '/PC tables/ { split($$0, p, /[( ]+/); for (i in p) if (p[i + 1] == "PCs):" || p[i + 1] == "PCs") all = p[i] } \
	        / cov: / { for (i = 1; i < NF; i++) if ($$i == "cov:") cov = $$(i + 1) } \
	        /executed_units/ { runs = $$2 } /peak_rss/ { rss = $$2 } \
	        END { printf "%d inputs, %d of %d edges of what is linked (%.1f %%), %d MB\n", runs, cov, all, all ? 100 * cov / all : 0, rss }' \
	        $(BUILD)-fuzz/$$f.log; done

fuzz-long: ## the same for two hours per harness (weekly, or by OSS-Fuzz)
	+@$(AGAIN) FUZZ_SECONDS=7200 fuzz

# What the program is compared with, and what follows its threads.
BENCH_SIMDJSON := $(if $(wildcard /usr/include/simdjson.h),$(BUILD)/bench/bench_simdjson)
$(BUILD)/bench/bench_simdjson: tests/bench/simdjson.cpp
	@mkdir -p $(@D)
	$(Q)$(CXX) -O3 -std=c++17 -o $@ $< -lsimdjson
$(BUILD)/bench/cpu_path.so: tests/bench/preload/cpu_path.c
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -shared -fPIC -o $@ $< -ldl
bench: all $(BENCHES) $(BUILD)/tools/make_parts $(BUILD)/bench/cpu_path.so $(BENCH_SIMDJSON) ## run benchmarks and check their limits (BENCH=smoke: small and quick)
	@BUILD='$(BUILD)' PYTHON='$(PY)' BENCH='$(BENCH)' sh tests/bench/run.sh
