#include "analyses/fw_stack.h"

#include "text/jsonw.h"

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

static bool belongs(const struct az_fw *f, uint32_t node, struct az_sv name)
{
    return node < f->tree->first_call || az_sv_find(name, AZ_SV("nn.Module")) >= 0 ||
           az_sv_find(name, AZ_SV("::")) >= 0 || az_sv_find(name, AZ_SV("/")) >= 0;
}

struct az_sv az_fw_call_stack(struct az_job *job, const struct az_fw *f, uint32_t node, uint32_t gpu)
{
    struct az_vec_char text;
    struct az_vec_u32 path;
    az_vec_init(&text, job->mem);
    az_vec_init(&path, job->mem);
    int rc = 0;
    for (uint32_t n = node; rc == 0 && n != AZ_NO_ROW; n = f->tree->parent[n])
        rc = az_vec_push(&path, n);
    if (rc == 0)
        rc = az_text_append(&text, AZ_SV("["));
    while (rc == 0 && path.n) {
        uint32_t n = path.v[--path.n];
        struct az_sv name = az_node_name(f->tree, n);
        if (!belongs(f, n, name))
            continue;
        rc = az_text_append(&text, text.n > 1 ? AZ_SV(",") : AZ_SV(""));
        if (rc == 0)
            rc = az_json_quote(&text, without_numbers(job->arena, name));
    }
    uint32_t first, end;
    az_node_gpu(f->tree, node, &first, &end);
    if (gpu == AZ_NO_ROW && first < end)
        gpu = f->tree->linked[first];
    if (rc == 0 && gpu != AZ_NO_ROW) {
        rc = az_text_append(&text, text.n > 1 ? AZ_SV(",") : AZ_SV(""));
        if (rc == 0)
            rc = az_json_quote(&text, az_fw_text(f, az_gpu_event(f->tree, gpu).name, ""));
    }
    if (rc == 0)
        rc = az_text_append(&text, AZ_SV("]"));
    struct az_sv out = rc ? AZ_SV("") : az_arena_dup(job->arena, az_text_view(&text));
    az_vec_release(&text);
    az_vec_release(&path);
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
    static const char *const functions[] = {
        "__torch_function__",    "_call_impl", "_wrapped_call_impl", "decorate_context", "dispatch_wrapper",
        "handle_torch_function", "wrapper",    "custom_wrapper",     "wrapper_custom",   "outer_wrapper"
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (az_sv_find(frame, az_sv_str(files[i])) >= 0)
            return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (az_sv_starts(frame, az_sv_str(prefixes[i])))
            return true;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (az_sv_is(function_of(frame), functions[i]))
            return true;
    return false;
}

struct az_sv az_fw_entry_point(const struct az_fw *f, uint32_t node)
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
