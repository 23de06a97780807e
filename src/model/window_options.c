/* What the options of a window say: see the header. */
#include "model/window.h"

#include "base/num.h"

bool az_window_time(struct az_sv text, int64_t *ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
    double factor = 1e9, v;
    for (size_t i = 0; i < AZ_LENGTH(units); i++)
        if (az_sv_ends(text, az_sv_str(units[i].unit))) {
            factor = units[i].ns;
            text = az_sv_trim(az_sv_make(text.p, text.n - strlen(units[i].unit)));
            break;
        }
    if (az_parse_f64(text, &v) != 0 || !(v >= 0) || v * factor > (double)AZ_TIME_MAX)
        return false;
    *ns = (int64_t)(v * factor + 0.5);
    return true;
}

static int read_end(struct az_sv text, const char *key, struct az_window_end *out,
                    struct az_diag *diag)
{
    *out = (struct az_window_end){ .ns = AZ_UNSET_I64, .percent = -1 };
    if (!text.n)
        return AZ_OK;
    if (az_sv_ends(text, AZ_SV("%")) &&
        az_parse_f64(az_sv_make(text.p, text.n - 1), &out->percent) == 0 && out->percent >= 0 &&
        out->percent <= 100)
        return AZ_OK;
    if (text.p[0] == '@' && text.n > 1) {
        out->range = az_sv_make(text.p + 1, text.n - 1);
        return AZ_OK;
    }
    if (az_window_time(text, &out->ns))
        return AZ_OK;
    return az_diag_fail(diag, AZ_ECONFIG, AZ_NOWHERE,
                        "invalid %s '%.*s'; use a time such as 1.5s or 250ms, 50%%, or @RANGE", key,
                        AZ_SVF(text));
}

int az_window_read(const struct az_options *o, struct az_window *out, bool *any,
                   struct az_diag *diag)
{
    *out = (struct az_window){ .range = o->range, .step = -1, .last_step = -1 };
    int rc = read_end(o->from, "from", &out->from, diag);
    if (rc == 0)
        rc = read_end(o->to, "to", &out->to, diag);
    const bool times = out->from.ns != AZ_UNSET_I64 && out->to.ns != AZ_UNSET_I64,
               percents = out->from.percent >= 0 && out->to.percent >= 0;
    if (rc == 0 && ((times && out->to.ns <= out->from.ns) ||
                    (percents && out->to.percent <= out->from.percent)))
        rc = az_diag_fail(diag, AZ_ECONFIG, AZ_NOWHERE,
                          "empty window from '%.*s' to '%.*s'; choose a later end", AZ_SVF(o->from),
                          AZ_SVF(o->to));
    az_window_steps(o->steps, &out->step, &out->last_step);
    *any = o->from.n || o->to.n || o->range.n || out->step >= 0;
    return rc;
}
