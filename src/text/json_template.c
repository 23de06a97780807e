/* Learning the form of a record (json_template.h). */
#include "text/json_template.h"

/* Trials before they become rare; doublings of the records between two then; records that a form
 * must have read to be worth another trial. */
enum { TRIALS = 4, DOUBLINGS = 10, PAYS = 16 };

void az_json_template_begin(struct az_jform *f)
{
    if (f->matched >= PAYS)
        f->trials = 0;
    const unsigned late = f->trials < TRIALS ? 0 : f->trials - TRIALS + 1;
    const unsigned wait = late ? 1u << (late < DOUBLINGS ? late : DOUBLINGS)
                               : f->n != 0; /* one unusual record does not replace a form */
    f->learning = f->passed++ >= wait;
    if (!f->learning)
        return;
    f->trials++;
    f->matched = f->passed = 0;
    f->fits = true;
    f->places = 0;
}

void az_json_template_place_(struct az_jform *f, const char *p, size_t place)
{
    if (place == AZ_JSON_TEMPLATE_NOWHERE && (*p < '0' || *p > '9'))
        return; /* skipped and no number: text */
    if (f->places == AZ_JSON_TEMPLATE_PIECES || place > AZ_JSON_TEMPLATE_NOWHERE) {
        f->fits = false;
        return;
    }
    f->now[f->places++] = (struct az_json_template_value){ .p = p, .place = (uint16_t)place };
}

void az_json_template_clear_(struct az_jform *f, size_t place)
{
    for (size_t i = 0; i < f->places; i++)
        if (f->now[i].place == place)
            f->fits = false;
}

/* A place twice: a key twice in one object, of which the reader may forget the first. */
static bool has_twice(const struct az_jform *f)
{
    for (size_t i = 0; i < f->places; i++)
        for (size_t k = 0; k < i; k++)
            if (f->now[i].place == f->now[k].place && f->now[i].place != AZ_JSON_TEMPLATE_NOWHERE)
                return true;
    return false;
}

/* The values; false: one of them is no plain number: 1e3, 2.5. */
static bool read_values(struct az_jform *f, const unsigned char *record)
{
    for (size_t i = 0; i < f->places; i++) {
        struct az_json_template_value *x = &f->now[i];
        const unsigned digits = az_json_template_number(x->p, &x->value);
        if (digits == 0)
            return false;
        if (x->place != AZ_JSON_TEMPLATE_NOWHERE &&
            (!az_json_ends_number(x->p[digits]) ||
             memcmp(record + x->place, &x->value, sizeof x->value) != 0))
            return false;
    }
    return true;
}

/* What varied once varies, as long as the places are the same. */
static void compare_values(struct az_jform *f)
{
    bool same = f->known == f->places;
    for (size_t i = 0; i < f->places && same; i++)
        same = f->now[i].place == f->then[i].place;
    for (size_t i = 0; i < f->places && same; i++)
        f->now[i].varies = f->then[i].varies || f->now[i].value != f->then[i].value;
    memcpy(f->then, f->now, f->places * sizeof *f->now);
    f->known = f->places;
}

/* The text [from, to) and the place after it. */
static bool add_text(struct az_jform *f, const char *from, const char *to, uint16_t place)
{
    if (from > to || memchr(from, '\0', (size_t)(to - from)) != NULL)
        return false; /* zeros end what may be read */
    do {
        const size_t left = (size_t)(to - from), n = left < 32 ? left : 32;
        if (f->n == AZ_JSON_TEMPLATE_PIECES)
            return false;
        struct az_json_template_piece *x = &f->piece[f->n++];
        *x = (struct az_json_template_piece){ .mask = n == 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1,
                                              .place = n == left ? place
                                                                 : (uint16_t)AZ_JSON_TEMPLATE_NONE,
                                              .len = (uint8_t)n };
        memcpy(x->text, from, n);
        from += n;
    } while (from < to);
    return true;
}

static bool make_form(struct az_jform *f, const char *from, const char *end)
{
    for (size_t i = 0; i < f->places; i++) {
        const struct az_json_template_value *x = &f->now[i];
        uint64_t v;
        if (!x->varies)
            continue;
        if (!add_text(f, from, x->p, x->place))
            return false;
        from = x->p + az_json_template_number(x->p, &v);
    }
    return from < end && add_text(f, from, end, AZ_JSON_TEMPLATE_NONE);
}

void az_json_template_end(struct az_jform *f, const char *from, const char *end, const void *record,
                          size_t size)
{
    if (!f->learning)
        return;
    f->learning = false;
    f->n = 0;
    if (!f->fits || size > AZ_JSON_TEMPLATE_RECORD || has_twice(f) || !read_values(f, record)) {
        f->known = 0;
        return;
    }
    compare_values(f);
    if (!make_form(f, from, end)) {
        f->n = 0;
        return;
    }
    memcpy(f->start, record, size);
}
