/* Operators that move data, and what is priced by its operands alone (docs/formulas-models.md
 * 8, 11.2, 11.11 and the recommended models of section 12): only what is moved is counted, never a
 * whole source table. */
#include "base/num.h"
#include "perf/model.h"

AZ_PERF_MODEL_FILE(data_movement)

static bool moved(struct az_perf_model *r, const struct az_perf_arg *x, double bytes)
{
    az_perf_model_p_json(r, "op_shape", x->dims);
    az_perf_model_p_types(r, "dtype_in_out", x, NULL, NULL);
    az_perf_model_unit(r, "vector", x->type);
    return az_perf_model_done(r, 0, bytes);
}

/* copy_(destination, source): one operation an element, as the other unary ones. */
AZ_PERF_MODEL(copy)
{
    const struct az_perf_arg *dst = az_perf_model_arg(r, 0), *src = az_perf_model_arg(r, 1);
    bool has = az_perf_model_tensor(src);
    if (!az_perf_model_tensor(dst))
        return az_perf_model_fail(r, "no tensor");
    az_perf_model_p_json(r, "op_shape", dst->dims);
    az_perf_model_p_types(r, "dtype_in_out", dst, has && src->nd ? src : NULL, NULL);
    az_perf_model_p_json(r, "stride_input", dst->strides);
    az_perf_model_p_json(r, "stride_output", has && src->nd ? src->strides : AZ_SV(""));
    az_perf_model_unit(r, "vector",
                       az_sv_is(dst->type_name, "bool") && has ? src->type : dst->type);
    return az_perf_model_done(r, dst->elements,
                              az_perf_model_size(dst) +
                                  (has ? az_perf_model_size(src) : az_perf_model_size(dst)));
}

/* Element size of a list of tensors, which the trace does not record: from the kernel's name. NaN
 * if that is unknown.
 */
static double size_by_kernel(const struct az_perf_model *r)
{
    static const struct {
        const char *text;
        double bytes;
    } names[] = { { "c10::BFloat16", 2 }, { "c10::Half", 2 }, { "__nv_bfloat16", 2 },
                  { "<float", 4 },        { "<double", 8 },   { "<long", 8 },
                  { "<int", 4 },          { "<bool", 1 } };
    for (size_t k = 0; k < r->call->n_kernels; k++) {
        struct az_sv name = r->call->kernels[k];
        ptrdiff_t at = az_sv_find(name, AZ_SV("OpaqueType<"));
        if (at >= 0) {
            size_t i = (size_t)at + sizeof "OpaqueType<" - 1, end = i;
            double v;
            while (end < name.n && name.p[end] >= '0' && name.p[end] <= '9')
                end++;
            if (az_parse_f64(az_sv_make(name.p + i, end - i), &v) == 0)
                return v;
        }
        for (size_t i = 0; i < AZ_LENGTH(names); i++)
            if (az_sv_find(name, az_sv_str(names[i].text)) >= 0)
                return names[i].bytes;
    }
    return NAN;
}

static double list_size(struct az_perf_model *r, const struct az_perf_arg *x)
{
    double b = x->list ? size_by_kernel(r) : x->type->bytes;
    if (isnan(b)) {
        b = 4;
        r->out->assumed = true;
    }
    return b;
}

AZ_PERF_MODEL(cat)
{
    const struct az_perf_arg *x = az_perf_model_key(r, "in", 0);
    if (!x->list && !az_perf_model_dims(x))
        return az_perf_model_fail(r, "no tensor list");
    az_perf_model_p_json(r, "op_shape", x->dims);
    az_perf_model_p_int(r, "tensors", x->list ? x->count : 1);
    r->out->unit = "vector";
    return az_perf_model_done(r, 0, 2 * x->elements * list_size(r, x));
}
AZ_PERF_MODEL(stack) { return az_perf_model_cat(r); }

/* Writes only. in=i. */
AZ_PERF_MODEL(fill)
{
    const struct az_perf_arg *x = az_perf_model_key(r, "in", 0);
    return az_perf_model_tensor(x) ? moved(r, x, az_perf_model_size(x))
                                   : az_perf_model_fail(r, "no tensor");
}

/* Reads and writes all of in=i (clone, contiguous, roll, ...), and of also=i. */
AZ_PERF_MODEL(move)
{
    const struct az_perf_arg *x = az_perf_model_key(r, "in", 0),
                             *y = az_perf_model_key(r, "also", -1);
    return az_perf_model_tensor(x)
               ? moved(r, x, 2 * (az_perf_model_size(x) + az_perf_model_size(y)))
               : az_perf_model_fail(r, "no tensor");
}

/* index_select(source, dim, index): rows read and written, and the indices. */
AZ_PERF_MODEL(select)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *index = az_perf_model_arg(r, 2);
    int64_t dim;
    if (!az_perf_model_dims(x) || !az_perf_model_tensor(index) ||
        !az_perf_model_int(az_perf_model_arg(r, 1), &dim))
        return az_perf_model_fail(r, "source, dimension or index is missing");
    dim = dim < 0 ? dim + x->nd : dim;
    if (dim < 0 || dim >= x->nd)
        return az_perf_model_fail(r, "dimension is out of range");
    double rows = az_perf_model_dim(x, (int)dim) > 0
                      ? x->elements / az_perf_model_dim(x, (int)dim) * index->elements
                      : 0;
    return moved(r, x, az_perf_model_size(index) + 2 * rows * x->type->bytes);
}

/* embedding(table, indices). */
AZ_PERF_MODEL(embedding)
{
    const struct az_perf_arg *table = az_perf_model_arg(r, 0), *index = az_perf_model_arg(r, 1);
    if (table->nd != 2 || !az_perf_model_tensor(index))
        return az_perf_model_fail(r, "table or indices are missing");
    return moved(r, table,
                 az_perf_model_size(index) +
                     2 * index->elements * az_perf_model_dim(table, 1) * table->type->bytes);
}

/* gather(source, dim, index): one element an index. */
AZ_PERF_MODEL(gather)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *index = az_perf_model_arg(r, 2);
    if (!az_perf_model_tensor(x) || !az_perf_model_tensor(index))
        return az_perf_model_fail(r, "source or index is missing");
    return moved(r, x, az_perf_model_size(index) + 2 * index->elements * x->type->bytes);
}

/* index(source, [indices]), index_put(target, [indices], values): elements chosen = the broadcast
 * index times the dimensions it leaves alone. values=i: counted from there. */
AZ_PERF_MODEL(scatter)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *list = az_perf_model_key(r, "index", 1),
                             *values = az_perf_model_key(r, "values", -1);
    if (!az_perf_model_tensor(x))
        return az_perf_model_fail(r, "no tensor");
    if (az_perf_model_dims(values))
        return moved(r, x,
                     (list->list ? list->elements : 0) * 8 +
                         values->elements * (values->type->bytes + x->type->bytes));
    if (!list->list || list->count == 0 || (int)list->count > x->nd)
        return az_perf_model_fail(r, "indices are not recorded");
    double chosen = list->elements / list->count, rest = 1; /* index tensors of one shape */
    for (int i = (int)list->count; i < x->nd; i++)
        rest *= az_perf_model_dim(x, i);
    r->out->assumed = list->count > 1;
    return moved(r, x, list->elements * 8 + 2 * chosen * rest * x->type->bytes);
}

/* max_pool2d(input, kernel, stride, padding, dilation): one comparison an element of the window;
 * index=BYTES of the positions. */
AZ_PERF_MODEL(pool)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    double k[3], s[3], p[3] = { 0 }, d[3] = { 1, 1, 1 }, out, window = 1;
    int nk = az_perf_model_list(az_perf_model_arg(r, 1), k, 3),
        ns = az_perf_model_list(az_perf_model_arg(r, 2), s, 3),
        np = az_perf_model_list(az_perf_model_arg(r, 3), p, 3);
    int nd = az_perf_model_attr_is(r, "kind", "max")
                 ? az_perf_model_list(az_perf_model_arg(r, 4), d, 3)
                 : 0,
        n = az_perf_model_number(r, "spatial");
    if (nk < 1 || x->nd < n || n > 3)
        return az_perf_model_fail(r, "window is not recorded");
    out = x->elements;
    for (int i = 0; i < n; i++) {
        double in = az_perf_model_dim(x, x->nd - n + i), ki = k[nk == n ? i : 0],
               si = ns > 0 ? s[ns == n ? i : 0] : ki;
        double pi = np > 0 ? p[np == n ? i : 0] : 0, di = nd > 0 ? d[nd == n ? i : 0] : 1;
        if (si <= 0 || in <= 0)
            return az_perf_model_fail(r, "unsupported form of window");
        out = out / in * (floor((in + 2 * pi - di * (ki - 1) - 1) / si) + 1);
        window *= ki;
    }
    az_perf_model_p_json(r, "op_shape", x->dims);
    az_perf_model_p_types(r, "dtype_in_out", x, NULL, NULL);
    az_perf_model_unit(r, "vector", x->type);
    return az_perf_model_done(r, window * out,
                              az_perf_model_size(x) + out * x->type->bytes +
                                  out * az_perf_model_at(r, "index", 0));
}

/* Lists of tensors: reads=N lists, writes=N of the first one's size; flops=N an element. */
AZ_PERF_MODEL(foreach)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    double n = x->elements, lists = 0;
    if (!x->list)
        return az_perf_model_fail(r, "no tensor list");
    for (unsigned i = 0; i < r->call->n; i++)
        lists += r->call->arg[i].list;
    az_perf_model_p_int(r, "tensors", x->count);
    az_perf_model_p_int(r, "elements", n);
    r->out->unit = "vector";
    return az_perf_model_done(r, n * az_perf_model_at(r, "flops", 1),
                              n * list_size(r, x) * (lists + az_perf_model_number(r, "writes")));
}

/* Fused optimizers: parameters, gradients and state are lists; all but the gradients are written
 * back. */
AZ_PERF_MODEL(optimizer)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    double n = 0, b = list_size(r, x);
    if (!x->list)
        return az_perf_model_fail(r, "no tensor list");
    for (unsigned i = 0; i < r->call->n; i++)
        if (r->call->arg[i].list)
            n += r->call->arg[i].elements * (i == 1 ? 1 : 2);
    az_perf_model_p_int(r, "tensors", x->count);
    az_perf_model_p_int(r, "elements", x->elements);
    r->out->unit = "vector";
    return az_perf_model_done(r, x->elements * az_perf_model_number(r, "flops"), n * b);
}

/* Keys and values into the cache: both read and written. */
AZ_PERF_MODEL(store_cache)
{
    const struct az_perf_arg *x = az_perf_model_key(r, "in", 0);
    if (!az_perf_model_dims(x))
        return az_perf_model_fail(r, "no tensor");
    az_perf_model_p_json(r, "op_shape", x->dims);
    az_perf_model_p_int(r, "nelems", x->elements);
    az_perf_model_p_text(r, "dtype", x->type_name);
    az_perf_model_unit(r, "vector", x->type);
    return az_perf_model_done(r, 0, 4 * az_perf_model_size(x));
}

/* Dispatch and combine of experts. */
AZ_PERF_MODEL(comm)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    if (x->nd < 2)
        return az_perf_model_fail(r, "tokens do not have 2 dimensions");
    az_perf_model_p_json(r, "op_shape", x->dims);
    r->out->bwd_flops = 0;
    r->out->bwd_bytes = az_perf_model_dim(x, 0) * az_perf_model_dim(x, 1) * x->type->bytes;
    return az_perf_model_done(r, 0, r->out->bwd_bytes);
}

/* Memory traffic of this device alone: A=i (and B=i), times=N. */
AZ_PERF_MODEL(collective)
{
    const struct az_perf_arg *a = az_perf_model_operand(r, "A"), *b = az_perf_model_key(r, "B", -1);
    if (!az_perf_model_dims(a))
        return az_perf_model_fail(r, "no tensor");
    az_perf_model_p_json(r, "op_shape", a->dims);
    return az_perf_model_done(r, 0,
                              (a->elements + (az_perf_model_dims(b) ? b->elements : 0)) *
                                  a->type->bytes * az_perf_model_at(r, "times", 1));
}

/* All-reduce, residual and normalization in one: x=i weight=i. */
AZ_PERF_MODEL(allreduce_rmsnorm)
{
    const struct az_perf_arg *x = az_perf_model_operand(r, "in"),
                             *w = az_perf_model_operand(r, "weight");
    double n = w->elements;
    if (!az_perf_model_dims(x) || !az_perf_model_dims(w) || n <= 0)
        return az_perf_model_fail(r, "input or weight is missing");
    double e = x->elements, m = e / n;
    az_perf_model_p_json(r, "op_shape", x->dims);
    az_perf_model_p_int(r, "num_channels", n);
    az_perf_model_unit(r, "vector", x->type);
    return az_perf_model_done(r, e + m * (2 * n + 2) + 2 * e,
                              4 * e * x->type->bytes + n * x->type->bytes);
}

/* Whatever it does: the largest operand's elements, all operands once. */
AZ_PERF_MODEL(operands)
{
    double largest = 0, bytes = 0;
    const struct az_perf_arg *first = NULL;
    for (unsigned i = 0; i < r->call->n; i++) {
        const struct az_perf_arg *x = &r->call->arg[i];
        if (!az_perf_model_dims(x) || isnan(x->type->bytes))
            continue;
        first = first ? first : x;
        largest = fmax(largest, x->elements);
        bytes += az_perf_model_size(x);
    }
    if (!first)
        return az_perf_model_fail(r, "no tensor");
    az_perf_model_p_json(r, "op_shape", first->dims);
    az_perf_model_unit(r, "vector", first->type);
    return az_perf_model_done(r, largest, bytes);
}

/* Table-batched embedding lookup: weights in=i, one momentum per row in rows=i, indices=i,
 * offsets=i (bags + 1). The average row length is weights by rows. Backward: every selected row's
 * gradient, the row read and written back, rows assumed distinct. */
AZ_PERF_MODEL(table_lookup)
{
    const struct az_perf_arg *w = az_perf_model_operand(r, "in"),
                             *rows = az_perf_model_operand(r, "rows"),
                             *index = az_perf_model_operand(r, "index");
    const struct az_perf_arg *off = az_perf_model_operand(r, "offsets"),
                             *weight = az_perf_model_operand(r, "weight");
    if (!az_perf_model_dims(w) || !az_perf_model_dims(rows) || !az_perf_model_dims(index) ||
        !az_perf_model_dims(off) || rows->elements <= 0)
        return az_perf_model_fail(r, "weights, indices or offsets are missing");
    double d = w->elements / rows->elements, n = index->elements, bags = off->elements - 1,
           out = bags * d * 4;
    double lists = az_perf_model_size(index) + az_perf_model_size(off) + az_perf_model_size(weight);
    az_perf_model_p_int(r, "indices", n);
    az_perf_model_p_int(r, "bags", bags);
    az_perf_model_p_real(r, "row_length", d);
    az_perf_model_unit(r, "vector", w->type);
    r->out->bwd_flops = 4 * n * d;
    r->out->bwd_bytes = lists + out + n * (2 * d * w->type->bytes + 8);
    r->out->assumed = true;
    return az_perf_model_done(r, (az_perf_model_dims(weight) ? 2 : 1) * n * d,
                              lists + n * d * w->type->bytes + out);
}

/* scatter_add_(target, dim, index, values): reads and writes a place of the target for each value.
 */
AZ_PERF_MODEL(scatter_add)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *index = az_perf_model_arg(r, 2),
                             *v = az_perf_model_arg(r, 3);
    if (!az_perf_model_tensor(x) || !az_perf_model_dims(index))
        return az_perf_model_fail(r, "target or index is missing");
    moved(r, x, 0);
    return az_perf_model_done(
        r, index->elements,
        az_perf_model_size(index) +
            index->elements *
                ((az_perf_model_tensor(v) ? v->type->bytes : 0) + 2 * x->type->bytes));
}

/* Gradient in=i spread over the shape of out=i by positions index=i. */
AZ_PERF_MODEL(pool_bwd)
{
    const struct az_perf_arg *g = az_perf_model_operand(r, "in"),
                             *x = az_perf_model_operand(r, "out"),
                             *index = az_perf_model_key(r, "index", -1);
    if (!az_perf_model_dims(g) || !az_perf_model_dims(x))
        return az_perf_model_fail(r, "gradient or input is missing");
    moved(r, x, 0);
    return az_perf_model_done(
        r, g->elements, az_perf_model_size(g) + az_perf_model_size(x) + az_perf_model_size(index));
}

/* Backward pass of a lookup whose indices are not among its arguments: the gradient is read once;
 * what else is moved depends on the selected rows. A lower bound. */
AZ_PERF_MODEL(gradient_read)
{
    const struct az_perf_arg *x = az_perf_model_operand(r, "in");
    if (!az_perf_model_dims(x))
        return az_perf_model_fail(r, "no gradient recorded");
    moved(r, x, 0);
    r->out->assumed = true;
    return az_perf_model_done(r, x->elements, az_perf_model_size(x));
}
