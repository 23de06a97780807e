#include "text/text_writer.h"

#include "base/num.h"
#include "text/jsonw.h"

void az_write_text(struct az_text_writer *w, struct az_sv s)
{
    if (!w->error)
        w->error = az_text_append(w->to, s);
}

void az_write_quoted(struct az_text_writer *w, struct az_sv s)
{
    if (!w->error)
        w->error = az_json_quote(w->to, s);
}

void az_write_number(struct az_text_writer *w, double x)
{
    char buf[AZ_NUM_MAX];
    const size_t n = az_format_f64(x, buf);
    az_write_text(w, n ? az_sv_make(buf, n) : AZ_SV("null"));
}
