// The time line: lanes with marks at the level of detail that fits what is seen. By mouse: drag, double click, wheel
// with Ctrl; by keyboard: the keys that the help names; by touch: the buttons. Without this script there are the strips.
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("timeline-data").textContent);
  const host = document.getElementById("track"), paper = matchMedia("print");
  const HEIGHT = { steps: 20, idle: 14, stream: 22 }, GAP = 3, AXIS = 24, LEAST = 20;

  function make(tag, props, ...children) {
    const e = Object.assign(document.createElement(tag), props);
    e.append(...children);
    return e;
  }

  // Starts are after that of the run, the axis counts from where the tables do: `begin` before it.
  // Data as arrays of numbers; `longest` bounds how far before a place a mark over it can begin.
  let steps = null; // of the lanes that follow: those of a rank begin with its steps
  for (const lane of data.lanes) {
    if (lane.kind === "steps") steps = lane;
    else lane.steps = steps;
    for (const level of lane.levels) {
      const n = level.s.length, start = new Float64Array(n);
      let at = 0, longest = 0;
      for (let i = 0; i < n; i++) {
        start[i] = at += level.s[i];
        longest = Math.max(longest, level.d[i]);
      }
      level.s = start;
      level.longest = longest;
    }
  }

  // ---- what is seen ----
  const view = { a: 0, b: data.span };
  let width = 0, gutter = 0, chosen = null, about = null, colours = {}, tops = [], total = 0, waiting = false;

  // The steps, which the verdict is about, where they are a part of the run: shown first.
  const scope = (() => {
    const level = (data.lanes.find((lane) => lane.kind === "steps") || { levels: [] }).levels[0];
    if (!level || !level.s.length) return null;
    const a = level.s[0], b = Math.max(...Array.from(level.s, (s, i) => s + level.d[i]));
    const room = (b - a) / 50;
    return b - a < data.span * 0.9 ? { a: Math.max(0, a - room), b: Math.min(data.span, b + room) } : null;
  })();
  if (scope) Object.assign(view, scope);

  const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
  function time(ns, digits = 4) {
    if (ns === 0) return "0";
    const unit = UNITS.find((u) => Math.abs(ns) >= u[0]) || UNITS[3];
    return Number((ns / unit[0]).toPrecision(digits)) + "\u00a0" + unit[1];
  }

  function levelOf(lane) {
    const wanted = (view.b - view.a) / Math.max(1, width - gutter);
    const fit = lane.levels.filter((l) => l.from <= Math.max(0, view.a) && l.to >= Math.min(data.span, view.b))
      .sort((x, y) => y.r - x.r);
    return fit.find((l) => l.r <= wanted) || fit[fit.length - 1];
  }

  function firstFrom(level, at) {
    let lo = 0, hi = level.s.length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (level.s[mid] < at) lo = mid + 1; else hi = mid;
    }
    return lo;
  }

  function markAt(lane, level, i) {
    const name = level.n[i], count = level.c ? level.c[i] : 1;
    return {
      lane, level, i, start: level.s[i], duration: level.d[i], count, busy: level.b ? level.b[i] : 100, name,
      family: level.f ? level.f[i] : name < 0 ? 0 : data.family[name],
    };
  }

  function isAbout(kind, name, family) {
    if (kind === "steps") return false;
    if (kind === "idle") return about.idle && (about.nameSet.size === 0 || about.nameSet.has(name));
    return !about.idle && (about.families.includes(family) || about.nameSet.has(name));
  }

  function describe(m) {
    const name = m.name < 0 ? "" : data.names[m.name], family = data.families[m.family];
    const lines = [];
    if (m.lane.kind === "steps") lines.push(m.count > 1 ? m.count + " steps" : name);
    else if (m.lane.kind === "idle") lines.push(m.count > 1 ? m.count + " gaps" : "idle", "until " + (name || "the next event"));
    else if (m.count > 1) lines.push(m.count + " events, mostly " + family, "longest: " + name);
    else lines.push(name || "(no name)", family);
    lines.push(time(m.duration) + " from " + time(data.begin + m.start, 7) + (m.count > 1 && m.lane.kind !== "steps" ? ", " + m.busy + " % of it busy" : ""));
    lines.push((100 * m.duration / data.span).toPrecision(3) + " % of the run; " + m.lane.label);
    const step = m.lane.steps && stepAt(m.lane.steps, m.start);
    if (step) lines.push("in " + step);
    return lines;
  }

  function stepAt(steps, at) {
    const level = steps.levels[steps.levels.length - 1], exact = steps.levels.find((l) => l.r === 0 && l.to >= data.span) || level;
    const i = firstFrom(exact, at + 1) - 1;
    return i >= 0 && at < exact.s[i] + exact.d[i] ? data.names[exact.n[i]] : "";
  }

  // ---- page ----
  const canvas = make("canvas");
  const tip = make("div", { className: "tip", hidden: true });
  const says = make("p", { className: "chosen" });
  says.setAttribute("aria-live", "polite");
  const where = make("span", { className: "where" });
  const box = make("div", { className: "lanes", tabIndex: 0 }, canvas, tip);
  box.setAttribute("role", "application");
  box.setAttribute("aria-label", "Time line of the run");
  box.setAttribute("aria-describedby", "timeline-text track-help");
  const button = (text, title, action) => {
    const b = make("button", { type: "button", textContent: text, title });
    b.setAttribute("aria-label", title);
    b.addEventListener("click", action);
    return b;
  };
  const clear = button("no highlight", "End the highlight (Escape)", () => highlight(null));
  const next = button("next highlighted", "Go to the next highlighted mark (n)", () => nextAbout());
  const bar = make("div", { className: "tools" },
    button("+", "Zoom in (+)", () => zoom(0.5)), button("\u2212", "Zoom out (-)", () => zoom(2)),
    button("\u2190", "Earlier (Shift and Left)", () => pan(-0.4)), button("\u2192", "Later (Shift and Right)", () => pan(0.4)),
    button("whole run", "The whole run (Home)", () => look(0, data.span)),
    ...(scope ? [button("steps", "The steps", () => look(scope.a, scope.b))] : []), next, clear, where);
  const words = make("p", {
    className: "note", id: "track-help",
    textContent: "Drag to move, double click or Ctrl and wheel to zoom, Shift and drag to zoom into a part. Keys: arrows go from mark to mark and " +
      "lane to lane, Shift and arrows move, + and - zoom, Enter shows a mark closely, Home the whole run, n the next highlighted, Escape ends the highlight.",
  });
  const help = make("details", { className: "help" }, make("summary", { textContent: "Mouse and keys" }), words);
  host.append(bar, box, says, help);

  function look(a, b) {
    const size = Math.min(Math.max(b - a, Math.min(LEAST, data.span)), data.span);
    const from = Math.min(Math.max(a + (b - a - size) / 2, 0), data.span - size);
    view.a = from;
    view.b = from + size;
    redraw();
  }
  function zoom(factor, at) {
    const sel = chosen && chosen.start + chosen.duration / 2;
    const centre = at !== undefined ? at : sel >= view.a && sel <= view.b ? sel : (view.a + view.b) / 2;
    look(centre - (centre - view.a) * factor, centre + (view.b - centre) * factor);
  }
  function pan(part) {
    const by = (view.b - view.a) * part, a = Math.min(Math.max(view.a + by, 0), data.span - (view.b - view.a));
    look(a, a + view.b - view.a);
  }

  // ---- drawing ----
  function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  function readColours() {
    const style = getComputedStyle(document.documentElement), get = (name) => style.getPropertyValue("--" + name).trim();
    colours = { text: get("text"), dim: get("dim"), grid: get("chart-grid"), gap: get("gap"), card: get("card"), focus: get("focus"),
      hot: get("chart-mark"), step: get("head"), family: data.families.map((_, f) => get("f" + f)) };
    colours.onFamily = colours.family.map((c) => {
      const [r, g, b] = [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16));
      return 0.3 * r + 0.59 * g + 0.11 * b > 140 ? "#101418" : "#fff";
    });
  }

  function layout() {
    gutter = box.clientWidth < 560 ? 92 : 170;
    tops = [];
    let y = AXIS;
    for (const lane of data.lanes) {
      y += lane.kind === "idle" ? 2 * GAP : lane.kind === "steps" && y > AXIS ? 5 * GAP : 0;
      tops.push(y);
      y += HEIGHT[lane.kind] + GAP;
    }
    total = y + GAP;
  }

  const xOf = (t) => gutter + (t - view.a) / (view.b - view.a) * (width - gutter);
  const timeAt = (x) => view.a + (x - gutter) / (width - gutter) * (view.b - view.a);

  function cut(g, text, room) {
    if (g.measureText(text).width <= room) return text;
    let n = Math.floor(text.length * room / g.measureText(text).width);
    while (n > 1 && g.measureText(text.slice(0, n) + "\u2026").width > room) n--;
    return n > 1 ? text.slice(0, n) + "\u2026" : "";
  }

  function axis(g) {
    const raw = (view.b - view.a) / Math.max(2, (width - gutter) / 110), power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw);
    const unit = UNITS.find((u) => data.begin + view.b >= u[0]) || UNITS[3];
    const digits = Math.max(0, Math.ceil(-Math.log10(step / unit[0]) - 1e-9));
    g.textAlign = "center";
    for (let t = Math.ceil((data.begin + view.a) / step) * step; t <= data.begin + view.b; t += step) {
      const x = Math.round(xOf(t - data.begin)) + 0.5;
      g.strokeStyle = colours.grid;
      g.beginPath();
      g.moveTo(x, AXIS - 6);
      g.lineTo(x, total);
      g.stroke();
      const text = (t / unit[0]).toFixed(digits) + " " + unit[1];
      const half = g.measureText(text).width / 2;
      g.fillStyle = colours.dim;
      if (x - half > gutter - 4 && x + half < width)
        g.fillText(text, x, 8);
    }
    // which part of the run is seen
    if (view.b - view.a < data.span * 0.999) {
      const w = width - gutter;
      g.fillStyle = colours.grid;
      g.fillRect(gutter, AXIS - 5, w, 3);
      g.fillStyle = colours.focus;
      g.fillRect(gutter + view.a / data.span * w, AXIS - 5, Math.max(3, (view.b - view.a) / data.span * w), 3);
    }
    g.textAlign = "left";
  }

  function drawMark(g, m, y, h, next) {
    const x = xOf(m.start), from = Math.max(x, gutter), to = Math.min(Math.max(xOf(m.start + m.duration), x + 1), width);
    const w = to - from, kind = m.lane.kind, lit = about && isAbout(kind, m.name, m.family);
    if (w <= 0) return;
    g.globalAlpha = (kind === "steps" ? 1 : m.count > 1 ? 0.3 + 0.7 * m.busy / 100 : 1) * (about && !lit && kind !== "steps" ? 0.16 : 1);
    g.fillStyle = kind === "steps" ? colours.step : kind === "idle" ? (lit ? colours.hot : colours.gap) : colours.family[m.family];
    g.fillRect(from, y, w, h);
    g.globalAlpha = 1;
    if (kind === "steps" && w > 3) {
      g.strokeStyle = colours.dim;
      g.strokeRect(from + 0.5, y + 0.5, w - 1, h - 1);
    } else if (kind === "stream" && m.count === 1 && w > 6 && !about) {
      g.fillStyle = colours.card; // an edge, so that neighbors of a family can be told apart
      g.fillRect(to - 0.7, y, 0.7, h);
    }
    const room = Math.min(w, next - from); // the next mark may begin before this one ends
    if (room > 34 && m.name >= 0 && (m.count === 1 || kind === "steps") && !(about && !lit && kind !== "steps")) {
      g.fillStyle = kind === "steps" ? colours.text : kind === "idle" ? (lit ? "#fff" : colours.text) : colours.onFamily[m.family];
      g.fillText(cut(g, kind === "idle" ? "idle " + time(m.duration, 3) : data.names[m.name], room - 8), from + 4, y + h / 2 + 0.5);
    }
  }

  function draw() {
    width = box.clientWidth;
    layout();
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(total * ratio);
    canvas.style.width = width + "px";
    canvas.style.height = total + "px";
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    g.font = "12px " + getComputedStyle(document.body).fontFamily;
    g.textBaseline = "middle";
    g.clearRect(0, 0, width, total);
    axis(g);
    data.lanes.forEach((lane, k) => {
      const y = tops[k], h = HEIGHT[lane.kind], level = levelOf(lane);
      g.fillStyle = chosen && chosen.lane === lane ? colours.text : colours.dim;
      g.fillText(cut(g, gutter < 120 ? lane.label.replace(/device /, "d").replace(/stream /, "s").replace(/,/, "") : lane.label, gutter - 8), 2, y + h / 2);
      for (let i = level ? firstFrom(level, view.a - level.longest) : 0; level && i < level.s.length && level.s[i] <= view.b; i++)
        if (level.s[i] + level.d[i] >= view.a)
          drawMark(g, markAt(lane, level, i), y, h, i + 1 < level.s.length ? xOf(level.s[i + 1]) : Infinity);
    });
    if (chosen) {
      const k = data.lanes.indexOf(chosen.lane), x = xOf(chosen.start), to = xOf(chosen.start + chosen.duration);
      if (to >= gutter && x <= width) {
        g.strokeStyle = colours.text;
        g.lineWidth = 2;
        g.strokeRect(Math.max(x, gutter) - 1, tops[k] - 1, Math.max(3, Math.min(to, width) - Math.max(x, gutter)) + 2, HEIGHT[chosen.lane.kind] + 2);
      }
    }
    where.textContent = time(data.begin + view.a, 6) + " to " + time(data.begin + view.b, 6) + (view.b - view.a < data.span ? " (" + time(view.b - view.a) + ")" : "");
    next.hidden = clear.hidden = !about;
  }

  // ---- choosing ----
  function choose(m) {
    chosen = m;
    says.textContent = m ? describe(m).join(" \u00b7 ") : "";
    redraw();
  }
  function show(m) {
    const size = view.b - view.a;
    if (m.start < view.a || m.start + Math.min(m.duration, size) > view.b) {
      const a = m.start + m.duration / 2 - size / 2;
      look(a, a + size);
    }
    const y = tops[data.lanes.indexOf(m.lane)];
    if (y < box.scrollTop + AXIS || y + 30 > box.scrollTop + box.clientHeight)
      box.scrollTop = y - box.clientHeight / 2;
    choose(m);
  }
  function hit(x, y) {
    const k = tops.findLastIndex((top) => y >= top - 1);
    const lane = data.lanes[k];
    if (!lane || x < gutter || y > tops[k] + HEIGHT[lane.kind] + 1) return null;
    const level = levelOf(lane), at = timeAt(x), slack = (view.b - view.a) / (width - gutter) * 2;
    let best = -1, distance = slack;
    for (let i = level ? firstFrom(level, at - level.longest - slack) : 0; level && i < level.s.length && level.s[i] <= at + slack; i++) {
      const d = Math.max(level.s[i] - at, at - level.s[i] - level.d[i], 0);
      if (d < distance || (d === distance && d === 0)) { best = i; distance = d; }
    }
    return best < 0 ? null : markAt(lane, level, best);
  }
  function stepMark(direction) {
    const lane = chosen ? chosen.lane : data.lanes.find((l) => l.kind === "stream") || data.lanes[0], level = levelOf(lane);
    if (!level || !level.s.length) return;
    let i = firstFrom(level, chosen ? chosen.start : view.a);
    if (chosen && direction > 0 && level.s[i] === chosen.start) i++;
    if (chosen && direction < 0) i--;
    if (i >= 0 && i < level.s.length) show(markAt(lane, level, i));
  }
  function stepLane(direction) {
    const at = chosen ? chosen.start : view.a;
    let k = chosen ? data.lanes.indexOf(chosen.lane) + direction : direction > 0 ? 0 : data.lanes.length - 1;
    for (; k >= 0 && k < data.lanes.length; k += direction) {
      const level = levelOf(data.lanes[k]);
      if (level && level.s.length)
        return show(markAt(data.lanes[k], level, Math.min(firstFrom(level, at), level.s.length - 1)));
    }
  }
  function nextAbout() {
    if (!about) return;
    const lanes = data.lanes.filter((l) => l.kind !== "steps"), from = chosen ? chosen.start : -1, k0 = chosen ? data.lanes.indexOf(chosen.lane) : -1;
    let best = null, first = null;
    for (const lane of lanes) {
      const level = levelOf(lane), k = data.lanes.indexOf(lane);
      for (let i = 0; level && i < level.s.length; i++) {
        const m = markAt(lane, level, i);
        if (!isAbout(lane.kind, m.name, m.family)) continue;
        if (!first || m.start < first.start) first = m;
        if ((m.start > from || (m.start === from && k > k0)) && (!best || m.start < best.start)) best = m;
      }
    }
    if (best || first) show(best || first);
  }

  // Highlights what is given (of `about` of the data), and goes to its longest mark.
  function highlight(what) {
    about = what && Object.assign({ nameSet: new Set(what.names) }, what);
    for (const e of document.querySelectorAll(".lit")) e.classList.remove("lit");
    for (const e of document.querySelectorAll("[aria-pressed]")) e.setAttribute("aria-pressed", "false");
    if (!about) {
      redraw();
      return;
    }
    look(0, data.span);
    let longest = null;
    for (const lane of data.lanes) {
      const level = levelOf(lane);
      for (let i = 0; level && i < level.s.length; i++) {
        const m = markAt(lane, level, i);
        if (lane.kind !== "steps" && isAbout(lane.kind, m.name, m.family) && (!longest || m.duration > longest.duration)) longest = m;
      }
    }
    if (longest) show(longest);
  }

  for (const line of document.querySelectorAll("[data-about]")) {
    const what = data.about[Number(line.dataset.about)];
    const b = button("show in the timeline", "Highlight in the timeline", () => {
      const on = b.getAttribute("aria-pressed") !== "true";
      highlight(on ? what : null);
      b.setAttribute("aria-pressed", String(on));
      line.classList.toggle("lit", on);
      if (on) document.getElementById("timeline").scrollIntoView({ block: "nearest" });
    });
    b.className = "find";
    b.setAttribute("aria-pressed", "false");
    line.querySelector(".finders").append(b);
  }
  for (const item of document.querySelectorAll(".legend [data-family]")) {
    const family = Number(item.dataset.family), b = make("button", { type: "button", title: "Highlight this family" });
    b.append(...item.childNodes);
    b.setAttribute("aria-pressed", "false");
    b.addEventListener("click", () => {
      const on = b.getAttribute("aria-pressed") !== "true";
      highlight(on ? { idle: false, families: [family], names: [] } : null);
      b.setAttribute("aria-pressed", String(on));
    });
    item.append(b);
  }

  // ---- mouse and keys ----
  let drag = null;
  const place = (event) => {
    const r = canvas.getBoundingClientRect();
    return [event.clientX - r.left, event.clientY - r.top];
  };
  box.addEventListener("pointerdown", (event) => {
    const [x, y] = place(event);
    if (event.button || x < gutter || event.pointerType === "touch") return;
    drag = { x, y, a: view.a, b: view.b, zoom: event.shiftKey, moved: false };
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (drag && (drag.moved || Math.abs(x - drag.x) > 4)) {
      drag.moved = true;
      tip.hidden = true;
      if (drag.zoom) return;
      const by = (drag.x - x) / (width - gutter) * (drag.b - drag.a), a = Math.min(Math.max(drag.a + by, 0), data.span - (drag.b - drag.a));
      look(a, a + drag.b - drag.a);
      return;
    }
    const m = hit(x, y);
    tip.hidden = !m;
    if (!m) return;
    tip.textContent = describe(m).join("\n");
    window.placeTip(tip, event);
  });
  box.addEventListener("pointerup", (event) => {
    const [x, y] = place(event);
    if (drag && drag.moved && drag.zoom) look(Math.min(timeAt(drag.x), timeAt(x)), Math.max(timeAt(drag.x), timeAt(x)));
    else if (!drag || !drag.moved) choose(hit(x, y));
    drag = null;
  });
  box.addEventListener("pointerleave", () => { tip.hidden = true; });
  box.addEventListener("dblclick", (event) => zoom(event.shiftKey ? 2 : 0.33, timeAt(place(event)[0])));
  box.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(place(event)[0]));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      pan(event.deltaX / (width - gutter));
    }
  }, { passive: false });
  box.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => event.shiftKey ? pan(-0.4) : stepMark(-1), ArrowRight: () => event.shiftKey ? pan(0.4) : stepMark(1),
      ArrowUp: () => stepLane(-1), ArrowDown: () => stepLane(1), "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
      Home: () => look(0, data.span), n: nextAbout, Escape: () => { highlight(null); choose(null); },
      Enter: () => chosen && look(chosen.start - chosen.duration, chosen.start + 2 * Math.max(chosen.duration, 1)),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });

  // ---- life ----
  const strips = document.querySelector("#timeline .strips");
  strips.open = false;
  const refresh = () => { readColours(); draw(); };
  document.documentElement.classList.add("js");
  refresh();
  new ResizeObserver(() => { if (box.clientWidth !== width) redraw(); }).observe(box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
  // On paper the strips take the place of the canvas.
  addEventListener("beforeprint", () => { strips.open = true; });
  addEventListener("afterprint", () => { strips.open = false; });
  paper.addEventListener("change", () => { strips.open = paper.matches; });
})();
