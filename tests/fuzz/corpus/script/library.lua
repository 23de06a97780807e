local function f(n) if n > 9 then error("x") end; return f(n + 1) end
categories = { mine = { "my::op" } }
perf_models = { ["my::op"] = function(e)
  local t = { 3, 1, 2 }
  table.sort(t, function(a, b) return a < b end); table.move(t, 1, 3, 2); table.concat(t, ",")
  local ok = pcall(f, 1)
  local s = string.format("%5.1f %s", 2.5, string.rep("ab", 10)) .. utf8.char(228)
  string.find(s, "ab", 1, true); string.byte(s, 1, -1); string.sub(s, 2, 5)
  return 2 * e.dims[1][1] * tonumber(e.concrete[2]) + math.floor(#s / 2), select("#", 1, 2), "bf16"
end }
