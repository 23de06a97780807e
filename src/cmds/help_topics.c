/* Topics of `analyzer help` that are no commands. */
#include "cmds/internal.h"

#include <stdio.h>
#include <string.h>

#include "query/query.h"

struct topic {
    const char *name, *help;
    const char *text; /* NULL: print makes it */
    int (*print)(void);
};

static int print_formats(void)
{
    return az_cmd_list.run(&az_cmd_list, 1, (char *[]){ "list", NULL });
}

static int print_sql(void)
{
    struct az_vec_char text;
    int rc;

    puts("Tables of events and facts, the same for every format: name, then columns with type and "
         "unit.\nTables of reports have the ids of 'analyzer query PATH .tables'.\n");
    az_vec_init(&text, NULL);
    rc = az_query_describe(&text);
    if (!rc && text.n)
        fwrite(text.v, 1, text.n, stdout);
    az_vec_release(&text);
    return rc ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

static int print_topics(void);

static const struct topic topics[] = {
    { "config", "keys of a configuration, and of --opt and --set", NULL, az_print_config_help },
    { "formats", "input formats, analyses, output formats", NULL, print_formats },
    { "sql", "tables and columns of 'analyzer query'", NULL, print_sql },
    { "exit-status", "what the exit status means",
      "0    success, all gates passed\n"
      "1    a gate failed\n"
      "2    invalid usage or configuration, nothing was run\n"
      "3    an input or output failed or a gate was inconclusive, all others completed\n"
      "4    internal error\n"
      "130  interrupted\n",
      NULL },
    { "outputs", "where reports go and how they are named",
      "Paths alone print text and write nothing. Files are written with -o, --format, --xlsx or\n"
      "--csv-dir, and by a configuration.\n\n"
      "-o DIR          DIR/NAME_perf_report.xlsx, .html, .json, ...; NAME is that of the input\n"
      "-o FILE.xlsx    this workbook; other formats next to it under the same name\n"
      "--csv-dir DIR   DIR/TABLE.csv; several inputs: DIR/<title>/TABLE.csv\n"
      "no folder       next to the first input file\n",
      NULL },
    { "environment", "environment variables",
      "COLUMNS              width of text, 80 to 200\n"
      "NO_COLOR, TERM       no color if set; TERM=dumb: neither color nor progress\n"
      "TMPDIR               folder of temporary files (/tmp)\n"
      "PATH, NSYS           where nsys is found; NSYS names the program\n"
      "GITHUB_ACTIONS       true: gates print annotations\n"
      "GITHUB_STEP_SUMMARY  file to which gates append Markdown\n"
      "SOURCE_DATE_EPOCH    time of a run in a history, in seconds\n"
      "${NAME} in a configuration is any variable.\n",
      NULL },
    { "sandbox", "privileges dropped while files are read",
      "Network, the execution of other programs, and access to files other than inputs and "
      "outputs\n"
      "are dropped while files are read, where the system supports it ('analyzer version' prints\n"
      "it). --no-sandbox, with any command, keeps them.\n",
      NULL },
    { "topics", "this list", NULL, print_topics },
};

static int print_topics(void)
{
    puts("Topics: analyzer help TOPIC");
    for (size_t i = 0; i < AZ_LENGTH(topics); i++)
        printf("  %-20s%s\n", topics[i].name, topics[i].help);
    puts("\nCommands: analyzer help COMMAND; 'analyzer help' lists them.\nPages: the tutorial, "
         "recipes, formats and formulas are in share/doc/analyzer (in the source tree: src/docs).");
    return AZ_EXIT_OK;
}

bool az_topic_print(const char *name, int *rc)
{
    for (size_t i = 0; i < AZ_LENGTH(topics); i++) {
        if (strcmp(topics[i].name, name) != 0)
            continue;
        *rc = AZ_EXIT_OK;
        if (topics[i].text)
            fputs(topics[i].text, stdout);
        else
            *rc = topics[i].print();
        return true;
    }
    return false;
}

const char *az_topic_at(size_t i, const char **help)
{
    if (i >= AZ_LENGTH(topics))
        return NULL;
    *help = topics[i].help;
    return topics[i].name;
}

const char *az_topic_nearest(const char *name)
{
    const char *names[AZ_LENGTH(topics) + 64];
    size_t n = 0;

    for (size_t i = 0; i < AZ_LENGTH(topics); i++)
        names[n++] = topics[i].name;
    for (const struct az_cmd *const *c = az_cmd_table; *c && n < AZ_LENGTH(names); c++)
        names[n++] = (*c)->name;
    return az_nearest(name, names, n);
}
