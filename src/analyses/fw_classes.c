/* Class of a kernel name: the user's map first, then the rules of configs/kernel_classes.rules. */
#include "analyses/fw.h"
#include "analyses/words.h"
#include "base/data.h"

static struct az_sv field(struct az_sv *line)
{
    const char *s = line->n ? memchr(line->p, ';', line->n) : NULL;
    struct az_sv f = az_sv_make(line->p, s ? (size_t)(s - line->p) : line->n);
    size_t used = f.n + (s ? 1 : 0);
    *line = az_sv_make(line->p + used, line->n - used);
    return az_sv_trim(f);
}

struct az_sv az_kernel_class_builtin(struct az_sv name)
{
    struct az_words w;
    az_words_cut(name, &w);
    struct az_sv rest = az_data("kernel_classes.rules");
    while (rest.n) {
        const char *nl = memchr(rest.p, '\n', rest.n);
        struct az_sv line = az_sv_make(rest.p, nl ? (size_t)(nl - rest.p) : rest.n);
        size_t used = line.n + (nl ? 1 : 0);
        rest = az_sv_make(rest.p + used, rest.n - used);
        if (line.n == 0 || *line.p == '#')
            continue;
        struct az_sv class_name = field(&line), one = field(&line), and_one = field(&line);
        if (az_words_any(&w, one) && (and_one.n == 0 || az_words_any(&w, and_one)))
            return class_name;
    }
    return AZ_SV("others");
}

struct az_sv az_fw_kernel_class(struct az_fw *f, uint32_t name)
{
    if (name == AZ_NO_ID)
        return AZ_SV("others");
    struct az_sv *known = &f->kernel_class[name];
    if (!known->p) {
        struct az_sv text = az_trace_text(f->trace, name);
        uint32_t user = f->classes->rules->n ? az_classify(f->classes, text) : AZ_CLASS_OTHERS;
        *known = user != AZ_CLASS_OTHERS && user != f->classes->nccl ? f->classes->names.v[user]
                                                                     : az_kernel_class_builtin(text);
    }
    return *known;
}
