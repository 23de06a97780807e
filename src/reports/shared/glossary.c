/* Meanings are those of docs/glossary.md, which a test compares. */
#include "reports/shared/glossary.h"

#include <string.h>

#include "base/err.h"

static const struct az_term terms[] = {
    { "MFU",
      "model FLOPs utilization: FLOP/s of the account / peak of the device in that precision" },
    { "GPU time",
      "computation, exposed communication, exposed copies and idle time of a device; they "
      "add up to the span exactly" },
    { "Est. saving", "upper bound of the time saved in the span by fixing a finding; of several "
                     "findings the savings may overlap" },
    { "Data",
      "state of the recorded data: linked events, dropped data, missing ranks; from the trust "
      "checks" },
    { "exposed communication", "communication or copies that do not overlap with compute" },
    { "exposed copies", "communication or copies that do not overlap with compute" },
    { "operator time",
      "device time of the work that operators launched; less than device time where "
      "work has no operator" },
    { "device time",
      "summed time of kernels, copies and fills; streams that run at once count each" },
    { "roofline", "shortest possible time by peak rate and bandwidth" },
    { "launch-bound", "the device waits because kernel launches take longer than the kernels" },
    { "host-bound", "the device waits for host work other than launches" },
    { "straggler", "rank that delays the others" },
    { "Outside", "device work and idle time of the recording before the first and after the last "
                 "step; no part of the account" },
    { "Blame", "of a rank that arrives last at collectives: its start less the start of the second "
               "latest rank, summed" },
    { "Caused wait", "wait of all other ranks in collectives at which this rank arrived last" },
    { "pipeline bubble", "time in which a pipeline stage waits for another stage" },
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

const struct az_term *az_glossary_term(struct az_sv word)
{
    for (size_t i = 0; i < AZ_LENGTH(terms); i++)
        if (az_sv_is(word, terms[i].word))
            return &terms[i];
    return NULL;
}

static bool is_at(struct az_sv text, size_t at, const struct az_term *t)
{
    const size_t n = strlen(t->word);

    return at + n <= text.n && memcmp(text.p + at, t->word, n) == 0 &&
           (at == 0 || !is_letter(text.p[at - 1])) &&
           (at + n == text.n || !is_letter(text.p[at + n]));
}

const struct az_term *az_glossary_find(struct az_sv text, size_t *at)
{
    for (size_t i = 0; i < text.n; i++)
        for (size_t k = 0; k < AZ_LENGTH(terms); k++)
            if (is_at(text, i, &terms[k])) {
                *at = i;
                return &terms[k];
            }
    return NULL;
}
