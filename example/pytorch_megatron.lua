-- Megatron with Transformer Engine, a port of TraceLens' example of an extension (src/docs/from-tracelens.md has both side by
-- side): attention behind one operator, whose backward operator records no shapes, and projections without operators.
-- Usage: analyzer run TRACE --extension-file pytorch_megatron.lua

local function product_of(list)
    local n = 1
    for _, d in ipairs(list) do n = n * d end
    return n
end

-- Query, key and value [sequence, batch, heads, size] of FusedAttnFunc are its arguments 6 to 8; of other versions the first three
-- of four dimensions.
local function attention_shapes(e)
    local found = {}
    for _, d in ipairs(e.dims) do
        if #d == 4 then found[#found + 1] = d end
    end
    return found[1], found[2], found[3]
end

-- Two products of [sequence, size] with all keys; half of them for a causal mask, which is what Megatron trains with.
local function attention(e, products)
    local q, k, v = attention_shapes(e)
    if not q or not k or not v then return nil end
    local flops = products * q[1] * k[1] * q[2] * q[3] * q[4] -- 2 a multiplication and addition, halved
    local bytes = 2 * (2 * product_of(q) + product_of(k) + product_of(v))
    return flops, bytes, "bf16"
end

categories = { SDPA_fwd = { "FusedAttnFunc" }, SDPA_bwd = { "FusedAttnFunc_bwd" } }

perf_models = {
    ["FusedAttnFunc"] = function(e) return attention(e, 2) end,
    ["FusedAttnFunc_bwd"] = function(e) return attention(e, 5) end, -- five products instead of two
}

-- Python: for event in trace_tree.events: fwd = trace_tree.get_UID2event(event["fwd_event"])
function tree_postprocess(tree)
    for _, op in ipairs(tree.find("FusedAttnFuncBackward")) do
        local forward = tree.forward(op)
        if forward and tree.name(op) == "FusedAttnFuncBackward" then
            tree.insert("FusedAttnFunc_bwd", tree.children(op), { args_from = forward })
        end
    end
end
