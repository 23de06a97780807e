-- Categories and models of operators unknown to the program. Used by example/pytorch_models.json.

-- A fused projection of Megatron's kind: x [tokens, hidden] and a weight [out, hidden]; query, key and value come out in one.
local function fused_linear(e)
    local tokens, hidden, out = e.dims[1][1], e.dims[1][2], e.dims[2][1]
    local flops = 2 * tokens * hidden * out
    local bytes = 2 * (tokens * hidden + out * hidden + tokens * out) -- 2 bytes an element
    return flops, bytes, "bf16"
end

-- A mixture of experts behind one operator: x [tokens, hidden], w1 [experts, 2 * inner, hidden], w2 [experts, hidden, inner],
-- choices [tokens, k]. All experts are assumed to be in use.
local function fused_experts(e)
    local x, w1, w2, choices = e.dims[1], e.dims[2], e.dims[3], e.dims[4]
    local tokens, hidden, inner, k = x[1], x[2], w2[3], choices[2]
    local flops = 2 * tokens * hidden * inner * k * 3
    local bytes = 2 * (2 * tokens * hidden + 3 * w1[1] * inner * hidden)
    return flops, bytes, "bf16"
end

-- Attention of a server: query [tokens, heads, size] against keys of the same step; the cache is not among the arguments.
local function attention(e)
    local q, k = e.dims[1], e.dims[2]
    return 4 * q[1] * k[1] * q[2] * q[3], 2 * (2 * q[1] * q[2] * q[3] + 2 * k[1] * k[2] * k[3]), "bf16"
end

categories = {
    attention = { "vllm::flash_attn_varlen_func" },
    MoE_fused = { "megatron::fused_moe" },
}

perf_models = {
    ["vllm::flash_attn_varlen_func"] = attention,
    ["megatron::fused_qkv"] = fused_linear,
    ["megatron::fused_moe"] = fused_experts,
}
