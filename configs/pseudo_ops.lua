-- Operators put around the kernels of mixtures of experts, of latent attention and of Transformer Engine's linear layers (option
-- enable_pseudo_ops), so that each of their steps has a row and a performance model of its own. Also an example of tree_postprocess: see src/docs/extension.md.

local function has(text, part) return string.find(text, part) ~= nil end

-- Kernels below an operator whose name contains one of the parts, one entry per launching call and in order of launch.
local function launches(tree, op, ...)
    local out, parts, seen = {}, { ... }, {}
    for _, k in ipairs(tree.kernels(op)) do
        for _, part in ipairs(parts) do
            if has(k.name, part) and not seen[k.call] then
                seen[k.call] = true
                out[#out + 1] = k
            end
        end
    end
    return out
end

-- sglang_profiler::rmsnorm_109 -> sglang_profiler::rmsnorm: the number is that of a call.
local function without_number(name)
    local n = #name
    while n > 0 and has("0123456789", string.sub(name, n, n)) do n = n - 1 end
    if n < #name and string.sub(name, n, n) == "_" then return string.sub(name, 1, n - 1) end
    return name
end

-- Members of a JSON list as texts; of no list: none. Each list is parsed once, as the same ones recur.
local known = {}
local function members(text)
    if not text or string.sub(text, 1, 1) ~= "[" then return {} end
    if known[text] then return known[text] end
    local out, depth, from = {}, 0, 2
    for i = 2, #text do
        local c = string.sub(text, i, i)
        if (c == "," or c == "]") and depth == 0 then
            if i > from then out[#out + 1] = string.sub(text, from, i - 1) end
            from = i + 1
        end
        if c == "[" then depth = depth + 1 elseif c == "]" then depth = depth - 1 end
    end
    known[text] = out
    return out
end

local function unquoted(text)
    return string.sub(text, 1, 1) == '"' and string.sub(text, 2, #text - 1) or text
end

-- One product of experts that is a single kernel of AITER. The fact `launcher` is for reports of TraceLens for inference, whose
-- tables of launching operators have the operator around such steps (model/launchers.c).
local function aiter_fused(tree)
    for _, op in ipairs(tree.find("vllm::rocm_aiter_fused_moe")) do
        local k = launches(tree, op, "fmoe")
        if #k == 1 and has(k[1].name, "aiter::") then
            tree.insert("pseudo_op::moe_aiter_fused_1stage", { k[1].call }, { args_from = op, facts = { launcher = "parent" } })
        end
    end
end

-- The first product is `up`, the others are `down`. `choices`: experts of a token, where known.
local function up_and_down(tree, op, kernels, name, choices)
    for i, k in ipairs(kernels) do
        local facts = { launcher = "parent" }
        if choices then
            facts["MoE topk"] = choices
            facts["MoE GEMM gated"] = i == 1 and 1 or 0
        end
        tree.insert(name .. (i == 1 and "_up" or "_down"), { k.call }, { args_from = op, facts = facts })
    end
end

-- Operator named `name` -> experts of a token, from the router below it: the number among its arguments
-- (TopK(logits, k), aten::topk(logits, k)), else the width of the weights that it writes (topk_softmax(weights [M, k], ..)).
local function choices_of(tree, name)
    local out = {}
    for _, part in ipairs({ "TopK", "topk" }) do
        for _, router in ipairs(tree.find(part)) do
            local up = tree.parent(router)
            while up and tree.name(up) ~= name do up = tree.parent(up) end
            if up and not out[up] then
                local args = tree.args(router)
                local dims, words = members(args.dims), members(args.concrete)
                local written = members(dims[1])
                local k = words[2] and math.tointeger(tonumber(unquoted(words[2]))) or
                          (has(tree.name(router), "softmax") and #written == 2 and math.tointeger(tonumber(written[2])))
                if k and k > 0 then out[up] = k end
            end
        end
    end
    return out
end

-- A tensor as a matrix: rows (all dimensions but the last), columns. nil: it has fewer than two dimensions.
local function matrix(dims)
    local d, rows = members(dims), 1
    if #d < 2 then return nil end
    for i = 1, #d - 1 do rows = rows * (math.tointeger(tonumber(d[i])) or 0) end
    return { rows = rows, columns = math.tointeger(tonumber(d[#d])) or 0 }
end

-- Input and weight [N, K] of a linear layer by its arguments: weight first, or (with a norm) input first; the other is the
-- first further matrix of as many columns.
local function layer(tree, op, weight_first)
    local args = tree.args(op)
    local dims, types = members(args.dims), members(args.types)
    local one = matrix(dims[1])
    for i = 2, #dims do
        local other = matrix(dims[i])
        if one and other and one.columns > 0 and other.columns == one.columns and #members(dims[weight_first and 1 or i]) == 2 then
            local x, w = weight_first and other or one, weight_first and one or other
            return { m = x.rows, k = w.columns, n = w.rows, x = types[weight_first and i or 1], w = types[weight_first and 1 or i] }
        end
    end
    return nil
end

local function product(tree, name, call, a, b, ta, tb)
    if not ta or not tb then return end
    tree.insert(name, { call }, { dims = string.format("[[%d,%d],[%d,%d]]", a[1], a[2], b[1], b[2]),
                                  types = "[" .. ta .. "," .. tb .. "]" })
end

-- Transformer Engine launches the products of a linear layer without operators. Forward y = x w', one product; backward
-- x' = y' w and w' = y'' x, in that order; its shapes are those of the forward operator of equal sequence number.
local function linear_layers(tree)
    local names = { _Linear = true, _LayerNormLinear = true }
    local found, forward = tree.find("Linear"), {}
    for _, op in ipairs(found) do
        local name = tree.name(op)
        local l = names[name] and layer(tree, op, name == "_Linear")
        if l then
            local sequence, k = tree.sequence(op), launches(tree, op, "nvjet", "gemm", "gemv", "Cijk_", "cutlass")
            if sequence then forward[sequence .. name] = l end
            if #k == 1 then product(tree, name .. "_yfwd_mm", k[1].call, { l.m, l.k }, { l.k, l.n }, l.x, l.w) end
        end
    end
    for _, op in ipairs(found) do
        local name = tree.name(op)
        local base = string.sub(name, -8) == "Backward" and string.sub(name, 1, -9) or ""
        local l = names[base] and tree.sequence(op) and forward[tree.sequence(op) .. base]
        if l then
            local k = launches(tree, op, "nvjet", "gemm", "gemv", "Cijk_", "cutlass")
            local y = members(tree.args(op).types)[1] or l.x
            if #k == 2 then
                product(tree, name .. "_xgrad_mm", k[1].call, { l.m, l.n }, { l.n, l.k }, y, l.w)
                product(tree, name .. "_wgrad_mm", k[2].call, { l.n, l.m }, { l.m, l.k }, y, l.x)
            end
        end
    end
end

-- The two products of FlyDSL, in order; other kinds of AITER's have operators of their own.
local function flydsl(tree)
    for _, op in ipairs(tree.find("aiter::fused_moe_")) do
        local k = {}
        for _, x in ipairs(launches(tree, op, "flydsl")) do
            if has(x.name, "moe") then k[#k + 1] = x end
        end
        if #k == 2 then
            for i, x in ipairs(k) do tree.insert("pseudo_op::moe_flydsl_stage" .. i, { x.call }, { args_from = op }) end
        end
    end
end

-- Operators of attention on latent vectors (MLA, as of DeepSeek) have the model of pseudo_mla_*: their arguments begin with
-- queries [T, heads, d] and keys [.., heads, d]. Of one within another, as stages of a whole, the inner one.
local function latent_attention(tree, part, name)
    local found, outer = tree.find(part), {}
    for _, op in ipairs(found) do
        local up = tree.parent(op)
        while up do
            outer[up] = true
            up = tree.parent(up)
        end
    end
    for _, op in ipairs(found) do
        local dims, calls = members(tree.args(op).dims), {}
        local q, k = members(dims[1]), members(dims[2])
        if not outer[op] and #q == 3 and #k >= 3 and q[3] == k[#k] then
            for _, node in ipairs(tree.children(op)) do
                if tree.kind(node) == "call" and #tree.kernels(node) > 0 then calls[#calls + 1] = node end
            end
        end
        if #calls > 0 then tree.insert(name, calls, { args_from = op }) end
    end
end

function tree_postprocess(tree)
    for _, op in ipairs(tree.find("sglang_profiler::")) do
        local name = tree.name(op)
        local short = without_number(name)
        if string.sub(name, 1, 17) == "sglang_profiler::" and short ~= name then tree.rename(op, short) end
    end
    aiter_fused(tree)
    flydsl(tree)
    local choices = choices_of(tree, "vllm::moe_forward")
    for _, op in ipairs(tree.find("vllm::moe_forward")) do
        up_and_down(tree, op, launches(tree, op, "matmul_ogs"), "pseudo_op::moe_triton_unfused", choices[op])
        for _, k in ipairs(launches(tree, op, "_finalize_matmul_scatter")) do -- adds up what the experts gave
            tree.insert("pseudo_op::moe_triton_unfused_finalize_matmul_scatter", { k.call },
                        { args_from = op, facts = { launcher = "parent" } })
        end
    end
    choices = choices_of(tree, "vllm::outplace_fused_experts")
    for _, op in ipairs(tree.find("vllm::outplace_fused_experts")) do
        up_and_down(tree, op, launches(tree, op, "fused_moe_kernel_gptq_awq"), "pseudo_op::moe_gptq_awq", choices[op])
    end
    latent_attention(tree, "mla_decode", "pseudo_mla_decode_fwd")
    latent_attention(tree, "mla_prefill", "pseudo_mla_prefill_fwd")
    linear_layers(tree)
end
