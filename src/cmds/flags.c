/* Keys of the option table as long options, in the spelling of the tools they come from: with
 * underlines or hyphens, booleans without a value. */
#include "cmds/run_args.h"

#include <string.h>

#include "config/config.h"

#define FLAG_PLACES (AZ_AT_OPTIONS | AZ_AT_THRESHOLDS | AZ_AT_ARGS)

/* A key that is a flag: the first of its rows (a key of two places is in the table twice). */
static bool is_flag(const struct az_option *o)
{
    return (o->places & FLAG_PLACES) && az_option_find(az_sv_str(o->key), FLAG_PLACES) == o;
}

static bool is_own(const struct az_cmd *cmd, const char *name)
{
    for (size_t i = 0; i < cmd->n_opts; i++)
        if (cmd->opts[i].id != OPT_KEY && strcmp(cmd->opts[i].name, name) == 0)
            return true;
    return false;
}

/* The only option whose key begins so, as getopt_long completes --KEY; NULL: none or several. */
static const struct az_option *beginning_with(const char *key, size_t n)
{
    const struct az_option *found = NULL;
    for (size_t i = 0; n && i < az_option_count; i++) {
        const struct az_option *o = &az_option_table[i];
        if (!is_flag(o) || strncmp(o->key, key, n) != 0)
            continue;
        if (found)
            return NULL;
        found = o;
    }
    return found;
}

const struct az_option *az_flag_named(const char *name)
{
    char key[64];
    size_t n = 0;

    for (; name[n] && name[n] != '=' && n + 1 < sizeof key; n++)
        key[n] = name[n] == '-' ? '_' : name[n];
    key[n] = '\0';
    const struct az_option *o = az_option_find(az_sv_str(key), FLAG_PLACES);
    return o ? o : beginning_with(key, n);
}

bool az_flags_accepted(const struct az_cmd *cmd) { return is_own(cmd, "opt"); }

size_t az_flags_add(const struct az_cmd *cmd, struct option *to, size_t room)
{
    size_t n = 0;

    for (size_t i = 0; i < az_option_count && n < room; i++) {
        const struct az_option *o = &az_option_table[i];
        if (!is_flag(o) || is_own(cmd, o->key))
            continue;
        to[n++] =
            (struct option){ o->key, o->type == AZ_OPT_BOOL ? optional_argument : required_argument,
                             NULL, OPT_FLAG + (int)i };
    }
    return n;
}

const char *az_flag_nearest(const char *word)
{
    const char *names[FLAGS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < az_option_count && n < FLAGS_MAX; i++)
        if (is_flag(&az_option_table[i]))
            names[n++] = az_option_table[i].key;
    return az_nearest(word, names, n);
}

const struct az_option *az_flag_option(int id)
{
    return id >= OPT_FLAG ? &az_option_table[id - OPT_FLAG] : NULL;
}

int az_flag_set(struct az_overrides *to, int id, const char *value)
{
    const struct az_override o = { .kind = AZ_SET_OPTION,
                                   .key = az_sv_str(az_option_table[id - OPT_FLAG].key),
                                   .value = az_sv_str(value ? value : "true"),
                                   .flag = true };
    return az_vec_push(to, o) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

/* Does a long option begin with the n bytes at `word`, hyphens and underlines being the same? The
 * spelling is then made that of the option. */
static bool respell(char *word, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!name[i] || (word[i] != name[i] && !((word[i] == '-' || word[i] == '_') &&
                                                 (name[i] == '-' || name[i] == '_'))))
            return false;
    memcpy(word, name, n);
    return true;
}

void az_flags_respell(const struct option *longs, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        char *word = argv[i] + 2;
        const size_t n = argv[i][0] == '-' && argv[i][1] == '-' ? strcspn(word, "=") : 0;
        const struct option *whole = NULL, *part = NULL;
        for (const struct option *o = longs; n && o->name; o++) {
            if (strlen(o->name) == n && !whole && respell(word, n, o->name))
                whole = o;
        }
        for (const struct option *o = longs; n && !whole && o->name && !part; o++)
            part = respell(word, n, o->name) ? o : NULL;
    }
}
