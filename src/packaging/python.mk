# The Python wheel (part of the Makefile): src/packaging/python, src/docs/python.md.

# Its library finds those that come with it next to itself, and has no symbols for a debugger.
WHEEL_SO := $(BUILD)/wheel/libanalyzer.so.0
XLSX_FILE = $(if $(XLSX_SO),$(shell $(CC) -print-file-name=$(XLSX_SO)))
$(WHEEL_SO): $(BUILD)/pic/analyzer.o src/packaging/libanalyzer.map
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -s $(LDFLAGS) -Wl,--version-script=src/packaging/libanalyzer.map -Wl,-soname,$(SONAME) \
	    -Wl,--disable-new-dtags,-rpath,'$$ORIGIN' -o $@ $< $(LIBS)
.PHONY: wheel
wheel: $(WHEEL_SO) ## build the Python wheel in $(BUILD)/dist (no network; src/docs/python.md)
	@$(PY) src/packaging/python/wheel.py --library $(WHEEL_SO) $(if $(XLSX_FILE),--extra $(XLSX_FILE)) --version $(VERSION) \
	    --epoch $(SOURCE_DATE_EPOCH) --out $(BUILD)/dist
