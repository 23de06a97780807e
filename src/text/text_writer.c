#include "text/text_writer.h"

#include "base/num.h"
#include "text/jsonw.h"

void az_text_quoted(struct az_vec_char *to, struct az_sv s)
{
    if (!to->failed)
        to->failed = az_json_quote(to, s) != 0;
}

void az_text_number(struct az_vec_char *to, double x)
{
    char buf[AZ_NUM_MAX];
    const size_t n = az_format_f64(x, buf);
    az_text_add(to, n ? az_sv_make(buf, n) : AZ_SV("null"));
}
