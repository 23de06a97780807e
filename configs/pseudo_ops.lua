-- Operators put around the kernels of mixtures of experts (option enable_pseudo_ops), so that each of their steps has a
-- row and a performance model of its own. Also an example of tree_postprocess: see src/docs/extension.md.

local function has(text, part) return string.find(text, part) ~= nil end

-- Kernels below an operator whose name holds one of the parts, one entry a launching call and in order of launch.
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

-- One product of experts that is a single kernel of AITER.
local function aiter_fused(tree)
    for _, op in ipairs(tree.find("vllm::rocm_aiter_fused_moe")) do
        local k = launches(tree, op, "fmoe")
        if #k == 1 and has(k[1].name, "aiter::") then
            tree.insert("pseudo_op::moe_aiter_fused_1stage", { k[1].call }, { args_from = op })
        end
    end
end

-- The first product is `up`, the others are `down`.
local function up_and_down(tree, op, kernels, name)
    for i, k in ipairs(kernels) do
        tree.insert(name .. (i == 1 and "_up" or "_down"), { k.call }, { args_from = op })
    end
end

function tree_postprocess(tree)
    for _, op in ipairs(tree.find("sglang_profiler::")) do
        local name = tree.name(op)
        local short = without_number(name)
        if string.sub(name, 1, 17) == "sglang_profiler::" and short ~= name then tree.rename(op, short) end
    end
    aiter_fused(tree)
    for _, op in ipairs(tree.find("vllm::moe_forward")) do
        up_and_down(tree, op, launches(tree, op, "matmul_ogs", "_finalize_matmul_scatter"), "pseudo_op::moe_triton_unfused")
    end
    for _, op in ipairs(tree.find("vllm::outplace_fused_experts")) do
        up_and_down(tree, op, launches(tree, op, "fused_moe_kernel_gptq_awq"), "pseudo_op::moe_gptq_awq")
    end
end
