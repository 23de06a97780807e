/* The line that explains the result of a metric: its change, the limit, the test, the reason. */
#include <math.h>

#include "regression/gate.h"
#include "text/text_writer.h"

#define MOST_DIGITS 12 /* of a value in a sentence */

/* Unit in which a time or a size is readable, and another value of it next to them; factor from its
 * own unit. */
static struct az_sv readable(const struct az_gate_result *x, double value, double *factor)
{
    static const struct {
        const char *text;
        double s;
    } of_time[] = { { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 } },
      of_bytes[] = { { "GB", 1e9 }, { "MB", 1e6 }, { "kB", 1e3 }, { "B", 1 } }, *units = of_time;
    double s = az_gate_seconds(x->unit), b = fabs(x->base.center), c = fabs(x->cand.center), most;

    if (az_sv_is(x->unit, "B")) {
        units = of_bytes;
        s = 1;
    }
    *factor = 1;
    most = s * fmax(fmax(b, c), fabs(value)); /* of NaN and a number the number */
    for (size_t i = 0; i < 4; i++) {
        if (most >= units[i].s) {
            *factor = s / units[i].s;
            return az_sv_str(units[i].text);
        }
    }
    return x->unit;
}

/* Digits of a change in percent: three, or as many as distinguish it from the limit. */
static int digits_of(const struct az_gate_result *x, double percent)
{
    const double away = fabs(fabs(percent) - az_gate_limit_percent(x));
    int digits = 3;

    if (!(away > 0) || !isfinite(percent))
        return digits; /* no limit, or exactly at it */
    while (digits < 9 && away < pow(10, floor(log10(fabs(percent))) + 1 - digits))
        digits++;
    return digits;
}

/* Digits of the values of a change: three, or as many as show two digits of the difference. */
static int value_digits(double percent, int digits)
{
    const double part = fabs(percent) / 100;
    const int more = part > 0 && part < 1 ? (int)ceil(-log10(part)) : 0;
    const int all = (more > 1 ? 2 + more : 3) + digits - 3;
    return all < MOST_DIGITS ? all : MOST_DIGITS;
}

/* Whole numbers whole, others in so many digits. */
static void put_value(struct az_vec_char *w, double v, int digits)
{
    const double size = fabs(v);
    int decimals = 0;

    if (size > 0 && size != floor(size) && size > 1e-6)
        decimals = digits - 1 - (int)floor(log10(size));
    if (size < 1e15 && (size > 1e-6 || size <= 0))
        az_text_format(w, "%.*f", decimals > 0 ? decimals : 0, v);
    else
        az_text_format(w, "%.*g", digits, v);
}

static int put_change(struct az_vec_char *t, const struct az_gate_result *x)
{
    double f, b = x->base.center, c = x->cand.center;
    struct az_sv unit = readable(x, NAN, &f);
    if (az_sv_is(unit, "count") || az_sv_is(unit, "ratio") || az_sv_is(unit, "id"))
        unit = AZ_SV("");
    const double percent = 100 * (c - b) / fabs(b);
    const int digits = digits_of(x, percent), n = value_digits(percent, digits);
    if (isnan(b) && isnan(c))
        return 0;
    if (isnan(c))
        az_text_format(t, "was ");
    if (!isnan(b))
        put_value(t, b * f, n);
    if (!isnan(b) && !isnan(c))
        az_text_format(t, " -> ");
    if (!isnan(c))
        put_value(t, c * f, n);
    az_text_format(t, "%s%.*s%s", unit.n ? " " : "", AZ_SVF(unit),
                   !x->per_step ? ""
                   : x->median  ? " per step (median)"
                                : " per step (mean)");
    if (!isnan(percent) && fabs(b) > 0 && fabs(percent) >= 1000 && fabs(percent) < 1e9)
        az_text_format(t, ", %+.0f%%", percent);
    else if (!isnan(percent) && fabs(b) > 0)
        az_text_format(t, ", %+.*g%%", digits, percent);
    return az_vec_error(t);
}

/* A value in the unit of the metrics next to it. */
struct az_sv az_gate_value_text(struct az_arena *a, const struct az_gate_result *x, double value)
{
    double f;
    struct az_sv unit = readable(x, value, &f);
    const bool named = az_gate_seconds(x->unit) > 0 || az_sv_is(x->unit, "B");

    return az_arena_printf(a, "%.*g%s%.*s", x->rule->of_total > 0 ? 3 : 6, value * f,
                           named ? " " : "", AZ_SVF(named ? unit : AZ_SV("")));
}

/* One value on each side: no test, however large the difference. */
static bool is_single(size_t a, size_t b) { return a <= 1 && b <= 1; }

static int put_test(struct az_vec_char *t, const struct az_gate_result *x)
{
    const size_t a = x->steps ? x->steps->n_a : x->base.n, b = x->steps ? x->steps->n_b : x->cand.n;
    const bool steps = x->steps || az_sv_is(x->rule->samples, "steps");

    if (is_single(a, b))
        return az_text_printf(t, "; one %s each, too few for a test", steps ? "period" : "run");
    return az_text_printf(t, "; p = %.3g, effect %.2f, %zu and %zu %s",
                          x->status == AZ_GATE_IMPROVED ? x->p_better : x->p, x->effect, a, b,
                          steps ? "steps" : "runs");
}

/* The limit that counts, "limit 8.58%, 0.281 s" where it is an absolute one. */
static int put_limit(struct az_vec_char *t, const struct az_gate_result *x, struct az_arena *a)
{
    static const char *const names[] = { [AZ_LIMIT_OF_CHANGE] = "limit",
                                         [AZ_LIMIT_OF_STEPS] = "limit for steps",
                                         [AZ_LIMIT_OF_BUDGET] = "budget",
                                         [AZ_LIMIT_OF_DRIFT] = "limit for drift",
                                         [AZ_LIMIT_NOT_REACHED] = "below the limit" };
    const double percent = az_gate_limit_percent(x);
    const bool absolute = az_gate_limit_is_absolute(x);
    int rc = az_text_printf(t, " (%s", names[x->used.of]);

    if (!rc && !isnan(percent))
        rc = az_text_printf(t, " %.3g%%", percent);
    if (!rc && absolute)
        rc = az_text_printf(t, "%s %.*s", isnan(percent) ? "" : ",",
                            AZ_SVF(az_gate_value_text(a, x, x->used.abs)));
    return rc;
}

static int put_limits(struct az_vec_char *t, const struct az_gate_result *x, struct az_arena *a)
{
    int rc = 0;
    if (isnan(x->used.rel) || isnan(x->base.center) || isnan(x->cand.center))
        return 0;
    rc = put_limit(t, x, a);
    if (!rc && !isnan(x->p))
        rc = put_test(t, x);
    if (!rc && !isnan(x->low))
        rc = az_text_printf(t, "; ratio %.4f to %.4f, %zu and %zu runs", x->low, x->high, x->base.n,
                            x->cand.n);
    return rc ? rc : az_text_append(t, AZ_SV(")"));
}

int az_gate_explain(struct az_gate_result *x, struct az_arena *a)
{
    struct az_vec_char t;
    az_vec_init(&t, NULL);
    int rc = put_change(&t, x);
    if (!rc)
        rc = put_limits(&t, x, a);
    const size_t change = t.n;
    if (!rc && x->note.n)
        rc = az_text_printf(&t, "%s%.*s", t.n ? ": " : "", AZ_SVF(x->note));
    if (!rc)
        x->text = az_arena_dup(a, az_text_view(&t));
    x->change = az_sv_make(x->text.p, x->text.n ? change : 0);
    az_vec_release(&t);
    return rc ? rc : a->failed ? az_arena_error(a) : 0;
}
