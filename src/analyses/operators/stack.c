#include "analyses/operators/stack.h"

#include "base/utf8.h"
#include "text/text_writer.h"

/* Without every `_` followed by digits. */
static struct az_sv without_numbers(struct az_arena *a, struct az_sv s)
{
    char *out = az_arena_alloc(a, s.n + 1);
    size_t n = 0;
    if (!out)
        return s;
    for (size_t i = 0; i < s.n; i++) {
        size_t j = i + 1;
        while (s.p[i] == '_' && j < s.n && s.p[j] >= '0' && s.p[j] <= '9')
            j++;
        if (s.p[i] == '_' && j > i + 1)
            i = j - 1;
        else
            out[n++] = s.p[i];
    }
    return az_sv_make(out, n);
}

static bool belongs(const struct az_framework *f, uint32_t node, struct az_sv name)
{
    return node < f->tree->first_call || az_sv_find(name, AZ_SV("nn.Module")) >= 0 ||
           az_sv_find(name, AZ_SV("::")) >= 0 || az_sv_find(name, AZ_SV("/")) >= 0;
}

struct stack {
    struct az_job *job;
    const struct az_framework *f;
    struct az_vec_char text;
    struct az_vec_u32 path;
    struct az_intern tails; /* distinct tails as JSON texts without brackets */
};

/* After what is in the list already: nothing, or its opening bracket, or names. */
static void add_name(struct az_vec_char *to, struct az_sv name)
{
    if (to->n && to->v[to->n - 1] != '[')
        az_text_add(to, AZ_SV(","));
    az_text_quoted(to, name);
}

/* The names from below `above` (AZ_NO_ROW: from the root) down to a node. */
static void add_path(struct stack *s, struct az_vec_char *to, uint32_t above, uint32_t node)
{
    az_vec_reset(&s->path);
    for (uint32_t n = node; n != AZ_NO_ROW && n != above; n = s->f->tree->parent[n])
        az_vec_add(&s->path, n);
    while (s->path.n) {
        uint32_t n = s->path.v[--s->path.n];
        struct az_sv name = az_node_name(s->f->tree, n);
        if (belongs(s->f, n, name))
            add_name(to, without_numbers(s->job->arena, name));
    }
}

/* The deepest node that still holds all device events of this one: the way down to it is common to
 * all of them. */
static uint32_t common_node(const struct az_framework *f, uint32_t node)
{
    uint32_t first, end, from, to;
    az_node_gpu(f->tree, node, &first, &end);
    if (first == end)
        return node;
    for (uint32_t n = f->tree->gpu_node[f->tree->linked[first]]; n != AZ_NO_ROW && n != node;
         n = f->tree->parent[n]) {
        az_node_gpu(f->tree, n, &from, &to);
        if (from == first && to == end)
            return n;
    }
    return node;
}

/* What differs: from below the common node to each kernel; equal ones once. */
static void find_tails(struct stack *s, uint32_t common, const uint32_t *gpu, size_t n)
{
    struct az_vec_char tail;
    az_vec_init(&tail, s->job->mem);
    for (size_t i = 0; i < n; i++) {
        az_vec_reset(&tail);
        add_path(s, &tail, common, s->f->tree->gpu_node[gpu[i]]);
        add_name(&tail, az_framework_text(s->f, az_gpu_event(s->f->tree, gpu[i]).name, ""));
        (void)az_intern_id(&s->tails, az_text_view(&tail));
    }
    s->text.failed |= tail.failed;
    az_vec_release(&tail);
}

static int write_stack(struct stack *s, uint32_t node, uint32_t gpu)
{
    const struct az_calltree *c = s->f->tree;
    uint32_t common = gpu == AZ_NO_ROW ? common_node(s->f, node) : c->gpu_node[gpu], first, end;
    az_node_gpu(c, common, &first, &end);
    az_text_add(&s->text, AZ_SV("["));
    add_path(s, &s->text, AZ_NO_ROW, common);
    if (gpu == AZ_NO_ROW)
        find_tails(s, common, c->linked + first, end - first);
    else
        find_tails(s, common, &gpu, 1);
    bool many = s->tails.text.n > 1;
    for (uint32_t i = 0; i < s->tails.text.n; i++)
        az_text_format(&s->text, "%s%s%.*s%s", s->text.n > 1 ? "," : "", many ? "[" : "",
                       AZ_SVF(az_intern_text(&s->tails, i)), many ? "]" : "");
    az_text_add(&s->text, AZ_SV("]"));
    return s->path.failed   ? az_vec_error(&s->path)
           : s->tails.error ? s->tails.error
                            : az_vec_error(&s->text);
}

struct az_sv az_framework_call_stack(struct az_job *job, const struct az_framework *f,
                                     uint32_t node, uint32_t gpu)
{
    struct stack s = { .job = job, .f = f };
    az_vec_init(&s.text, job->mem);
    az_vec_init(&s.path, job->mem);
    az_intern_init(&s.tails, job->arena, job->mem);
    int rc = write_stack(&s, node, gpu);
    if (rc)
        job->arena->failed = true; /* the caller checks it at its end */
    struct az_sv out = rc ? AZ_SV("") : az_arena_dup(job->arena, az_text_view(&s.text));
    az_vec_release(&s.text);
    az_vec_release(&s.path);
    az_intern_release(&s.tails);
    return out;
}

/* Function of a frame "file.py(123): name". */
static struct az_sv function_of(struct az_sv frame)
{
    ptrdiff_t at = az_sv_find(frame, AZ_SV("): "));
    return at < 0 ? frame : az_sv_make(frame.p + at + 3, frame.n - (size_t)at - 3);
}

static bool is_wrapper(struct az_sv frame)
{
    static const char *const files[] = { "torch/_ops.py",
                                         "torch/nn/modules/module.py",
                                         "torch/utils/_contextlib.py",
                                         "torch/utils/_device.py",
                                         "torch/_tensor.py",
                                         "torch/functional.py",
                                         "torch/overrides.py",
                                         "torch/_inductor/",
                                         "torch/_functorch/",
                                         "torch/distributed/c10d_logger.py",
                                         "triton/backends/" };
    static const char *const prefixes[] = { "<built-in", "pybind11_builtins", "nn.Module:" };
    static const char *const functions[] = { "__torch_function__",
                                             "_call_impl",
                                             "_wrapped_call_impl",
                                             "decorate_context",
                                             "dispatch_wrapper",
                                             "handle_torch_function",
                                             "wrapper",
                                             "custom_wrapper",
                                             "wrapper_custom",
                                             "outer_wrapper" };
    for (size_t i = 0; i < AZ_LENGTH(files); i++)
        if (az_sv_find(frame, az_sv_str(files[i])) >= 0)
            return true;
    for (size_t i = 0; i < AZ_LENGTH(prefixes); i++)
        if (az_sv_starts(frame, az_sv_str(prefixes[i])))
            return true;
    for (size_t i = 0; i < AZ_LENGTH(functions); i++)
        if (az_sv_is(function_of(frame), functions[i]))
            return true;
    return false;
}

struct az_sv az_framework_entry_point(const struct az_framework *f, uint32_t node)
{
    struct az_sv op = az_node_name(f->tree, node), local = op;
    for (ptrdiff_t at; (at = az_sv_find(local, AZ_SV("::"))) >= 0;)
        local = az_sv_make(local.p + at + 2, local.n - (size_t)at - 2);
    for (uint32_t p = f->tree->pre[node] + 1; p <= f->tree->last[node]; p++) {
        uint32_t n = f->tree->by_pre[p];
        struct az_sv name = az_node_name(f->tree, n);
        if (n >= f->tree->first_frame && local.n && az_sv_find(name, AZ_SV(".py")) >= 0 &&
            az_sv_find(function_of(name), local) >= 0)
            return name;
    }
    for (uint32_t n = f->tree->parent[node]; n != AZ_NO_ROW; n = f->tree->parent[n]) {
        struct az_sv name = az_node_name(f->tree, n);
        if (n >= f->tree->first_frame && az_sv_find(name, AZ_SV(".py")) >= 0 && !is_wrapper(name))
            return name;
    }
    return AZ_SV("Not found");
}

struct az_sv az_framework_parent_module(struct az_arena *a, const struct az_framework *f,
                                        uint32_t node)
{
    static const struct az_sv prefix = { "nn.Module: ", 11 };
    for (uint32_t n = node; n != AZ_NO_ROW; n = f->tree->parent[n]) {
        struct az_sv name = n < f->tree->first_frame ? AZ_SV("") : az_node_name(f->tree, n);
        if (az_sv_starts(name, prefix))
            return without_numbers(a, az_sv_make(name.p + prefix.n, name.n - prefix.n));
    }
    return AZ_SV("root");
}

static bool is_module(const struct az_framework *f, uint32_t node)
{
    return az_sv_find(az_node_name(f->tree, node), AZ_SV("nn.Module")) >= 0;
}

static void add_cut(struct az_vec_char *to, struct az_arena *a, struct az_sv name)
{
    enum { LONGEST = 256 };
    add_name(to, name.n <= LONGEST
                     ? name
                     : az_arena_printf(a, "%.*s..", AZ_SVF(az_utf8_cut(name, LONGEST))));
}

struct az_sv az_framework_module_stack(struct az_job *job, const struct az_framework *f,
                                       uint32_t node)
{
    struct az_vec_char text;

    az_vec_init(&text, job->mem);
    az_text_add(&text, AZ_SV("["));
    add_cut(&text, job->arena, az_node_name(f->tree, node));
    for (uint32_t n = f->tree->parent[node]; n != AZ_NO_ROW; n = f->tree->parent[n])
        if (is_module(f, n))
            add_cut(&text, job->arena, az_node_name(f->tree, n));
    az_text_add(&text, AZ_SV("]"));
    job->arena->failed |= text.failed; /* the caller checks it at its end */
    const struct az_sv out = az_arena_dup(job->arena, az_text_view(&text));
    az_vec_release(&text);
    return out;
}

struct az_sv az_framework_module_around(struct az_arena *a, const struct az_framework *f,
                                        uint32_t node)
{
    for (uint32_t n = f->tree->parent[node]; n != AZ_NO_ROW; n = f->tree->parent[n])
        if (is_module(f, n))
            return without_numbers(a, az_node_name(f->tree, n));
    return AZ_SV("NA");
}
