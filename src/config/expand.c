/* ${VAR} and ${VAR:-default} in every string of the configuration. A '$' without '{' is an ordinary
 * character. */
#include "config/private.h"

#include "base/env.h"
#include "base/utf8.h"

static bool name_char(char c, bool first)
{
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (!first && c >= '0' && c <= '9');
}

/* One reference; `ref` is what stands between the braces. As in the shell, ":-" also replaces an
 * empty value. */
static int expand_one(struct az_loader *l, const struct az_node *n, struct az_sv ref,
                      struct az_vec_char *out)
{
    size_t len = 0;
    while (len < ref.n && name_char(ref.p[len], len == 0))
        len++;
    struct az_sv rest = az_sv_make(ref.p + len, ref.n - len);
    bool has_default = az_sv_starts(rest, AZ_SV(":-"));
    if (len == 0 || (rest.n > 0 && !has_default)) {
        az_load_error(l, n, "invalid reference '${%.*s}'; use ${NAME} or ${NAME:-default}",
                      AZ_SVF(az_utf8_cut(ref, 80)));
        return 0;
    }
    char *name = az_arena_str(l->a, az_sv_make(ref.p, len));
    if (!name)
        return AZ_ENOMEM;
    const char *value = az_env(name);
    struct az_sv fallback = has_default ? az_sv_make(rest.p + 2, rest.n - 2) : AZ_SV("");
    if (az_sv_find(fallback, AZ_SV("${")) >= 0) {
        az_load_error(l, n, "invalid reference '${%.*s}'; remove the reference from the default",
                      AZ_SVF(az_utf8_cut(ref, 80)));
        return 0;
    }
    if (has_default && (!value || !*value))
        return az_text_append(out, fallback);
    if (!value) {
        az_load_error(l, n, "variable '%s' is not set; set it, or use ${%s:-default}", name, name);
        return 0;
    }
    return az_text_append(out, az_sv_str(value));
}

static int expand_text(struct az_loader *l, struct az_node *n, struct az_vec_char *out)
{
    struct az_sv s = n->text;
    int rc = 0;
    while (rc == 0 && s.n > 0) {
        ptrdiff_t open = az_sv_find(s, AZ_SV("${"));
        size_t plain = open < 0 ? s.n : (size_t)open;
        rc = az_text_append(out, az_sv_make(s.p, plain));
        s = az_sv_make(s.p + plain, s.n - plain);
        if (rc < 0 || s.n == 0)
            break;
        const char *close = memchr(s.p, '}', s.n);
        if (!close) {
            az_load_error(l, n, "'${' without '}'; use ${NAME} or ${NAME:-default}");
            break;
        }
        size_t used = (size_t)(close - s.p) + 1;
        rc = expand_one(l, n, az_sv_make(s.p + 2, used - 3), out);
        s = az_sv_make(s.p + used, s.n - used);
    }
    return rc;
}

void az_expand_all(struct az_loader *l, struct az_node *n)
{
    if (n->kind == AZ_NODE_TEXT && az_sv_find(n->text, AZ_SV("${")) >= 0) {
        struct az_vec_char out;
        az_vec_init(&out, NULL);
        int rc = expand_text(l, n, &out);
        if (rc == 0) {
            n->text = az_arena_dup(l->a, az_text_view(&out));
            rc = n->text.p ? 0 : AZ_ENOMEM;
        }
        az_vec_release(&out);
        if (rc < 0)
            l->fatal = rc;
    }
    for (struct az_node *c = n->first; c && !l->fatal; c = c->next)
        az_expand_all(l, c);
}
