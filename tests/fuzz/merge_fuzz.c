/* One event of a trace to be merged: what is taken as valid JSON must still be so when it was
 * rewritten, and a repaired text that is valid must be what a reader takes for the same event. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "merge/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
    if (!good)
        abort();
}

static void pad(struct az_vec_char *t)
{
    static const char zeros[64];
    must(az_text_append(t, az_sv_make(zeros, sizeof zeros)) == 0);
    t->n -= sizeof zeros;
}

static void rewrite(struct az_sv text, int64_t rank, bool external)
{
    struct az_merge_event e, again;
    const struct az_merge_shift s = { rank, 6, external };
    struct az_vec_char out;
    if (!az_merge_parse(text, &e))
        return;
    az_vec_init(&out, NULL);
    must(az_merge_write(&e, &s, &out) == 0);
    pad(&out);
    must(az_merge_parse(az_text_view(&out), &again));
    must(again.args.n > 0 && again.ph.n == e.ph.n && again.cat.n == e.cat.n &&
         again.name.n == e.name.n);
    must(again.rank.n > 0 || *again.args.p != '{');
    az_vec_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct az_vec_char text, repaired;
    az_vec_init(&text, NULL);
    az_vec_init(&repaired, NULL);
    must(az_text_append(&text, az_sv_make((const char *)data, size)) == 0);
    pad(&text);
    rewrite(az_text_view(&text), 0, false);
    rewrite(az_text_view(&text), 17, true);
    must(az_merge_repair(az_text_view(&text), &repaired) == 0);
    rewrite(az_text_view(&repaired), 3, false);
    az_vec_release(&repaired);
    az_vec_release(&text);
    return 0;
}
