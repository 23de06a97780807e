/* Prints the tables of a profile: a row per line, cells with tabs between (package libanalyzer-dev).
 *     cc tables.c $(pkg-config --cflags --libs analyzer) -o tables && ./tables PATH [OPTION=VALUE...] */
#include <analyzer.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_cell(const struct analyzer_cell *c)
{
    if (c->type == ANALYZER_TEXT)
        fputs(c->value.text, stdout);
    else if (c->type == ANALYZER_INT)
        printf("%" PRId64, c->value.integer);
    else if (c->type == ANALYZER_REAL)
        printf("%.17g", c->value.real);
    else if (c->type == ANALYZER_BOOL)
        fputs(c->value.integer ? "True" : "False", stdout);
}

static int print_table(const struct analyzer_table *t)
{
    const struct analyzer_cell *cells;
    struct analyzer_rows *rows;
    int rc = analyzer_rows_open(t, &rows);

    printf("\n%s: %s\n", analyzer_table_id(t), analyzer_table_title(t));
    for (size_t i = 0; i < analyzer_table_columns(t); i++)
        printf("%s%s[%s]", i ? "\t" : "", analyzer_column_name(t, i), analyzer_column_unit(t, i));
    while (rc >= 0 && (rc = analyzer_rows_next(rows, &cells)) == 1) {
        for (size_t i = 0; i < analyzer_table_columns(t); i++) {
            putchar(i ? '\t' : '\n');
            print_cell(&cells[i]);
        }
    }
    putchar('\n');
    analyzer_rows_close(rows);
    return rc;
}

int main(int argc, char **argv)
{
    struct analyzer *a = NULL;
    int rc = analyzer_open(&a);

    rc = rc ? rc : analyzer_add_path(a, argc > 1 ? argv[1] : ".");
    for (int i = 2; rc == 0 && i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (value)
            *value++ = '\0';
        rc = analyzer_set_option(a, argv[i], value);
    }
    rc = rc ? rc : analyzer_analyse(a);
    for (size_t i = 0; i < analyzer_message_count(a); i++)
        fprintf(stderr, "%s\n", analyzer_message_text(a, i));
    for (size_t i = 0; i < analyzer_table_count(a, 0); i++)
        rc = print_table(analyzer_table_at(a, 0, i)) < 0 ? ANALYZER_ENOMEM : rc;
    fputs(rc ? analyzer_error_text(rc) : "", stderr);
    analyzer_close(a);
    return rc != 0;
}
