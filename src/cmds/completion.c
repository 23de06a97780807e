/* Completion for shells, made from the rows of the commands and from the option table: commands,
 * options, keys as options, and the words that an option takes. Files complete everywhere else. */
#include "cmds/internal.h"

#include <stdio.h>
#include <string.h>

#include "config/config.h"

/* Words of an option: "a|b|c"; NULL: files. */
static const char *words_of(const char *name, const struct az_option *o)
{
    if (strcmp(name, "color") == 0 || strcmp(name, "progress") == 0)
        return "auto|always|never";
    if (strcmp(name, "completion") == 0)
        return "bash|zsh|fish";
    if (strcmp(name, "compat") == 0)
        return "hta|nsys|tracelens|tt-perf-report|all";
    if (o && o->type == AZ_OPT_BOOL)
        return NULL;
    return o && (o->type == AZ_OPT_ENUM || o->type == AZ_OPT_SET) ? o->values : NULL;
}

static void put_words(const char *words)
{
    for (; *words; words++)
        putchar(*words == '|' ? ' ' : *words);
}

/* Text inside single quotes of a shell; `also` are bytes that take a backslash. */
static void put_quoted(const char *text, const char *also)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(also, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void put_reports(const char *between)
{
    fputs("text", stdout);
    for (const struct az_report *const *r = az_reports; *r; r++)
        printf("%s%s", between, (*r)->name);
}

/* Calls `each` for every option of a command, its own and keys. */
static void for_options(const struct az_cmd *cmd,
                        void (*each)(const struct az_cmd *cmd, const struct az_cmd_opt *o,
                                     const struct az_option *key))
{
    struct option longs[FLAGS_MAX + 1];
    const size_t n = az_flags_taken(cmd) ? az_flags_add(cmd, longs, FLAGS_MAX) : 0;

    for (size_t i = 0; i < cmd->n_opts; i++) {
        const struct az_cmd_opt o = az_help_row(&cmd->opts[i]);
        each(cmd, &o, o.id == OPT_KEY ? az_flag_named(o.name) : NULL);
    }
    for (size_t i = 0; i < n; i++) {
        const struct az_option *key = az_flag_option(longs[i].val);
        const struct az_cmd_opt o = { longs[i].val, key->key,
                                      key->type == AZ_OPT_BOOL ? NULL : "VALUE", key->help };
        bool named = false;
        for (size_t k = 0; k < cmd->n_opts; k++)
            named |= cmd->opts[k].id == OPT_KEY && az_flag_named(cmd->opts[k].name) == key;
        if (!named)
            each(cmd, &o, key);
    }
}

/* ---- bash ---- */

static void bash_option(const struct az_cmd *cmd, const struct az_cmd_opt *o,
                        const struct az_option *key)
{
    (void)cmd;
    (void)key;
    printf(" --%s%s", o->name, o->arg ? "=" : "");
}

static void bash_words(const char *name, const char *words)
{
    printf("    --%s)\n        words='", name);
    put_words(words);
    fputs("' ;;\n", stdout);
}

static void print_bash(void)
{
    fputs("# bash completion for analyzer; made by `analyzer help --completion=bash`\n"
          "_analyzer() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=run "
          "options= words= first=${COMP_WORDS[1]}\n"
          "    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then "
          "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
          "    local commands='",
          stdout);
    for (const struct az_cmd *const *c = az_cmd_table; *c; c++)
        printf("%s%s", c == az_cmd_table ? "" : " ", (*c)->name);
    fputs("'\n"
          "    COMPREPLY=()\n"
          "    if [[ $COMP_CWORD -eq 1 && $cur != -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$commands\" -- \"$cur\"))\n"
          "        return\n"
          "    fi\n"
          "    [[ $first == -* ]] || cmd=$first\n"
          "    case $prev in\n"
          "    --format)\n"
          "        words='",
          stdout);
    put_reports(" ");
    fputs("' ;;\n", stdout);
    bash_words("color | --progress", words_of("color", NULL));
    bash_words("compat", words_of("compat", NULL));
    bash_words("completion", words_of("completion", NULL));
    for (size_t i = 0; i < az_option_count; i++) {
        const struct az_option *o = &az_option_table[i];
        if (az_flag_named(o->key) == o && o->type == AZ_OPT_ENUM)
            bash_words(o->key, o->values);
    }
    fputs("    esac\n"
          "    if [[ -n $words ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "        return\n"
          "    fi\n"
          "    case $cmd in\n",
          stdout);
    for (const struct az_cmd *const *c = az_cmd_table; *c; c++) {
        printf("    %s)\n        options='", (*c)->name);
        for_options(*c, bash_option);
        fputs("' ;;\n", stdout);
    }
    fputs("    esac\n"
          "    if [[ $cur == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
          "        [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
          "    elif [[ $cmd == help ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$commands config\" -- \"$cur\"))\n"
          "    else\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "    fi\n"
          "}\n"
          "complete -F _analyzer analyzer\n",
          stdout);
}

/* ---- zsh ---- */

static void zsh_option(const struct az_cmd *cmd, const struct az_cmd_opt *o,
                       const struct az_option *key)
{
    const char *words = words_of(o->name, key);

    (void)cmd;
    fputs("        '", stdout);
    if (o->id < 256)
        printf("(-%c --%s)'{-%c%s,--%s%s}'", o->id, o->name, o->id, o->arg ? "+" : "", o->name,
               o->arg ? "=" : "");
    else
        printf("*--%s%s", o->name, o->arg ? "=" : "");
    putchar('[');
    put_quoted(o->help, "[]:\\");
    putchar(']');
    if (o->arg) {
        printf(":%s:", o->arg);
        if (strcmp(o->name, "format") == 0) {
            putchar('(');
            put_reports(" ");
            putchar(')');
        } else if (words) {
            putchar('(');
            put_words(words);
            putchar(')');
        } else {
            fputs("_files", stdout);
        }
    }
    fputs("' \\\n", stdout);
}

static void print_zsh(void)
{
    fputs("#compdef analyzer\n# made by `analyzer help --completion=zsh`\n_analyzer() {\n"
          "local -a commands\ncommands=(\n",
          stdout);
    for (const struct az_cmd *const *c = az_cmd_table; *c; c++) {
        printf("    '%s:", (*c)->name);
        put_quoted((*c)->help, ":\\");
        fputs("'\n", stdout);
    }
    fputs(")\n"
          "if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
          "    _describe command commands\n"
          "    return\n"
          "fi\n"
          "local command=run\n"
          "if [[ $words[2] != -* ]]; then\n"
          "    command=$words[2]\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "fi\n"
          "case $command in\n",
          stdout);
    for (const struct az_cmd *const *c = az_cmd_table; *c; c++) {
        printf("%s)\n    _arguments -s -S \\\n", (*c)->name);
        for_options(*c, zsh_option);
        fputs("        '*:file:_files' ;;\n", stdout);
    }
    puts("esac\n}\nif [[ $funcstack[1] == _analyzer ]]; then\n    _analyzer \"$@\"\nelse\n"
         "    compdef _analyzer analyzer\nfi");
}

/* ---- fish ---- */

static void fish_option(const struct az_cmd *cmd, const struct az_cmd_opt *o,
                        const struct az_option *key)
{
    const char *words = words_of(o->name, key);

    printf("complete -c analyzer -n '__fish_seen_subcommand_from %s' -l %s", cmd->name, o->name);
    if (o->id < 256)
        printf(" -s %c", o->id);
    if (o->arg && (words || strcmp(o->name, "format") == 0)) {
        fputs(" -x -a '", stdout);
        if (words)
            put_words(words);
        else
            put_reports(" ");
        putchar('\'');
    } else if (o->arg) {
        fputs(" -r", stdout);
    }
    fputs(" -d '", stdout);
    put_quoted(o->help, "\\");
    puts("'");
}

static void print_fish(void)
{
    puts("# fish completion for analyzer; made by `analyzer help --completion=fish`");
    for (const struct az_cmd *const *c = az_cmd_table; *c; c++) {
        printf("complete -c analyzer -n __fish_use_subcommand -a %s -d '", (*c)->name);
        put_quoted((*c)->help, "\\");
        puts("'");
    }
    for (const struct az_cmd *const *c = az_cmd_table; *c; c++)
        for_options(*c, fish_option);
}

int az_print_completion(const struct az_cmd *cmd, const char *shell)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = { { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish } };
    static const char *const names[] = { "bash", "zsh", "fish" };
    const char *near;

    for (size_t i = 0; i < AZ_LENGTH(shells); i++) {
        if (strcmp(shells[i].name, shell) != 0)
            continue;
        shells[i].print();
        return AZ_EXIT_OK;
    }
    near = az_nearest(shell, names, AZ_LENGTH(names));
    if (near)
        return az_usage_error(cmd, "no completion for '%s' (did you mean '%s'?)", shell, near);
    return az_usage_error(cmd, "no completion for '%s' (bash, zsh, fish)", shell);
}
