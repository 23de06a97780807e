/* An operator's call as a record that can be run again (docs/formulas-multirank.md 5.7). */
#include "base/num.h"
#include "replay/parts.h"

/* The argument types are words of the framework's own schemas. */
struct arg {
    const char *name, *type;
};
struct schema {
    const char *op;
    struct arg arg[10];
    int positional; /* the others are given by name */
};

#define ALPHA_BETA                                                                                 \
    { "beta", "number" }, { "alpha", "number" }
/* Compiled programs have their results written to memory they own: out= is the last argument. */
#define OUT                                                                                        \
    {                                                                                              \
        "out", "Tensor"                                                                            \
    }

static const struct schema schemas[] = {
    { "aten::mm", { { "self", "Tensor" }, { "mat2", "Tensor" }, OUT }, 2 },
    { "aten::addmm",
      { { "self", "Tensor" }, { "mat1", "Tensor" }, { "mat2", "Tensor" }, ALPHA_BETA, OUT },
      3 },
    { "aten::bmm", { { "self", "Tensor" }, { "mat2", "Tensor" }, OUT }, 2 },
    { "aten::baddbmm",
      { { "self", "Tensor" }, { "batch1", "Tensor" }, { "batch2", "Tensor" }, ALPHA_BETA, OUT },
      3 },
    { "aten::convolution",
      { { "input", "Tensor" },
        { "weight", "Tensor" },
        { "bias", "Optional[Tensor]" },
        { "stride", "List[int]" },
        { "padding", "List[int]" },
        { "dilation", "List[int]" },
        { "transposed", "bool" },
        { "output_padding", "List[int]" },
        { "groups", "int" } },
      9 },
};

/* Types whose tensors can be made: name in the record, and whether normal values can be put in. */
static const char *tensor_type(struct az_sv type, bool *real)
{
    static const char *const reals[] = { "double", "float", "c10::Half", "c10::BFloat16" };
    static const char *const others[][2] = {
        { "long int", "long" }, { "long", "long" }, { "int", "int" }, { "bool", "bool" }
    };
    *real = true;
    for (size_t i = 0; i < AZ_LENGTH(reals); i++)
        if (az_sv_is(type, reals[i]))
            return reals[i];
    *real = false;
    for (size_t i = 0; i < AZ_LENGTH(others); i++)
        if (az_sv_is(type, others[i][0]))
            return others[i][1];
    return NULL;
}

/* The framework prints a real number without a fraction as `2.`. */
static int real_of(struct az_sv s, double *v)
{
    return az_parse_f64(s.n > 1 && s.p[s.n - 1] == '.' ? az_sv_make(s.p, s.n - 1) : s, v);
}

static bool is_number(struct az_sv s)
{
    double v;
    return real_of(s, &v) == 0;
}

static bool is_bool(struct az_sv s) { return az_sv_is(s, "True") || az_sv_is(s, "False"); }

/* Elements of `[1, 2]`, each a number; their count or -1. */
static int list_of(struct az_sv s, struct az_sv *v, int max)
{
    int n = 0;
    s = az_sv_trim(s);
    if (s.n < 2 || s.p[0] != '[' || s.p[s.n - 1] != ']')
        return -1;
    s = az_sv_trim(az_sv_make(s.p + 1, s.n - 2));
    while (s.n) {
        if (n == max)
            return -1;
        v[n] = az_sv_trim(az_sv_cut(&s, ','));
        if (!is_number(v[n++]))
            return -1;
    }
    return n;
}

static bool is_tensor(const struct az_perf_arg *a)
{
    return a->type_name.n && a->type->tensor && !a->list;
}

/* Strides as recorded, those of a contiguous tensor if there are none. */
static bool strides_of(const struct az_perf_arg *a, int64_t *s)
{
    struct az_sv v[AZ_PERF_DIMS];
    int64_t step = 1;
    if (a->strides.n) {
        if (list_of(a->strides, v, AZ_PERF_DIMS) != a->nd)
            return false;
        for (int i = 0; i < a->nd; i++)
            if (az_parse_i64(v[i], &s[i]) || s[i] < 0)
                return false;
        return true;
    }
    for (int i = a->nd - 1; i >= 0; i--) {
        s[i] = step;
        if (__builtin_mul_overflow(step, a->dim[i] > 1 ? a->dim[i] : 1, &step))
            return false;
    }
    return true;
}

/* Can the argument be written as a value of that type? */
static bool is_value_of_type(const struct az_perf_arg *a, const char *type)
{
    struct az_sv v[AZ_PERF_DIMS];
    int64_t s[AZ_PERF_DIMS], whole;
    bool real;
    switch (type[0]) {
    case 'T':
        return is_tensor(a) && tensor_type(a->type_name, &real) && strides_of(a, s);
    case 'O':
        return !is_tensor(a) || is_value_of_type(a, "Tensor");
    case 'L':
        return list_of(a->value, v, AZ_PERF_DIMS) >= 0;
    case 'b':
        return is_bool(a->value);
    case 'i':
        return az_parse_i64(a->value, &whole) == 0;
    default: /* fields that older traces lack have their default, as in the command of the benchmark
              */
        return !a->value.n || is_number(a->value);
    }
}

static void number(struct az_jsonw *w, struct az_sv s)
{
    int64_t whole;
    double real = 0;
    if (az_parse_i64(s, &whole) == 0)
        az_jsonw_i64(w, whole);
    else if (real_of(s, &real) == 0)
        az_jsonw_f64(w, real);
    else
        az_jsonw_null(w);
}

static void tensor(struct az_jsonw *w, const struct az_perf_arg *a)
{
    int64_t s[AZ_PERF_DIMS] = { 0 };
    bool real, known = strides_of(a, s);
    const char *type = tensor_type(a->type_name, &real);
    az_jsonw_object(w);
    az_jsonw_key(w, "shape");
    az_jsonw_array(w);
    for (int i = 0; i < a->nd; i++)
        az_jsonw_i64(w, a->dim[i]);
    az_jsonw_end_array(w);
    az_jsonw_key(w, "dtype");
    az_jsonw_text(w, az_sv_str(type));
    az_jsonw_key(w, "strides");
    az_jsonw_array(w);
    for (int i = 0; known && i < a->nd; i++)
        az_jsonw_i64(w, s[i]);
    az_jsonw_end_array(w);
    az_jsonw_key(w, "init");
    if (real)
        az_jsonw_text(w, AZ_SV("normal"));
    else
        az_jsonw_null(w);
    az_jsonw_end_object(w);
}

static void value(struct az_jsonw *w, const struct az_perf_arg *a, const char *type)
{
    struct az_sv v[AZ_PERF_DIMS];
    if ((type[0] == 'T' || type[0] == 'O') && is_tensor(a)) {
        tensor(w, a);
    } else if (type[0] == 'O') {
        az_jsonw_null(w);
    } else if (type[0] == 'L') {
        int n = list_of(a->value, v, AZ_PERF_DIMS);
        az_jsonw_array(w);
        for (int i = 0; i < n; i++)
            number(w, v[i]);
        az_jsonw_end_array(w);
    } else if (type[0] == 'b') {
        az_jsonw_bool(w, az_sv_is(a->value, "True"));
    } else if (!a->value.n) {
        az_jsonw_i64(w, 1); /* alpha, beta */
    } else {
        number(w, a->value);
    }
}

static void write_arguments(struct az_jsonw *w, const char *key, const struct schema *s,
                            const struct az_perf_call *c, int from, int to)
{
    az_jsonw_key(w, key);
    az_jsonw_array(w);
    for (int i = from; i < to; i++) {
        az_jsonw_object(w);
        az_jsonw_compact(w, true);
        az_jsonw_key(w, "arg_name");
        az_jsonw_text(w, az_sv_str(s->arg[i].name));
        az_jsonw_key(w, "arg_type");
        az_jsonw_text(w, az_sv_str(s->arg[i].type));
        az_jsonw_key(w, "value");
        value(w, &c->arg[i], s->arg[i].type);
        az_jsonw_end_object(w);
        az_jsonw_compact(w, false);
    }
    az_jsonw_end_array(w);
}

static const struct schema *schema_of(struct az_sv op)
{
    for (size_t i = 0; i < AZ_LENGTH(schemas); i++)
        if (az_sv_is(op, schemas[i].op))
            return &schemas[i];
    return NULL;
}

bool az_replay_known(struct az_sv op) { return schema_of(op) != NULL; }

bool az_replay_ir(struct az_jsonw *w, const struct az_perf_call *c)
{
    const struct schema *s = schema_of(c->op);
    int n = 0;
    while (s && n < 10 && s->arg[n].name)
        n++;
    /* Arguments by name have defaults and may be missing; those that are present must be as in
     * the schema. */
    bool good = s && (int)c->n >= s->positional && (int)c->n <= n;
    n = good ? (int)c->n : 0;
    for (int i = 0; good && i < n; i++)
        good = is_value_of_type(&c->arg[i], s->arg[i].type);
    if (!good) {
        az_jsonw_null(w);
        return false;
    }
    az_jsonw_object(w);
    write_arguments(w, "list_pos_args", s, c, 0, s->positional);
    write_arguments(w, "list_kwargs", s, c, s->positional, n);
    az_jsonw_end_object(w);
    return true;
}
