/* Seeds of the fuzz harness of parts, for the layout that parts have now: part_seeds FOLDER. A file
 * for each of some extreme values, with edits that put it wherever a part is still read with it, so
 * that what is made of such numbers is reached; and one for each large section with an edit that
 * damages it. Run it when the layout of a part changes, and replace tests/fuzz/corpus/parts by what
 * it writes. */
#include "../fuzz/parts_fuzz.c"

enum { MOST = 1 << 16 };

static void write_seed(const char *folder, const char *name, const uint8_t *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

/* An edit of data at n. */
static void put_edit(uint8_t *data, size_t n, size_t at, uint8_t value)
{
    data[n] = (uint8_t)(at >> 8);
    data[n + 1] = (uint8_t)at;
    data[n + 2] = value;
}

/* Places from `from` on where the value of 1 << log2 bytes is one of a part. */
static void write_sound(const char *folder, const char *name, uint8_t value, uint8_t log2,
                        size_t from, size_t to)
{
    static uint8_t data[MOST];
    size_t n = 1;
    data[0] = log2;
    for (size_t at = from; at < to && n + 3 <= MOST; at += (size_t)1 << log2) {
        put_edit(data, n, at, value);
        n += report_input(data, n + 3) ? 3 : 0;
    }
    write_seed(folder, name, data, n);
}

/* The middle one of the places of a section where a negative number is damage. */
static void write_damage(const char *folder, const struct az_section *x, size_t from)
{
    size_t at[4096], n = 0;
    uint8_t data[4] = { 3 };
    char name[256];
    for (size_t i = 0; i + 8 <= x->bytes.n && n < 4096; i += 8) {
        put_edit(data, 1, from + i, 0x80);
        if (!report_input(data, sizeof data))
            at[n++] = from + i;
    }
    if (n == 0)
        return;
    put_edit(data, 1, at[n / 2], 0x80);
    snprintf(name, sizeof name, "damaged_%s", x->name);
    write_seed(folder, name, data, sizeof data);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        uint8_t value, log2;
    } extremes[] = { { "large", 0x7f, 3 }, { "negative", 0x80, 3 },     { "minus_one", 0xff, 3 },
                     { "zero", 0, 3 },     { "large_counts", 0x7f, 2 }, { "good", 0, 0 } };
    struct az_sections s;
    size_t first = 0, end = 0;
    if (argc != 2)
        return 2;
    make_good(0);
    make_good(1);
    if (az_sections_open(&s, az_text_view(&good[0])))
        return 3;
    for (size_t i = 0; i < s.n; i++) {
        const struct az_section x = az_sections_at(&s, i);
        if (strcmp(x.name, "ranks") == 0)
            first = end;
        if (strcmp(x.name, "rank") == 0) { /* its first number is its state */
            uint8_t failed[4] = { 3 };
            put_edit(failed, 1, end, 1);
            write_seed(argv[1], "no_reason", failed, sizeof failed);
        }
        if (first && x.bytes.n >= 256 && strcmp(x.name, "texts") != 0)
            write_damage(argv[1], &x, end);
        if (strcmp(x.name, "texts") != 0 || i + 1 < s.n)
            end += x.bytes.n;
    }
    for (size_t i = 0; i < AZ_LENGTH(extremes); i++)
        write_sound(argv[1], extremes[i].name, extremes[i].value, extremes[i].log2,
                    extremes[i].log2 ? first : end, end);
    return 0;
}
