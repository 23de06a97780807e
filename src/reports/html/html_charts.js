// Draws the charts of the report with Chart.js from the JSON block `data` (made by html_charts.c). Colors come from
// the style, so that light, dark and paper need no second drawing code.
"use strict";
(function () {
  const charts = JSON.parse(document.getElementById("data").textContent);
  const drawn = [];
  const paper = matchMedia("print");
  let style;

  const NARROW = 18, SMALL = 14; // characters of a label where there is little room
  const PAPER = 480; // pixels of half a page

  const color = (name) => style.getPropertyValue("--" + name).trim();
  const series = (i) => {
    const list = color("series").split(/\s+/);
    return list[i % list.length];
  };

  // Time in which nothing happens, and what is left over, stay in the background.
  const known = Object.assign({}, ...charts.map((c) => c.paint));
  const own = (name) => known[name] ? color(known[name]) : /micro.?idle/i.test(name) ? color("chart-micro")
    : /\bidle|idle\b|_idle|^\(the rest\)$|^others?$|^\d+ others$/i.test(name) ? color("chart-total") : null;
  // A paler shade of a color, for the n-th of those that have it.
  function shade(c, n) {
    const rgb = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
    const paper = rgb(color("chart-edge").replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3")), part = 0.6 ** n;
    return "#" + rgb(c).map((v, i) => Math.round(v * part + paper[i] * (1 - part)).toString(16).padStart(2, "0")).join("");
  }
  // Of the names of one chart: those of one family (norm forward, backward) have shades of its color; those without a
  // color of their own take the next one that no other has. One alone is neither a part of the time nor a family.
  function paints(names) {
    const colors = names.map(own), taken = new Set(colors.concat(["f1", "f5", "f11"].map(color))); // those of parts of the time mean them everywhere
    const list = color("series").split(/\s+/);
    const free = list.filter((c) => !taken.has(c)), rest = free.length ? free : list;
    let next = 0;
    if (names.length === 1 && !colors[0])
      return [color("chart-one")];
    return colors.map((c, i) => {
      const before = colors.slice(0, i).filter((other) => other === c).length;
      return !c ? rest[next++ % rest.length] : c === color("chart-total") ? c : before ? shade(c, before) : c;
    });
  }

  // Three digits or so; thousands separated.
  function format(v) {
    const size = Math.abs(v);
    if (size !== 0 && (size >= 1e9 || size < 1e-3))
      return v.toExponential(2);
    return v.toLocaleString("en-US", { maximumFractionDigits: size >= 100 ? 0 : size >= 10 ? 1 : 3 });
  }
  const unitOf = (chart) => (chart.unit && chart.unit !== "%" ? " " : "") + (chart.unit || "");
  const withUnit = (chart, v) => format(v / chart.divide) + unitOf(chart);
  function shorten(text, most) {
    const head = Math.ceil(most * 0.6), tail = Math.max(Math.floor(most - 1 - head), 1);
    const short = text.slice(0, head) + "\u2026" + text.slice(-tail);
    return text.length <= most || short.length >= text.length ? text : short;
  }
  const sum = (values) => values.reduce((a, v) => a + (v || 0), 0);

  function axis(title, more) {
    return Object.assign({
      title: { display: !!title, text: title, color: color("chart-text") },
      ticks: { color: color("chart-text") },
      grid: { color: color("chart-grid"), borderColor: color("chart-grid") },
    }, more);
  }
  function valueAxis(chart, more) {
    const a = axis(chart.y, more);
    a.ticks = { color: color("chart-text"), includeBounds: false, callback: (v, i, ticks) => tick(v / chart.divide, (ticks[1] || ticks[0]).value / chart.divide - ticks[0].value / chart.divide) };
    return a;
  }
  // A place of an axis, with the digits that tell it from the next one.
  function tick(v, step) {
    const digits = Math.ceil(-Math.log10(Math.abs(step)) - 1e-9);
    if (!isFinite(digits) || digits < 1 || digits > 6 || Math.abs(v) >= 1e9)
      return format(v);
    return v.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }
  // Labels of at most so many characters. Where that makes two the same, what all begin and end with goes first, then
  // they become longer.
  function distinct(labels, most) {
    const alike = (list) => new Set(list).size < new Set(labels).size;
    let list = labels.map((text) => shorten(text, most));
    if (!alike(list))
      return list;
    let head = 0, tail = 0;
    const least = Math.min(...labels.map((text) => text.length));
    while (head < least && labels.every((text) => text[head] === labels[0][head])) head++;
    while (tail < least - head && labels.every((text) => text[text.length - 1 - tail] === labels[0][labels[0].length - 1 - tail])) tail++;
    head = head > 4 ? head : 0; // a short beginning costs no room
    tail = tail > 4 ? tail : 0;
    const rest = labels.map((text) => (head ? "\u2026" : "") + text.slice(head, text.length - tail) + (tail ? "\u2026" : ""));
    for (let room = most; room < 6 * most; room += most / 2) {
      list = rest.map((text) => shorten(text, room));
      if (!alike(list))
        break;
    }
    return list;
  }
  // On a narrow screen what follows the last comma stands in a line of its own, so that it is not cut.
  function lines(text, most) {
    const at = text.lastIndexOf(", ");
    if (at >= 0)
      return [shorten(text.slice(0, at), most), shorten(text.slice(at + 2), most)];
    const end = text.length <= most ? 0 : text.slice(0, most).search(/[_\/ .-][^_\/ .-]*$/) + 1; // after the last word that fits
    return end > 1 ? [text.slice(0, end), shorten(text.slice(end), most)] : shorten(text, most);
  }
  function labelsOf(chart, most) {
    const two = chart.labels.map((text) => lines(text, most));
    const apart = new Set(two.map(String)).size === new Set(chart.labels).size;
    const high = most <= NARROW || (chart.kind === "stacked bars" && chart.labels.some((text) => text.length > most)); // room for two lines
    return high && apart ? two : distinct(chart.labels, most);
  }
  function labelAxis(chart, most, more) {
    const a = axis(chart.x, more), labels = labelsOf(chart, most);
    a.ticks = { color: color("chart-text"), autoSkip: true, maxRotation: 60, callback: (v) => labels[v] };
    a.grid = { display: false, borderColor: color("chart-grid") };
    return a;
  }
  function options(chart, scales, more) {
    return Object.assign({
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      scales,
      plugins: {
        legend: { display: chart.series.length > 1, position: "bottom", labels: { color: color("chart-text"), boxWidth: 12 } },
        tooltip: {
          callbacks: {
            title: (items) => items.length ? chart.labels[items[0].dataIndex] : "",
            label: (item) => item.dataset.label + ": " + withUnit(chart, item.raw),
          },
        },
      },
    }, more);
  }
  // Lines and points look in the legend as in the chart: the library draws a dashed line solid, and a dot as wide as a line.
  function sample(item, form, dataset) {
    if (form !== "dot" && !(form === "line" && dataset.borderDash && dataset.borderDash.length))
      return form || item.pointStyle;
    const c = document.createElement("canvas"), pen = c.getContext("2d");
    [c.width, c.height] = form === "dot" ? [12, 12] : [22, 4];
    pen.fillStyle = item.fillStyle;
    pen.strokeStyle = item.strokeStyle;
    pen.lineWidth = 2;
    pen.setLineDash(form === "line" ? [5, 3.5] : []);
    pen.beginPath();
    if (form === "dot") {
      pen.arc(6, 6, 5, 0, 2 * Math.PI);
      pen.fill();
    } else {
      pen.moveTo(0, 2);
      pen.lineTo(22, 2);
    }
    pen.stroke();
    return c;
  }
  function drawLegend(o, style) {
    Object.assign(o.plugins.legend.labels, {
      usePointStyle: true,
      pointStyleWidth: 22,
      generateLabels: (c) => Chart.defaults.plugins.legend.labels.generateLabels(c)
        .map((item) => Object.assign(item, { pointStyle: sample(item, style[item.text], c.data.datasets[item.datasetIndex]) })),
    });
  }
  function plain(chart) {
    const colors = paints(chart.series.map((s) => s.name));
    return chart.series.map((s, i) => ({
      label: s.name, data: s.values, backgroundColor: colors[i], borderColor: colors[i], maxBarThickness: 46,
    }));
  }

  const kinds = {
    bars(chart, width) {
      const most = chart.end ? SMALL : width < 480 ? NARROW : 34;
      const o = options(chart, { x: valueAxis(chart, { beginAtZero: true }), y: labelAxis(chart, most) }, { indexAxis: "y" });
      if (chart.end)
        o.scales.x.suggestedMax = chart.end; // the same ticks in all
      if (chart.end || width < 480)
        o.scales.x.ticks.maxTicksLimit = 4;
      o.scales.y.title.display = !!chart.x && chart.labels.every((text) => /^\d+$/.test(text)); // a bare number says not what it is
      o.scales.y.ticks.autoSkip = false;
      return { type: "bar", data: { labels: chart.labels, datasets: plain(chart) }, options: o };
    },
    columns(chart) {
      const datasets = plain(chart).map((d) => Object.assign(d, { barPercentage: 1, categoryPercentage: 0.94, maxBarThickness: 200 }));
      const o = options(chart, { x: labelAxis(chart, 18), y: valueAxis(chart, { beginAtZero: true }) });
      return { type: "bar", data: { labels: chart.labels, datasets }, options: o };
    },
    "stacked bars"(chart, width) {
      const c = kinds.bars(chart, width);
      c.options.scales.x.stacked = c.options.scales.y.stacked = true;
      const total = chart.labels.map((_, i) => sum(chart.series.map((s) => s.values[i])));
      if (chart.series.every((s) => s.values.every((v) => v === null || v >= 0)) && chart.labels.length === 1)
        c.options.scales.x.max = total[0];
      if (chart.unit === "%" && total.every((v) => v < 100.5)) // parts of a whole
        c.options.scales.x.max = 100;
      c.options.plugins.tooltip.callbacks.label = (item) => item.dataset.label + ": " + withUnit(chart, item.raw) +
        (total[item.dataIndex] > 0 ? " (" + (100 * item.raw / total[item.dataIndex]).toFixed(1) + " %)" : "");
      return c;
    },
    "stacked columns"(chart) {
      const c = kinds.columns(chart);
      c.options.scales.x.stacked = c.options.scales.y.stacked = true;
      if (chart.labels.length < 30)
        c.data.datasets.forEach((d) => Object.assign(d, { categoryPercentage: 0.7, maxBarThickness: 90 }));
      return c;
    },
    pie(chart) {
      const values = chart.series[0].values, total = sum(values);
      const share = (i) => (100 * values[i] / total).toFixed(1) + "%", colors = paints(chart.labels);
      const o = options(chart, undefined, { cutout: "55%" });
      o.plugins.legend = {
        position: "right",
        labels: {
          color: color("chart-text"), boxWidth: 12,
          generateLabels: (c) => chart.labels.map((text, i) => ({
            text: share(i) + "  " + shorten(text, 30), fillStyle: colors[i], strokeStyle: colors[i], lineWidth: 0,
            fontColor: color("chart-text"), index: i, hidden: !c.getDataVisibility(i),
          })),
        },
      };
      o.plugins.tooltip.callbacks.label = (item) => withUnit(chart, item.raw) + " (" + share(item.dataIndex) + ")";
      const datasets = [{ label: chart.series[0].name, data: values, backgroundColor: colors, borderColor: color("chart-edge") }];
      return { type: "doughnut", data: { labels: chart.labels, datasets }, options: o };
    },
    line(chart) {
      const datasets = plain(chart).map((d) => Object.assign(d, { borderWidth: 2, pointRadius: chart.labels.length > 60 ? 0 : 3, spanGaps: false }));
      return { type: "line", data: { labels: chart.labels, datasets }, options: options(chart, { x: labelAxis(chart, 18), y: valueAxis(chart) }) };
    },
    trend(chart) {
      const [value, median, low, high] = chart.series;
      const many = chart.labels.length > 60;
      const none = { pointRadius: 0, pointHitRadius: 0, borderWidth: 0 };
      const datasets = [{
        label: value.name, data: value.values, borderColor: series(0), backgroundColor: series(0), borderWidth: 2,
        pointRadius: many ? 1 : 3, order: 1,
      }];
      if (median)
        datasets.push({ label: median.name, data: median.values, borderColor: color("chart-total"), backgroundColor: color("chart-total"), borderDash: [6, 4], borderWidth: 1.5, pointRadius: 0, order: 2 });
      if (low && high) {
        datasets.push(Object.assign({ label: high.name, data: high.values, backgroundColor: color("chart-band"), order: 3 }, none));
        datasets.push(Object.assign({ label: "expected range", data: low.values, fill: "-1", backgroundColor: color("chart-band"), order: 3 }, none));
      }
      // Each mark has its own shape, and colors only for worse and better.
      const has = (word) => (i) => word.test(chart.marked[i]), failed = has(/fail|warn|unstable/);
      const marks = (label, is, pointStyle, paint, more) => {
        if (chart.marked.some((text, i) => is(i)))
          datasets.push(Object.assign({
            label, data: value.values.map((v, i) => is(i) ? v : null), showLine: false,
            pointStyle, pointRadius: 8, borderColor: color(paint), backgroundColor: color(paint), order: 0,
          }, more));
      };
      marks("regression: failed or warned", failed, "triangle", "chart-mark");
      marks("outlier: one run off", has(/outlier/), "rectRot", "chart-total");
      marks("step: the level changed", has(/step/), "rect", "chart-total");
      marks("drift begins", has(/drift/), "star", "chart-total", { borderWidth: 2 });
      marks("outside the range, passed", has(/outside/), "crossRot", "chart-total", { borderWidth: 2 });
      marks("recovery: back at the level", (i) => i > 0 && failed(i - 1) && chart.marked[i] === "", "triangle", "f6", { pointRotation: 180 });
      const o = options(chart, { x: labelAxis(chart, 18), y: valueAxis(chart) }, { interaction: { mode: "index", intersect: false } });
      // The number of a run, below it its day; as many as stand next to each other.
      o.scales.x.ticks.maxRotation = 0;
      o.scales.x.ticks.callback = (v) => chart.labels[v].split(" ");
      const style = { [value.name]: "line", "expected range": "rect" };
      if (median)
        style[median.name] = "line";
      drawLegend(o, style);
      o.plugins.legend.labels.filter = (item) => item.text !== (high && high.name);
      o.plugins.tooltip.filter = (item) => item.datasetIndex < 2;
      o.plugins.tooltip.callbacks.afterTitle = (items) => items.length ? chart.marked[items[0].dataIndex] : "";
      return { type: "line", data: { labels: chart.labels, datasets }, options: o };
    },
    // Totals stand on the ground; a change hangs between the level before it and the level after it.
    waterfall(chart, width) {
      const values = chart.series[0].values, bars = [];
      let level = 0;
      values.forEach((v, i) => {
        const from = chart.totals[i] ? 0 : level;
        level = from + (v || 0);
        bars.push([from, level]);
      });
      const group = (label, paint, wanted) => ({
        label, backgroundColor: paint, grouped: false, maxBarThickness: 60, barPercentage: 0.9, categoryPercentage: 0.9,
        data: bars.map((b, i) => wanted(i) ? b : null),
      });
      const datasets = [
        group("level", color("chart-total"), (i) => chart.totals[i]),
        group("increase", color("chart-up"), (i) => !chart.totals[i] && values[i] > 0),
        group("decrease", color("chart-down"), (i) => !chart.totals[i] && values[i] <= 0),
      ];
      const room = Math.floor((width - 60) / (7.5 * chart.labels.length)) - 1; // characters below each bar
      const most = Math.min(room, NARROW);
      const flat = room > 8 && labelsOf(chart, most).flat().every((line) => line.length <= most); // labels are level, in two lines
      const o = options(chart, { x: labelAxis(chart, flat ? most : 22), y: valueAxis(chart) });
      if (flat)
        Object.assign(o.scales.x.ticks, { maxRotation: 0, autoSkip: false });
      const ends = bars.flat(), low = Math.min(...ends.filter((_, k) => k % 2 || !chart.totals[k >> 1])), high = Math.max(...ends);
      const changes = high - low;
      // Small changes of a large level would not be seen: the axis then begins below the lowest level, and a level is a
      // line, as the length of its bar would mean nothing.
      if (low > 0 && changes < high / 10) {
        const step = Math.pow(10, Math.floor(Math.log10(changes / 2))); // a round number, as the other marks
        o.scales.y.min = Math.floor((low - changes / 2) / step) * step;
        o.scales.y.title.text = (chart.y + ", not from 0").trim();
        o.scales.y.title.display = true;
        datasets[0].data = bars.map((b, i) => chart.totals[i] ? [b[1] - (high - o.scales.y.min) / 80, b[1]] : null);
      }
      o.plugins.legend.display = true;
      o.plugins.tooltip.callbacks.label = (item) => {
        const i = item.dataIndex;
        return chart.totals[i] ? withUnit(chart, values[i])
          : (values[i] > 0 ? "+" : "") + withUnit(chart, values[i]) + ", then " + withUnit(chart, bars[i][1]);
      };
      return { type: "bar", data: { labels: chart.labels, datasets }, options: o };
    },
    scatter(chart) {
      const most = chart.sizes ? Math.max(...chart.sizes.filter((v) => v !== null), 0) : 0;
      const radius = (i) => most > 0 ? 3 + 15 * Math.sqrt((chart.sizes[i] || 0) / most) : 4;
      const points = (s) => s.values.map((y, i) => ({ x: chart.xs[i], y, i })).filter((p) => p.x > 0 && p.y > 0);
      const datasets = chart.series.map((s, k) => {
        const data = points(s);
        if (k === 0)
          return { label: s.name, data, backgroundColor: series(0) + "99", borderColor: series(0), clip: false, pointRadius: data.map((p) => radius(p.i)), pointHoverRadius: data.map((p) => radius(p.i) + 1) };
        data.sort((a, b) => a.x - b.x);
        const roof = color(["chart-text", "chart-total", "chart-one", "chart-two"][(k - 1) % 4]); // no family's
        return { label: s.name, data, type: "line", borderColor: roof, backgroundColor: roof, borderWidth: 2, borderDash: k > 1 ? [3 + 3 * k, 4] : [], pointRadius: 0, pointHitRadius: 4 };
      });
      const log = (title) => axis(title, { type: "logarithmic", ticks: {
        color: color("chart-text"),
        callback: (v) => /^[125]/.test(v.toExponential()) ? format(v) : "",
      } });
      const o = options(chart, { x: log(chart.x), y: log(chart.y) });
      if (datasets.length > 1 && datasets[0].data.length)
        Object.assign(o.scales.x, rangeOf(datasets));
      drawLegend(o, Object.fromEntries(chart.series.map((s, k) => [s.name, k ? "line" : "dot"])));
      o.scales.x.ticks.maxRotation = 0;
      o.plugins.tooltip.callbacks.title = (items) => items.map((item) => chart.labels[item.raw.i]).filter((t, i, all) => t && all.indexOf(t) === i);
      o.plugins.tooltip.callbacks.label = (item) => {
        const lines = [item.dataset.label + ": " + format(item.raw.y) + unitOf(chart) + " at " + format(item.raw.x)];
        if (item.datasetIndex === 0 && chart.sizes && chart.sizes[item.raw.i] !== null)
          lines.push(chart.size + ": " + format(chart.sizes[item.raw.i] / chart.sizeDivide));
        if (item.datasetIndex === 0 && chart.counts[item.raw.i] > 1)
          lines.push("and " + (chart.counts[item.raw.i] - 1) + " more here");
        return lines;
      };
      return { type: "scatter", data: { datasets }, options: o };
    },
  };

  // Roofs go on for ever: the axis shows the points and where the roofs bend.
  function rangeOf(datasets) {
    const xs = datasets[0].data.map((p) => p.x);
    for (const roof of datasets.slice(1)) {
      const top = Math.max(...roof.data.map((p) => p.y)), bend = roof.data.find((p) => p.y >= top);
      if (bend)
        xs.push(bend.x);
    }
    return { min: 10 ** Math.floor(Math.log10(Math.min(...xs)) - 0.2), max: 10 ** Math.ceil(Math.log10(Math.max(...xs)) + 0.2) };
  }

  // Bars with a name each need their height, on paper too; other charts are lower there.
  function heightOf(chart, width, most) {
    if (chart.end)
      return 60 + 30 * chart.labels.length;
    if (chart.kind === "bars")
      return Math.max(320 * most, 70 + 24 * chart.labels.length * Math.min(chart.series.length, 3));
    if (chart.kind === "stacked bars") { // the legend breaks where the page is narrow
      const legend = sum(chart.series.map((s) => 30 + 6.5 * s.name.length));
      return 120 + 34 * chart.labels.length + 20 * Math.ceil(legend / Math.max(200, width - 60));
    }
    return most * (["scatter", "trend", "waterfall", "stacked columns"].includes(chart.kind) ? 400 : 320);
  }

  // A tooltip is drawn on the canvas, which cuts what is wider: lines are broken at blanks, else anywhere.
  function fold(text, most) {
    if (Array.isArray(text))
      return text.flatMap((t) => fold(t, most));
    const out = [];
    for (let rest = String(text === undefined ? "" : text); rest; ) {
      const blank = rest.lastIndexOf(" ", most), end = rest.length <= most ? rest.length : blank > most / 3 ? blank : most;
      out.push(rest.slice(0, end));
      rest = rest.slice(end).trimStart();
    }
    return out;
  }
  function foldTips(config, width) {
    const say = config.options.plugins.tooltip.callbacks, most = Math.max(14, Math.floor((width - 64) / 8.2));
    for (const name of ["title", "afterTitle", "label"]) {
      const text = say[name];
      if (text)
        say[name] = (of) => fold(text(of), most);
    }
    return config;
  }

  function draw() {
    style = getComputedStyle(document.documentElement);
    while (drawn.length)
      drawn.pop().destroy();
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    for (const canvas of document.querySelectorAll("canvas[data-chart]")) {
      const chart = charts[Number(canvas.dataset.chart)];
      // Both heights are in the style: pages are counted before the script hears of the paper.
      canvas.parentNode.style.setProperty("--height", heightOf(chart, canvas.parentNode.clientWidth, 1) + "px");
      canvas.parentNode.style.setProperty("--paper", heightOf(chart, PAPER, 0.65) + "px");
      const width = canvas.parentNode.clientWidth;
      drawn.push(new Chart(canvas, foldTips(kinds[chart.kind](chart, width), width)));
    }
  }

  document.documentElement.classList.add("js");
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  // Paper is light whatever the screen is, and has another width.
  addEventListener("beforeprint", draw);
  addEventListener("afterprint", draw);
  paper.addEventListener("change", draw);
})();
