/* Entry points of the configuration: from a file, from memory, or none at all. */
#include "config/private.h"

#include "io/path.h"
#include "io/source.h"

int az_config_init(struct az_config *c)
{
    *c = (struct az_config){ .jobs = 0 };
    az_arena_init(&c->arena, NULL);
    az_vec_init(&c->inputs, NULL);
    az_vec_init(&c->only, NULL);
    az_vec_init(&c->gates.rules, NULL);
    az_vec_init(&c->history_labels, NULL);
    az_config_default(c);
    az_vec_init(&c->compare.inputs, NULL);
    az_vec_init(&c->compare.names, NULL);
    az_vec_init(&c->compare.tables, NULL);
    az_outputs_default(&c->compare.outputs);
    az_outputs_default(&c->outputs);
    az_outputs_default(&c->quick.outputs);
    az_options_default(&c->quick.opts, NULL);
    az_search_default(&c->quick.search);
    return 0;
}

void az_config_release(struct az_config *c)
{
    for (size_t i = 0; i < c->inputs.n; i++)
        az_input_release(&c->inputs.v[i]);
    az_vec_release(&c->inputs);
    az_vec_release(&c->only);
    az_vec_release(&c->gates.rules);
    az_vec_release(&c->history_labels);
    az_vec_release(&c->compare.inputs);
    az_vec_release(&c->compare.names);
    az_vec_release(&c->compare.tables);
    az_outputs_release(&c->compare.outputs);
    az_outputs_release(&c->outputs);
    az_input_release(&c->quick);
    az_arena_release(&c->arena);
}

/* Everything after reading: --set, variables, validation. */
static int load_tree(struct az_loader *l, struct az_node *root)
{
    size_t errors = l->diag->errors;
    l->c->jobs = 0;
    az_options_default(&l->opts, NULL);
    az_outputs_default(&l->outputs);
    az_override_paths(l, root);
    if (!l->fatal)
        az_expand_all(l, root);
    int rc = l->fatal;
    if (rc == 0)
        rc = az_config_resolve(l, root);
    if (rc == 0 && (l->diag->errors > errors || l->a->failed))
        rc = l->a->failed ? az_arena_error(l->a) : AZ_ECONFIG;
    az_options_release(&l->opts);
    az_outputs_release(&l->outputs);
    return rc;
}

static int load_text(struct az_loader *l, struct az_sv text, struct az_sv file)
{
    struct az_node *root = NULL;
    int rc = az_conf_parse(text, file, l->a, l->diag, &root);
    if (rc == 0)
        rc = load_tree(l, root);
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        (void)az_diag_memory(l->diag, rc, AZ_AT_FILE(file), NULL);
    return rc;
}

static int read_all(struct az_config *c, const char *path, struct az_diag *diag, struct az_sv *text)
{
    struct az_source *s = NULL;
    struct az_source_opts opts = { .diag = diag };
    int rc = az_source_open(&s, path, &opts);
    if (rc < 0)
        return rc == AZ_ENOMEM ? rc : AZ_ECONFIG;
    size_t errors = diag->errors;
    rc = az_source_all(s, &c->arena, CONFIG_MAX_BYTES, text);
    if (rc == AZ_ELIMIT && diag->errors == errors)
        az_diag_add(diag, AZ_ERROR, AZ_AT_FILE(c->path),
                    "larger than 64 MiB; check that the file is a configuration");
    if (rc < 0 && rc != AZ_ENOMEM)
        rc = AZ_ECONFIG;
    az_source_close(s);
    return rc;
}

int az_config_load(struct az_config *c, const char *path, const struct az_overrides *over,
                   const struct az_config_names *names, struct az_diag *diag)
{
    struct az_sv text = { 0 };
    bool input = strcmp(path, "-") == 0;
    c->path = az_arena_dup(&c->arena, input ? AZ_SV("<stdin>") : az_sv_str(path));
    if (!c->path.p)
        return az_diag_memory(diag, AZ_ENOMEM, AZ_NOWHERE, NULL);
    int rc = read_all(c, path, diag, &text);
    if (rc < 0)
        return rc == AZ_ENOMEM ? az_diag_memory(diag, rc, AZ_AT_FILE(c->path), NULL) : rc;
    struct az_loader l = { .c = c, .a = &c->arena, .names = names, .over = over, .diag = diag };
    l.base = input ? AZ_SV("") : az_path_dir(c->path);
    return load_text(&l, text, c->path);
}

int az_config_load_memory(struct az_config *c, struct az_sv text, const char *path,
                          const struct az_overrides *over, const struct az_config_names *names,
                          struct az_diag *diag)
{
    struct az_loader l = {
        .c = c, .a = &c->arena, .names = names, .over = over, .diag = diag, .no_files = true
    };
    c->path = az_arena_dup(&c->arena, az_sv_str(path));
    struct az_sv own =
        az_arena_dup(&c->arena, text); /* with the NUL after it that the parser needs */
    if (!own.p || !c->path.p)
        return az_diag_memory(diag, AZ_ENOMEM, AZ_NOWHERE, NULL);
    return load_text(&l, own, c->path);
}

int az_config_quick(struct az_config *c, const struct az_overrides *over,
                    const struct az_config_names *names, struct az_diag *diag)
{
    struct az_loader l = {
        .c = c, .a = &c->arena, .names = names, .over = over, .diag = diag, .quick = true
    };
    struct az_node *root = NULL;
    /* one input as a template, so that `--set inputs.*.x=y` and --opt work as they do with a config
     */
    int rc = az_conf_parse(AZ_SV("{ \"inputs\": [ {} ] }"), AZ_SV(""), l.a, diag, &root);
    if (rc < 0)
        return rc;
    root->line = root->first->line = root->first->first->line = 0;
    rc = load_tree(&l, root);
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        (void)az_diag_memory(diag, rc, AZ_NOWHERE, NULL);
    if (rc == 0 && c->inputs.n > 1)
        rc = az_diag_fail(diag, AZ_ECONFIG, AZ_AT_FILE(AZ_SV("--set")),
                          "no such input to set; with paths, use inputs.* for all inputs");
    if (rc == 0 && c->inputs.n == 1) {
        az_input_release(&c->quick);
        c->quick = c->inputs.v[0];
        az_vec_reset(&c->inputs);
    }
    return rc;
}

int az_config_copy_input(struct az_inputs *list, const struct az_input *from)
{
    struct az_input copy = *from;
    az_vec_init(&copy.files, NULL);
    az_vec_init(&copy.outputs.formats, NULL);
    int rc = az_options_copy(&copy.opts, &from->opts);
    if (rc == 0)
        rc = az_outputs_copy(&copy.outputs, &from->outputs);
    if (rc == 0)
        rc = az_vec_push(list, copy);
    if (rc < 0)
        az_input_release(&copy);
    return rc;
}

int az_config_add_input(struct az_config *c, struct az_input **in)
{
    int rc = az_config_copy_input(&c->inputs, &c->quick);
    if (rc == 0)
        *in = &c->inputs.v[c->inputs.n - 1];
    return rc;
}
