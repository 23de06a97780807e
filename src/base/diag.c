/* Messages for users. */
#include "base/diag.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

void az_diag_init(struct az_diag *d)
{
    *d = (struct az_diag){ .max = 200 };
    az_arena_init(&d->arena, NULL);
    az_vec_init(&d->list, NULL);
}

void az_diag_release(struct az_diag *d)
{
    az_vec_release(&d->list);
    az_arena_release(&d->arena);
}

/* `FILE:LINE: `, `FILE:+OFFSET: `, `FILE: `, then `POINTER: ` where there is one. */
static int append_place(struct az_vec_char *t, struct az_where at)
{
    int err = az_text_append(t, at.file);
    const char *colon = at.file.n ? ":" : "";
    if (err == 0 && at.line > 0)
        err = az_text_printf(t, "%s%s%" PRId64, colon, at.file.n ? "" : "line ", at.line);
    else if (err == 0 && at.offset >= 0)
        err = az_text_printf(t, "%s+%" PRId64, colon, at.offset);
    if (err == 0 && t->n > 0)
        err = az_text_append(t, AZ_SV(": "));
    if (err == 0 && at.pointer.n > 0) {
        err = az_text_append(t, at.pointer);
        if (err == 0)
            err = az_text_append(t, AZ_SV(": "));
    }
    return err;
}

static int append_formatted(struct az_vec_char *t, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    int err = n < 0 ? AZ_EINTERNAL : az_vec_reserve(t, (size_t)n + 1);
    if (err == 0) {
        vsnprintf(t->v + t->n, (size_t)n + 1, fmt, again);
        t->n += (size_t)n;
    }
    va_end(again);
    return err;
}

/* Room for one more; an error pushes out the youngest message that is none, because errors decide
 * the outcome. */
static bool make_room(struct az_diag *d, enum az_severity s)
{
    if (d->list.n < d->max)
        return az_vec_reserve(&d->list, 1) == 0;
    if (s != AZ_ERROR)
        return false;
    size_t i = d->list.n;
    while (i > 0 && d->list.v[i - 1].severity == AZ_ERROR)
        i--;
    if (i == 0)
        return false;
    memmove(&d->list.v[i - 1], &d->list.v[i], (d->list.n - i) * sizeof *d->list.v);
    d->list.n--;
    d->dropped++;
    return true;
}

static void add_message(struct az_diag *d, enum az_severity s, struct az_where at, const char *fmt,
                        va_list ap)
{
    struct az_vec_char raw, seen;
    az_vec_init(&raw, NULL);
    az_vec_init(&seen, NULL);
    d->errors += s == AZ_ERROR;
    d->warnings += s == AZ_WARNING;
    struct az_sv text = { NULL, 0 };
    if (make_room(d, s) && append_place(&raw, at) == 0 && append_formatted(&raw, fmt, ap) == 0 &&
        az_utf8_visible(&seen, az_text_view(&raw)) == 0)
        text = az_arena_dup(&d->arena, az_text_view(&seen));
    if (text.p != NULL)
        d->list.v[d->list.n++] = (struct az_message){ s, text };
    else
        d->dropped++;
    az_vec_release(&raw);
    az_vec_release(&seen);
}

void az_diag_add(struct az_diag *d, enum az_severity s, struct az_where at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_message(d, s, at, fmt, ap);
    va_end(ap);
}

int az_diag_fail(struct az_diag *d, int code, struct az_where at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_message(d, AZ_ERROR, at, fmt, ap);
    va_end(ap);
    return code;
}

static bool has_said(const struct az_diag *d, const struct az_message *m)
{
    for (size_t i = 0; i < d->list.n; i++)
        if (d->list.v[i].severity == m->severity && az_sv_eq(d->list.v[i].text, m->text))
            return true;
    return false;
}

static void append_messages(struct az_diag *to, const struct az_diag *from, bool again)
{
    to->errors += from->errors;
    to->warnings += from->warnings;
    to->dropped += from->dropped;
    for (size_t i = 0; i < from->list.n; i++) {
        const struct az_message *m = &from->list.v[i];
        if (!again && m->severity == AZ_WARNING && has_said(to, m)) {
            to->warnings--;
            continue;
        }
        const struct az_sv text = make_room(to, m->severity) ? az_arena_dup(&to->arena, m->text)
                                                             : (struct az_sv){ NULL, 0 };
        if (text.p != NULL)
            to->list.v[to->list.n++] = (struct az_message){ m->severity, text };
        else
            to->dropped++;
    }
}

void az_diag_append(struct az_diag *to, const struct az_diag *from)
{
    append_messages(to, from, true);
}
void az_diag_append_new(struct az_diag *to, const struct az_diag *from)
{
    append_messages(to, from, false);
}

int az_diag_memory(struct az_diag *d, int code, struct az_where at, const struct az_mem *mem)
{
    const double mib = 1024.0 * 1024.0;
    const double used =
        mem ? (double)atomic_load_explicit(&mem->used, memory_order_relaxed) / mib : 0;
    if (mem != NULL && az_mem_error(mem) == AZ_ELIMIT)
        code = AZ_ELIMIT; /* whoever failed may not have known which of the two it was */
    if (code == AZ_ELIMIT && mem != NULL)
        az_diag_add(d, AZ_ERROR, at,
                    "memory limit of %.1f MiB reached with %.1f MiB in use (raise --memory-limit)",
                    (double)mem->limit / mib, used);
    else if (mem != NULL)
        az_diag_add(
            d, AZ_ERROR, at,
            "out of memory with %.1f MiB in use (use fewer workers, -j, or a smaller input)", used);
    else
        az_diag_add(d, AZ_ERROR, at, "%s (use fewer workers, -j, or a smaller input)",
                    az_err_text(code));
    return code;
}
