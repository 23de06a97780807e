// The flame view: boxes from the whole at the top down to what ran. A box opens by click or Enter; arrows go from box to
// box; names are found by text. Without this script there is the table of paths.
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("flame-data").textContent);
  const host = document.getElementById("icicle"), paper = matchMedia("print"), ROW = 22, n = data.parent.length;
  const left = new Float64Array(n), depth = new Uint16Array(n), used = new Float64Array(n), below = Array.from({ length: n }, () => []);
  let deepest = 0;
  for (let i = 1; i < n; i++) { // a parent comes before its children
    const p = data.parent[i];
    left[i] = left[p] + used[p];
    used[p] += data.total[i];
    depth[i] = depth[p] + 1;
    deepest = Math.max(deepest, depth[i]);
    below[p].push(i);
  }

  function make(tag, props, ...children) {
    const e = Object.assign(document.createElement(tag), props);
    e.append(...children);
    return e;
  }
  function time(ns) {
    const unit = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]].find((u) => ns >= u[0]) || [1, "ns"];
    return Number((ns / unit[0]).toPrecision(4)) + "\u00a0" + unit[1];
  }
  const share = (i) => (100 * data.total[i] / data.total[0]).toPrecision(3) + " %";
  const describe = (i) => [data.name[i], time(data.total[i]) + ", " + share(i) + " of device time, " + data.count[i] + " events" +
    (below[i].length ? "; mostly " : "; ") + data.families[data.family[i]]];
  const within = (i, of) => { while (i > of) i = data.parent[i]; return i === of; };

  let root = 0, chosen = -1, words = "", width = 0, colours = {}, found = new Set(), waiting = false;
  const canvas = make("canvas"), tip = make("div", { className: "tip", hidden: true });
  const says = make("p", { className: "chosen" }), hits = make("output");
  says.setAttribute("aria-live", "polite");
  const box = make("div", { className: "lanes", tabIndex: 0 }, canvas, tip);
  box.setAttribute("role", "application");
  box.setAttribute("aria-label", "Device time by path");
  box.setAttribute("aria-describedby", "flame-text icicle-help");
  const find = make("input", { type: "search", placeholder: "find in names" });
  find.setAttribute("aria-label", "Find in names of the flame view");
  const whole = make("button", { type: "button", textContent: "whole tree", title: "Show the whole tree (Home)" });
  const keys = make("p", {
    className: "note", id: "icicle-help",
    textContent: "Click opens a box, and the tables of kernels and operators show what runs in it; the boxes above it close it again. Keys: arrows go from box to box, Enter opens, Home shows the whole.",
  });
  const help = make("details", { className: "help" }, make("summary", { textContent: "Mouse and keys" }), keys);
  host.append(make("div", { className: "tools" }, whole, make("label", { className: "filter" }, find, hits)), box, says, help);

  const scale = () => width / data.total[root];
  const xOf = (i) => (left[i] - left[root]) * scale();
  const isAbove = (i) => i !== root && within(root, i);
  const boxOf = (i) => isAbove(i) ? [0, width] : [xOf(i), data.total[i] * scale()];

  function readColours() {
    const style = getComputedStyle(document.documentElement), get = (name) => style.getPropertyValue("--" + name).trim();
    colours = { text: get("text"), card: get("card"), grid: get("head"), dim: get("dim"), family: data.families.map((_, f) => get("f" + f)) };
    colours.on = colours.family.map((c) => {
      const [r, g, b] = [1, 3, 5].map((k) => parseInt(c.slice(k, k + 2), 16));
      return 0.3 * r + 0.59 * g + 0.11 * b > 140 ? "#101418" : "#fff";
    });
  }
  function cut(g, text, room) {
    if (g.measureText(text).width <= room) return text;
    let k = Math.floor(text.length * room / g.measureText(text).width);
    while (k > 1 && g.measureText(text.slice(0, k) + "\u2026").width > room) k--;
    return k > 1 ? text.slice(0, k) + "\u2026" : "";
  }
  // Boxes that call others are pale, what ran has its family's whole color.
  function drawBox(g, i) {
    const [x, w] = boxOf(i), y = depth[i] * ROW, last = below[i].length === 0;
    if (w < 0.4 || x + w < 0 || x > width) return;
    g.fillStyle = i === 0 ? colours.grid : colours.family[data.family[i]];
    g.globalAlpha = (found.size && !found.has(i) ? 0.12 : 1) * (last || i === 0 ? 1 : 0.35);
    g.fillRect(x, y, Math.max(w - 1, 0.6), ROW - 1);
    g.globalAlpha = 1;
    if (w > 26) {
      g.fillStyle = last && i && !(found.size && !found.has(i)) ? colours.on[data.family[i]] : colours.text;
      g.fillText(cut(g, data.name[i], w - 8), x + 4, y + ROW / 2);
    }
  }
  function draw() {
    width = box.clientWidth;
    const ratio = window.devicePixelRatio || 1;
    let lowest = 0;
    for (let i = 0; i < n; i++)
      if (isAbove(i) || (within(i, root) && data.total[i] * scale() > 0.4)) lowest = Math.max(lowest, depth[i]);
    const height = (lowest + 1) * ROW + 2;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    g.font = "12px " + getComputedStyle(document.body).fontFamily;
    g.textBaseline = "middle";
    for (let i = 0; i < n; i++)
      if (isAbove(i) || within(i, root)) drawBox(g, i);
    if (chosen >= 0 && (isAbove(chosen) || within(chosen, root))) {
      const [x, w] = boxOf(chosen);
      g.strokeStyle = colours.text;
      g.lineWidth = 2;
      g.strokeRect(x + 1, depth[chosen] * ROW + 1, Math.max(w - 3, 2), ROW - 3);
    }
  }
  function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  function choose(i) {
    chosen = i;
    says.textContent = i < 0 ? "" : describe(i).join(" \u00b7 ");
    const y = i < 0 ? 0 : depth[i] * ROW;
    if (y < box.scrollTop || y + ROW > box.scrollTop + box.clientHeight) box.scrollTop = y - box.clientHeight / 2;
    redraw();
  }
  // What runs in a box: names in it and below; of a kernel also what launched it.
  const known = new Set(data.name.slice(1));
  function namesIn(i) {
    const names = new Set(below[i].length ? [] : [data.name[data.parent[i]]]);
    for (let k = i; k < n; k++)
      if (within(k, i)) names.add(data.name[k]);
    return names;
  }
  function open(i) {
    root = i;
    choose(i);
    if (window.filterTables && document.getElementById("tables")) window.filterTables(i ? namesIn(i) : null, known, data.name[i]);
  }
  function hit(event) {
    const r = canvas.getBoundingClientRect(), x = event.clientX - r.left, d = Math.floor((event.clientY - r.top) / ROW);
    for (let i = 0; i < n; i++) {
      if (depth[i] !== d || !(isAbove(i) || within(i, root))) continue;
      const [at, w] = boxOf(i);
      if (x >= at && x < at + w) return i;
    }
    return -1;
  }
  function sibling(direction) {
    const all = chosen > 0 ? below[data.parent[chosen]] : [0], i = all[all.indexOf(chosen) + direction];
    if (i !== undefined) choose(i);
  }
  find.addEventListener("input", () => {
    words = find.value.trim().toLowerCase();
    found = new Set();
    let sum = 0, end = 0;
    for (let i = 1; words && i < n; i++)
      if (data.name[i].toLowerCase().includes(words)) {
        found.add(i);
        if (left[i] >= end - 1e-6) { // not inside of one that was counted
          sum += data.total[i];
          end = left[i] + data.total[i];
        }
      }
    hits.textContent = words ? found.size + " boxes, " + (100 * sum / data.total[0]).toPrecision(3) + " % of device time" : "";
    redraw();
  });
  whole.addEventListener("click", () => open(0));
  box.addEventListener("click", (event) => { const i = hit(event); if (i >= 0) open(i); });
  box.addEventListener("mousemove", (event) => {
    const i = hit(event);
    tip.hidden = i < 0;
    if (i < 0) return;
    tip.textContent = describe(i).join("\n");
    window.placeTip(tip, event);
  });
  box.addEventListener("mouseleave", () => { tip.hidden = true; });
  box.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => sibling(-1), ArrowRight: () => sibling(1), ArrowUp: () => choose(chosen > 0 ? data.parent[chosen] : 0),
      ArrowDown: () => chosen < 0 ? choose(root) : below[chosen].length && choose(below[chosen][0]),
      Enter: () => chosen >= 0 && open(chosen), Home: () => open(0), Escape: () => open(0),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });

  // What a finding is about is looked for by its text.
  for (const line of document.querySelectorAll("[data-row]")) {
    const text = line.dataset.row.toLowerCase();
    if (!data.name.some((name) => name.toLowerCase().includes(text))) continue;
    const b = make("button", { type: "button", className: "find", textContent: "show in the flame view", title: "Find in the flame view" });
    b.addEventListener("click", () => {
      open(0);
      find.value = text;
      find.dispatchEvent(new Event("input"));
      document.getElementById("flame").scrollIntoView({ block: "nearest" });
    });
    line.querySelector(".finders").append(b);
  }

  const paths = document.querySelector("#flame .strips");
  paths.open = false;
  const refresh = () => { readColours(); draw(); };
  document.documentElement.classList.add("js");
  refresh();
  new ResizeObserver(() => { if (box.clientWidth !== width) redraw(); }).observe(box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
  addEventListener("beforeprint", () => { paths.open = true; });
  addEventListener("afterprint", () => { paths.open = false; });
  paper.addEventListener("change", () => { paths.open = paper.matches; });
})();
