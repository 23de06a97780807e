/* `analyzer help config`: the option table as text. */
#include "config/private.h"

#include "base/mem.h"
#include "text/text_writer.h"

static const struct {
    unsigned place;
    const char *heading;
} blocks[] = {
    { AZ_AT_TOP, "Top level" },
    { AZ_AT_INPUT, "Each of inputs[]" },
    { AZ_AT_CSV, "inputs[].nsys_csv_file_path" },
    { AZ_AT_REPORT, "inputs[].nsys_report" },
    { AZ_AT_ARGS, "inputs[].analysis_args (all of them also in options; also --opt KEY=VALUE)" },
    { AZ_AT_OPTIONS,
      "options, at the top level for all inputs or in one of them (also --opt KEY=VALUE)" },
    { AZ_AT_THRESHOLDS,
      "thresholds, at the top level for all inputs or in one of them (also --opt KEY=VALUE)" },
    { AZ_AT_OUTPUTS, "outputs, at the top level for all inputs or in one of them" },
    { AZ_AT_COMPARE, "compare" },
    { AZ_AT_GATES, "gates" },
    { AZ_AT_RULE, "Each of gates.rules[]" },
    { AZ_AT_HISTORY, "history" },
};

static const char *type_text(const struct az_option *o)
{
    switch (o->type) {
    case AZ_OPT_BOOL:
        return "true or false";
    case AZ_OPT_INT:
        return "whole number";
    case AZ_OPT_REAL:
        return "number";
    case AZ_OPT_SIZE:
        return "bytes or \"64M\"";
    case AZ_OPT_ENUM:
        return o->values ? o->values : "format name";
    case AZ_OPT_SET:
        return o->values;
    case AZ_OPT_LIST:
        return "list";
    case AZ_OPT_MAP:
    case AZ_OPT_OBJECT:
        return "object";
    case AZ_OPT_PATH:
        return "path";
    case AZ_OPT_TEXT:
        break;
    }
    return "text";
}

/* Words between bars, with blanks where a line may end. */
static void put_words(struct az_vec_char *w, struct az_sv words)
{
    while (words.n) {
        az_text_add(w, az_sv_cut(&words, '|'));
        if (words.n)
            az_text_add(w, AZ_SV(" | "));
    }
}

static void put_option(struct az_vec_char *w, const struct az_option *o, struct az_arena *a)
{
    struct az_sv range = o->type == AZ_OPT_LIST ? AZ_SV("") : az_value_range(o, a);
    az_text_format(w, "  %s (", o->key);
    put_words(w, az_sv_str(type_text(o)));
    az_text_format(w, "%s%.*s", range.n ? ", " : "", AZ_SVF(range));
    if (o->fallback)
        az_text_format(w, "; default %s", o->fallback);
    az_text_format(w, ")\n      %s", o->help);
    if (o->formats[0])
        az_text_format(w, " [%s]", o->formats);
    az_text_add(w, AZ_SV("\n"));
}

int az_config_help(struct az_vec_char *out)
{
    struct az_arena a;
    az_arena_init(&a, NULL);
    az_text_add(out, AZ_SV("Configuration: JSON with comments and trailing commas; ${VAR} and "
                           "${VAR:-default} in strings.\nRelative paths are resolved next to the "
                           "configuration, then in the current directory.\n"));
    for (size_t b = 0; b < AZ_LENGTH(blocks); b++) {
        az_text_format(out, "\n%s\n", blocks[b].heading);
        for (size_t i = 0; i < az_option_count; i++) {
            const struct az_option *o = &az_option_table[i];
            bool twice =
                blocks[b].place == AZ_AT_OPTIONS && (o->places & AZ_AT_ARGS); /* shown above */
            if ((o->places & blocks[b].place) && !twice)
                put_option(out, o, &a);
        }
    }
    const int rc = a.failed ? az_arena_error(&a) : az_vec_error(out);
    az_arena_release(&a);
    return rc;
}
