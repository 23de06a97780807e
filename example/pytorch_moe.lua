-- Changes to the call tree. Used by example/pytorch_moe.json.

-- Triton's products of experts do not record the number of experts of a token: here it is 4 of 128.
local function products(tree, op)
    local step = { "up", "down" }
    local n = 0
    for _, k in ipairs(tree.kernels(op)) do
        if string.find(k.name, "_matmul_ogs") then
            n = n + 1
            tree.insert("pseudo_op::moe_triton_unfused_" .. step[n == 1 and 1 or 2], { k.call },
                        { args_from = op, facts = { ["MoE topk"] = 4, ["MoE GEMM gated"] = 1 } })
        end
    end
end

function tree_postprocess(tree)
    for _, op in ipairs(tree.find("vllm::moe_forward")) do products(tree, op) end
    -- One name for what several engines call differently.
    for _, op in ipairs(tree.find("vllm::rocm_aiter_fused_moe")) do tree.rename(op, "experts (fused)") end
end
