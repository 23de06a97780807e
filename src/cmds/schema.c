/* `analyzer schema`: the JSON Schema of the configuration, made from the option table. */
#include "cmds/internal.h"

#include <stdio.h>

static int print_schema(struct az_vec_char *text, struct az_arena *arena)
{
    struct az_config_names names;
    struct az_jsonw w;
    int rc = az_plan_names(arena, &names);

    if (rc)
        return rc;
    az_jsonw_init(&w, NULL, text, 2);
    rc = az_config_schema(&w, &names);
    if (!rc)
        rc = az_jsonw_finish(&w);
    if (!rc && text->n)
        fwrite(text->v, 1, text->n, stdout);
    if (!rc && text->n && text->v[text->n - 1] != '\n')
        putchar('\n');
    return rc;
}

static int run_schema(const struct az_cmd *cmd, int argc, char **argv)
{
    struct az_vec_char text;
    struct az_arena arena;
    struct az_args a;
    int rc;

    az_args_init(&a, cmd, argc, argv);
    if (az_args_only_help(&a, 0, 0, &rc))
        return rc;
    az_arena_init(&arena, NULL);
    az_vec_init(&text, NULL);
    rc = print_schema(&text, &arena);
    az_vec_release(&text);
    az_arena_release(&arena);
    if (rc)
        fprintf(stderr, "analyzer: error: schema: %s\n", az_err_text(rc));
    return rc ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

static const struct az_cmd_opt options[] = { { 'h', "help", NULL, "print this help" } };
const struct az_cmd az_cmd_schema = {
    "schema", "", "print the JSON Schema of the configuration", NULL, options, 1, run_schema
};
