/* Topics of `analyzer help` that are no commands. */
#include "cmds/internal.h"

#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "query/query.h"
#include "text/text_writer.h"

struct topic {
    const char *name, *help;
    const char *text; /* NULL: put makes it */
    int (*put)(struct az_vec_char *page);
};

static int put_formats(struct az_vec_char *page) { return az_list_put(page, NULL, SIZE_MAX); }

static int put_sql(struct az_vec_char *page)
{
    az_text_format(page,
                   "Tables of events and facts, the same for every format: name, then columns "
                   "with type and unit.\nTables of reports have the ids of 'analyzer query "
                   "PATH .tables'.\n\n");
    return az_query_describe(page);
}

static int put_topics(struct az_vec_char *page);

static const struct topic topics[] = {
    { "config", "keys of a configuration, and of --opt and --set", NULL, az_config_help },
    { "formats", "input formats, analyses, output formats", NULL, put_formats },
    { "sql", "tables and columns of 'analyzer query'", NULL, put_sql },
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
    { "topics", "this list", NULL, put_topics },
};

static int put_topics(struct az_vec_char *page)
{
    az_text_format(page, "Topics: analyzer help TOPIC\n");
    for (size_t i = 0; i < AZ_LENGTH(topics); i++)
        az_text_format(page, "  %-20s%s\n", topics[i].name, topics[i].help);
    az_text_format(page,
                   "\nCommands: analyzer help COMMAND; 'analyzer help' lists them.\n\nPages: "
                   "the tutorial, recipes, formats and formulas are in share/doc/analyzer (in "
                   "the source tree: src/docs).\n");
    return az_vec_error(page);
}

bool az_topic_print(const char *name, int *status)
{
    for (size_t i = 0; i < AZ_LENGTH(topics); i++) {
        struct az_vec_char page;
        if (strcmp(topics[i].name, name) != 0)
            continue;
        az_vec_init(&page, NULL);
        if (topics[i].text)
            az_text_add(&page, az_sv_str(topics[i].text));
        const int rc = topics[i].put ? topics[i].put(&page) : AZ_OK;
        *status = rc ? AZ_EXIT_INTERNAL : az_print_page(&page);
        az_vec_release(&page);
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
