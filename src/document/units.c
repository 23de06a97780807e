/* Units by the names of columns, for tables that come from CSV files, which carry no others. */
#include "document/units.h"

enum where { WORD, SUBSTRING, START, END, WHOLE };

/* The first row that fits counts. A word stands between characters that are neither letters, digits
 * nor bytes of other alphabets; letters are compared as written. */
static const struct rule {
    const char *text;
    enum where where;
    enum az_unit unit;
} rules[] = {
    { "_count", END, AZ_UNIT_COUNT },
    { "FLOPs", WHOLE, AZ_UNIT_TFLOPS },
    { "DRAM", WHOLE, AZ_UNIT_GBPS },
    { "CCL", WHOLE, AZ_UNIT_GBPS },
    { "Util", END, AZ_UNIT_PERCENT },
    { "Share", WHOLE, AZ_UNIT_PERCENT },
    { "pct", WORD, AZ_UNIT_PERCENT },
    { "TFLOPS/s", SUBSTRING, AZ_UNIT_TFLOPS },
    { "TFLOP/s", SUBSTRING, AZ_UNIT_TFLOPS },
    { "TB/s", SUBSTRING, AZ_UNIT_TBPS },
    { "GB/s", SUBSTRING, AZ_UNIT_GBPS },
    { "tflops_per_s", SUBSTRING, AZ_UNIT_TFLOPS },
    { "tb_per_s", SUBSTRING, AZ_UNIT_TBPS },
    { "gb_per_s", SUBSTRING, AZ_UNIT_GBPS },
    { "GBps", WORD, AZ_UNIT_GBPS },
    { "FLOPS/Byte", SUBSTRING, AZ_UNIT_FLOP_PER_BYTE },
    { "flops_per_byte", SUBSTRING, AZ_UNIT_FLOP_PER_BYTE },
    { "%", SUBSTRING, AZ_UNIT_PERCENT },
    { "percent", WORD, AZ_UNIT_PERCENT },
    { "Percent", WORD, AZ_UNIT_PERCENT },
    { "Percentage", WORD, AZ_UNIT_PERCENT },
    { "Pct", WORD, AZ_UNIT_PERCENT },
    { "Fraction", WORD, AZ_UNIT_RATIO },
    { "TFLOPS", WORD, AZ_UNIT_TFLOPS },
    { "GFLOPS", WORD, AZ_UNIT_GFLOP },
    { "GFLOP", WORD, AZ_UNIT_GFLOP },
    { "flops", WORD, AZ_UNIT_FLOP },
    { "ns", WORD, AZ_UNIT_NS },
    { "\xc2\xb5s", WORD, AZ_UNIT_US }, /* micro sign */
    { "\xce\xbcs", WORD, AZ_UNIT_US }, /* Greek mu */
    { "us", WORD, AZ_UNIT_US },
    { "ms", WORD, AZ_UNIT_MS },
    { "ps", WORD, AZ_UNIT_PS },
    { "(s)", SUBSTRING, AZ_UNIT_S },
    { "(B)", SUBSTRING, AZ_UNIT_BYTES },
    { "(KB)", SUBSTRING, AZ_UNIT_KB },
    { "(MB)", SUBSTRING, AZ_UNIT_MB },
    { "(GB)", SUBSTRING, AZ_UNIT_GB },
    { "bytes", WORD, AZ_UNIT_BYTES },
    { "total_direct_kernel_time", START, AZ_UNIT_US },
    { "total_subtree_kernel_time", START, AZ_UNIT_US },
    { "Device Time", START, AZ_UNIT_US },
    { "Op-to-Op Gap", START, AZ_UNIT_US },
    { "PM Ideal", START, AZ_UNIT_US },
    { "dur_", START, AZ_UNIT_US },
    { "bin_", START, AZ_UNIT_US },
    { "Global Call Count", WHOLE, AZ_UNIT_ID },
    { "count", WORD, AZ_UNIT_COUNT },
    { "Count", WORD, AZ_UNIT_COUNT },
    { "Instances", WORD, AZ_UNIT_COUNT },
    { "Instance", SUBSTRING, AZ_UNIT_COUNT },
    { "Calls", WORD, AZ_UNIT_COUNT },
    { "Cores", WORD, AZ_UNIT_COUNT },
    { "Rows", WORD, AZ_UNIT_COUNT },
    { "Launches", WORD, AZ_UNIT_COUNT },
    { "Dispatches", WORD, AZ_UNIT_COUNT },
    { "Kernels", WORD, AZ_UNIT_COUNT },
    { "Copies", WORD, AZ_UNIT_COUNT },
    { "Gaps", WORD, AZ_UNIT_COUNT },
    { "Inst", WORD, AZ_UNIT_COUNT },
    { "QCount", WORD, AZ_UNIT_COUNT },
    { "Ops", WORD, AZ_UNIT_COUNT },
    { "iterations", WORD, AZ_UNIT_COUNT },
    { "Iterations", WORD, AZ_UNIT_COUNT },
    { "executions", WORD, AZ_UNIT_COUNT },
    { "nelems", WORD, AZ_UNIT_COUNT },
    { "size", WORD, AZ_UNIT_COUNT },
};

/* Of whole numbers only, and where nothing above fits: what is a name although it is a number. */
static const struct {
    const char *text;
    enum where where;
} ids[] = {
    { "UID", WORD },       { "ID", WORD },      { "id", WORD },      { "PID", WHOLE },
    { "TID", WHOLE },      { "device", WHOLE }, { "Device", WHOLE }, { "stream", WORD },
    { "agent", WORD },     { "param:", START }, { "rank", WORD },    { "Rank", WHOLE },
    { "Lvl", WHOLE },      { "DevId", WHOLE },  { "idx", WORD },     { "RangeId", WHOLE },
    { "ParentId", WHOLE }, { "GPU", WHOLE },    { "src", WHOLE },    { "dst", WHOLE },
    { "Sequence", WHOLE }, { "Step", WHOLE },
};

static bool letter(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           (unsigned char)c >= 0x80;
}

static bool has_word(struct az_sv name, struct az_sv word)
{
    for (size_t from = 0; from + word.n <= name.n;) {
        ptrdiff_t at = az_sv_find(az_sv_make(name.p + from, name.n - from), word);
        if (at < 0)
            return false;
        size_t begin = from + (size_t)at, end = begin + word.n;
        if ((begin == 0 || !letter(name.p[begin - 1])) && (end == name.n || !letter(name.p[end])))
            return true;
        from = begin + 1;
    }
    return false;
}

static bool matches_word(struct az_sv name, const char *word, enum where where)
{
    struct az_sv text = az_sv_str(word);
    switch (where) {
    case WORD:
        return has_word(name, text);
    case SUBSTRING:
        return az_sv_find(name, text) >= 0;
    case START:
        return az_sv_starts(name, text);
    case END:
        return az_sv_ends(name, text);
    case WHOLE:
        break;
    }
    return az_sv_eq(name, text);
}

enum az_unit az_unit_of_column(struct az_sv name, enum az_cell_type type)
{
    if (type == AZ_TEXT || type == AZ_BOOL || name.n > 4096)
        return AZ_UNIT_NONE;
    for (size_t i = 0; i < AZ_LENGTH(rules); i++)
        if (matches_word(name, rules[i].text, rules[i].where))
            return rules[i].unit;
    for (size_t i = 0; type == AZ_INT && i < AZ_LENGTH(ids); i++)
        if (matches_word(name, ids[i].text, ids[i].where))
            return AZ_UNIT_ID;
    return AZ_UNIT_NONE;
}
