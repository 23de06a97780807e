#!/usr/bin/env python3
"""Opens HTML reports in headless Chromium, over the DevTools protocol, and checks what a reader meets: no error and no
request, charts drawn, sorting and filtering, reading without scripts, hostile names as text, colors, width, paper.
usage: html_check.py [--analyzer PROGRAM] [--samples PROGRAM] [--shots FOLDER] [FILE.html ...]
The last line is "N passed, N failed"; it is skipped with a message where there is no Chromium."""
import argparse, base64, json, os, pathlib, shutil, subprocess, sys, tempfile, time

LIMIT = 60  # seconds for one answer


class Browser:
    """Chromium with its protocol on two pipes: messages of JSON, ended by NUL."""

    def __init__(self, program, profile):
        to_r, to_w = os.pipe()
        from_r, from_w = os.pipe()

        def wire():  # the program reads 3 and writes 4
            a, b = os.dup(to_r), os.dup(from_w)
            os.dup2(a, 3)
            os.dup2(b, 4)

        flags = ["--headless", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", "--disable-extensions",
                 "--disable-background-networking", "--disable-dev-shm-usage", "--hide-scrollbars",
                 f"--user-data-dir={profile}"] + (["--no-sandbox"] if os.getuid() == 0 else [])
        self.log = open(os.path.join(profile, "log"), "wb")
        self.process = subprocess.Popen([program] + flags, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                        close_fds=False, preexec_fn=wire)
        os.close(to_r)
        os.close(from_w)
        self.out, self.into = os.fdopen(to_w, "wb", 0), from_r
        self.buffer, self.events, self.number, self.session = b"", [], 0, None

    def read(self):
        import select
        while b"\0" not in self.buffer:
            if not select.select([self.into], [], [], LIMIT)[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.into, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while True:
            for e in self.events:
                if e["method"] == method:
                    return e
            self.events.append(self.read())

    def page(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def open(self, path):
        self.events = []
        self.call("Page.navigate", url=path.as_uri())
        self.wait("Page.loadEventFired")

    def run(self, script):
        r = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(str(r["exceptionDetails"].get("exception", {}).get("description"))[:500])
        return r["result"].get("value")

    def media(self, **features):
        self.call("Emulation.setEmulatedMedia", media=features.pop("media", ""),
                  features=[{"name": k.replace("_", "-"), "value": v} for k, v in features.items()])

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
            self.process.wait(20)
        except (OSError, EOFError, TimeoutError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.log.close()


passed, failed = 0, 0


def check(name, what, good, detail=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {what} {str(detail)[:600]}".rstrip())


def complaints(b, url):
    """Errors on the console and requests other than the file itself."""
    errors, requests = [], []
    for e in b.events:
        p = e.get("params", {})
        if e["method"] == "Runtime.exceptionThrown":
            errors.append(p["exceptionDetails"].get("exception", {}).get("description", p["exceptionDetails"]["text"]))
        elif e["method"] == "Runtime.consoleAPICalled" and p["type"] in ("error", "assert", "warning"):
            errors.append(p["args"][0].get("value") if p["args"] else p["type"])
        elif e["method"] == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            errors.append(p["entry"]["text"])
        elif e["method"] == "Network.requestWillBeSent" and p["request"]["url"].split("#")[0] != url:
            requests.append(p["request"]["url"])
    return errors, requests


CANVASES = """Array.from(document.querySelectorAll('canvas[data-chart]'), (c) => {
  const data = c.width && c.height ? c.getContext('2d').getImageData(0, 0, c.width, c.height).data : [];
  const colors = new Set();
  let painted = 0;
  for (let i = 0; i < data.length; i += 4)
    if (data[i + 3]) { painted++; colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]); }
  return { title: c.closest('figure').querySelector('figcaption').textContent, width: c.width, height: c.height,
           painted: painted / (c.width * c.height || 1), colors: colors.size,
           words: document.getElementById(c.getAttribute('aria-describedby')).textContent.length,
           link: !!document.querySelector(c.closest('figure').querySelector('a[href^="#"]').getAttribute('href').replace(/[^#\\w-]/g, '\\\\$&')) };
})"""

# Sorts every column of every table both ways by its button. Returns what is out of order.
SORTING = """(() => {
  const bad = [];
  let done = 0;
  const value = (cell) => cell.classList.contains('t') ? cell.textContent :
    cell.textContent === '' ? null : isNaN(parseFloat(cell.title || cell.textContent.replace(/,/g, ''))) ? cell.textContent
      : parseFloat(cell.title || cell.textContent.replace(/,/g, ''));
  for (const table of document.querySelectorAll('section.table table')) {
    const heads = table.tHead.rows[0].cells, count = table.tBodies[0].rows.length;
    if (count < 2 || count > 200) continue;
    const all = () => Array.from(table.tBodies[0].rows, (r) => r.textContent).sort().join();
    const before = all();
    for (let c = 0; c < heads.length; c++) {
      const button = heads[c].querySelector('button');
      if (!button) { bad.push(['no button', heads[c].textContent]); continue; }
      for (let turn = 0; turn < 2; turn++) {
        button.click();
        done++;
        const up = heads[c].getAttribute('aria-sort') === 'ascending';
        if (!up && heads[c].getAttribute('aria-sort') !== 'descending') bad.push(['aria-sort', heads[c].textContent]);
        const values = Array.from(table.tBodies[0].rows, (r) => value(r.cells[c]));
        for (let i = 1; i < values.length; i++) {
          const [a, b] = [values[i - 1], values[i]];
          if (a === null ? b !== null : b !== null && (up ? a > b : a < b)) { bad.push([heads[c].textContent, a, b, up]); break; }
        }
      }
    }
    if (document.querySelectorAll('#' + CSS.escape(table.closest('section').id) + ' th:not([aria-sort="none"])').length !== 1)
      bad.push(['more than one column sorted', table.closest('section').id]);
    if (all() !== before) bad.push(['rows changed', table.closest('section').id]);
  }
  return { bad, done };
})()"""

FILTERING = """(() => {
  const bad = [];
  let done = 0;
  for (const section of document.querySelectorAll('section.table')) {
    const input = section.querySelector('.filter input');
    if (!input) continue;
    const rows = Array.from(section.querySelector('tbody').rows);
    const words = (rows[0].querySelector('td.t') || rows[0].cells[0]).textContent.trim().split(/\\s+/).filter(Boolean).slice(0, 2);
    if (!words.length) continue;
    const type = (text) => { input.value = text; input.dispatchEvent(new Event('input')); };
    const cells = (row) => Array.from(row.cells, (c) => c.textContent).join('\\n').toLowerCase();
    const visible = () => rows.filter((r) => getComputedStyle(r).display !== 'none');
    const wanted = rows.filter((r) => words.every((w) => cells(r).includes(w.toLowerCase()))).length;
    type(words.join(' ').toUpperCase());
    if (visible().length !== wanted) bad.push([section.id, words, visible().length, wanted]);
    if (section.querySelector('output').textContent !== wanted + ' of ' + rows.length + ' rows') bad.push([section.id, section.querySelector('output').textContent]);
    type('no such text anywhere');
    if (visible().length) bad.push([section.id, 'nothing', visible().length]);
    type('');
    if (visible().length !== rows.length || section.querySelector('output').textContent) bad.push([section.id, 'all', visible().length]);
    done++;
  }
  return { bad, done };
})()"""

# Contrast of texts with what is behind them (WCAG 2.1, relative luminance); at least 4.5.
CONTRAST = """(() => {
  const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
  const over = (top, under) => { const a = top.length > 3 ? top[3] : 1; return [0, 1, 2].map((i) => top[i] * a + under[i] * (1 - a)); };
  const light = (c) => c.map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    if (!e) return [255, 255, 255];
    const c = parse(getComputedStyle(e).backgroundColor);
    return c.length > 3 && c[3] === 0 ? behind(e.parentElement) : over(c, behind(e.parentElement));
  };
  const bad = [], seen = new Set();
  for (const e of document.querySelectorAll('h1,h2,h3,dt,dd,p,a,tr:nth-child(-n+12) td,th,.badge,.count,.advice,.amount,.subject,summary,code,label,figcaption,.scale span')) {
    if (!e.textContent.trim() || e.classList.contains('skip')) continue;
    const s = getComputedStyle(e), back = behind(e), key = e.tagName + e.className + s.color + back;
    if (seen.has(key)) continue;
    seen.add(key);
    const a = light(over(parse(s.color), back)), b = light(back);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push([e.tagName + '.' + e.className, s.color, back.map(Math.round).join(), ratio.toFixed(2)]);
  }
  return bad;
})()"""

# Everything that is wider than the page, unless it scrolls in a box of its own.
WIDTH = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

# Of the table that side-by-side reports begin with: by how much it is wider than its box.
FIRST_TABLE = """(() => {
  const box = document.querySelector('#configurations .box, [id$=configurations] .box');
  return box && box.scrollWidth - box.clientWidth;
})()"""

VERDICT_TABLE = """(() => {
  const t = [...document.querySelectorAll('section.table')].find((s) => s.querySelector('.id code').textContent === 'verdict');
  const box = t && t.querySelector('.box');
  return box && box.scrollWidth - box.clientWidth;
})()"""


# Tables of at most eight columns that are wider than their boxes.
NARROW_TABLES = """[...document.querySelectorAll('.box')].filter((e) => e.scrollWidth > e.clientWidth + 1 && !e.querySelector('.limits')
  && [...e.querySelectorAll('thead th')].filter((t) => t.offsetWidth).length <= 8).map((e) => [e.parentElement.id, e.scrollWidth, e.clientWidth])"""

# Words of headings that stand in more than one line.
BROKEN_WORDS = """(() => {
  const bad = [], range = document.createRange();
  for (const th of document.querySelectorAll('section thead th')) {
    const texts = document.createTreeWalker(th, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
      for (const m of texts.currentNode.data.matchAll(/[^\\s_:./-]+/g)) {
        range.setStart(texts.currentNode, m.index);
        range.setEnd(texts.currentNode, m.index + m[0].length);
        if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) bad.push(th.textContent);
      }
  }
  return bad;
})()"""

# Marks of linear axes at unequal distances, as where the end has a number of its own.
UNEVEN = """(() => typeof Chart === 'undefined' ? [] : Object.values(Chart.instances).flatMap((c) => Object.values(c.scales))
  .filter((s) => s.type === 'linear' && s.ticks.length > 2).map((s) => s.ticks.map((t) => t.value))
  .filter((v) => Math.abs((v[v.length - 1] - v[v.length - 2]) - (v[1] - v[0])) > 1e-6 * Math.abs(v[v.length - 1])))()"""


def check_scripts_on(b, path, name):
    b.size(1400, 1000)
    b.open(path)
    errors, requests = complaints(b, path.as_uri())
    check(name, "console", not errors, errors)
    check(name, "requests", not requests, requests)
    canvases = b.run(CANVASES)
    for c in canvases:
        drawn = c["width"] > 100 and c["height"] > 80 and c["painted"] > 0.005 and c["colors"] > 2
        check(name, f"chart '{c['title']}' is drawn", drawn, c)
        check(name, f"chart '{c['title']}' has words and leads to its table", c["words"] > 5 and c["link"], c)
    check(name, "one chart a canvas", b.run("typeof Chart === 'undefined' ? 0 : Object.keys(Chart.instances).length") == len(canvases))
    marks = b.run("typeof Chart === 'undefined' ? 0 : Math.max(0, ...Object.values(Chart.instances).map((c) => "
                  "c.data.datasets.reduce((n, d) => n + d.data.filter((v) => v !== null).length, 0)))")
    check(name, "marks of a chart", marks <= 2000, marks)
    same = b.run("typeof Chart === 'undefined' ? [] : Object.values(Chart.instances).flatMap((c) => Object.values(c.scales).map((s) => "
                 "[new Set(s.type === 'category' ? s.ticks.map((t) => c.data.labels[t.value]) : s.ticks.map((t) => t.value)).size, "
                 "s.ticks.map((t) => t.label), s.type])).filter(([n, l, type]) => type !== 'logarithmic' && new Set(l).size < n).map(([n, l]) => l)")
    check(name, "labels of axes are distinct", not same, same)
    slanted = b.run("typeof Chart === 'undefined' ? [] : Object.values(Chart.instances).filter((c) => "
                    "c.data.datasets.some((d) => d.label === 'expected range' || (d.label === 'increase' && c.data.labels.length < 12)) && "
                    "c.scales.x.type === 'category' && c.scales.x.labelRotation).map((c) => c.scales.x.labelRotation)")
    check(name, "labels of trends and waterfalls are level", not slanted, slanted)
    uneven = b.run(UNEVEN)
    check(name, "marks of axes are at equal distances", not uneven, uneven)
    r = b.run(SORTING)
    check(name, "sorting", not r["bad"] and (r["done"] or b.run("!document.querySelector('table')")), r)
    r = b.run(FILTERING)
    check(name, "filtering", not r["bad"], r)
    check(name, "long texts open", b.run("(() => { const c = document.querySelector('td.l'); if (!c) return true; c.click(); "
                                         "const on = c.classList.contains('open'); c.click(); return on && !c.classList.contains('open'); })()"))
    check(name, "contents lead somewhere", b.run("Array.from(document.querySelectorAll('nav a')).every((a) => "
                                                 "document.getElementById(decodeURIComponent(a.hash.slice(1))))"))
    check(name, "ids are unique", b.run("(() => { const ids = Array.from(document.querySelectorAll('[id]'), (e) => e.id); "
                                        "return new Set(ids).size === ids.length; })()"))
    for width in (1400, 900, 420):
        b.size(width, 900)
        time.sleep(0.2)  # charts follow by an observer
        check(name, f"no scrolling sideways at {width}", b.run(WIDTH) <= 0, b.run(WIDTH))
    for width in (1280, 700):
        b.size(width, 900)
        wide = b.run(VERDICT_TABLE)
        check(name, f"table of the verdict fits at {width}", wide is None or wide <= 0, wide)
    b.size(1280, 900)
    wide = b.run(NARROW_TABLES)
    check(name, "tables of few columns fit at 1280", not wide, wide)
    b.size(2200, 900)
    left = b.run("['h1', 'nav', 'footer'].map((e) => document.querySelector(e)).map((e) => e.getBoundingClientRect().left + parseFloat(getComputedStyle(e).paddingLeft))")
    check(name, "head, contents and foot begin at one line", max(left) - min(left) < 1, left)
    b.size(1400, 1000)
    wide = b.run(FIRST_TABLE)
    check(name, "table of configurations fits at 1400", wide is None or wide <= 0, wide)
    for scheme in ("light", "dark"):
        b.media(prefers_color_scheme=scheme)
        bad = b.run(CONTRAST)
        check(name, f"contrast, {scheme}", not bad, bad)
    b.media()


def check_keyboard(b, path, name):
    b.open(path)
    if not b.run("(() => { const t = document.querySelector('th button'); if (t) t.focus(); return !!t; })()"):
        return
    for kind in ("keyDown", "keyUp"):
        b.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    check(name, "sorting by keyboard", b.run("document.querySelector('th').getAttribute('aria-sort') !== 'none'"))


def press(b, key, shift=False):
    code = {"Enter": 13, "Escape": 27, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}.get(key, ord(key[0]))
    for kind in ("keyDown", "keyUp"):
        b.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, modifiers=8 if shift else 0,
               **({"text": key} if len(key) == 1 and kind == "keyDown" else {}))
    b.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


TRACK = """({ where: document.querySelector('#track .where').textContent, chosen: document.querySelector('#track .chosen').textContent,
  live: document.querySelector('#track .chosen').getAttribute('aria-live'),
  tools: [...document.querySelectorAll('#track .tools button')].every((e) => e.getAttribute('aria-label')),
  next: [...document.querySelectorAll('#track .tools button')].slice(-2)[0].getClientRects().length,
  colors: (() => { const c = document.querySelector('#track canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, s = new Set();
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) s.add((d[i] << 16) | (d[i + 1] << 8) | d[i + 2]); return s.size; })() })"""


filtered = []  # tables of which a click left some rows out


def check_timeline(b, path, name):
    """The timeline and the flame view: drawn, by keyboard alone, and what a finding is about is highlighted."""
    b.size(1400, 1000)
    b.open(path)
    if b.run("!!document.querySelector('#track')"):
        first = b.run(TRACK)
        steps = b.run("[...document.querySelectorAll('#track .tools button')].some((e) => e.textContent === 'steps')")
        check(name, "the timeline is drawn", first["colors"] > 4 and first["live"] and first["tools"] and not first["next"], first)
        marks = b.run("JSON.parse(document.getElementById('timeline-data').textContent).lanes.reduce((n, l) => n + l.levels.reduce((k, v) => k + v.s.length, 0), 0)")
        check(name, "marks of the timeline", 0 < marks <= 50000, marks)
        b.run("document.querySelector('#track .lanes').focus()")
        press(b, "ArrowRight")
        one = b.run(TRACK)["chosen"]
        press(b, "ArrowRight")
        two = b.run(TRACK)["chosen"]
        check(name, "arrows go from mark to mark", one and two and one != two, [one, two])
        press(b, "ArrowDown")
        press(b, "ArrowUp")
        press(b, "+")
        near = b.run(TRACK)
        press(b, "ArrowRight", shift=True)
        moved = b.run(TRACK)
        press(b, "Enter")
        close = b.run(TRACK)
        press(b, "Home")
        # the chosen mark may be the whole run
        check(name, "keys zoom and move", len({first["where"], near["where"], moved["where"]}) == 3 and close["where"] != moved["where"]
              and (b.run(TRACK)["where"] == first["where"]) != steps,  # where the steps are a part of the run they come first
              [first, near, moved, close])
        if b.run("!!document.querySelector('[data-about] .find')"):
            b.run("document.querySelector('[data-about] .find').focus()")
            b.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
            b.call("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter", windowsVirtualKeyCode=13)
            press(b, "Shift")
            lit = b.run(TRACK)
            on = b.run("document.querySelectorAll('.find[aria-pressed=\"true\"]').length")
            b.run("document.querySelector('#track .lanes').focus()")
            press(b, "n")
            further = b.run(TRACK)["chosen"]
            press(b, "Escape")
            check(name, "what a finding is about is highlighted, and n goes on", on == 1 and lit["next"] and lit["chosen"] and further
                  and not b.run(TRACK)["next"] and not b.run("document.querySelector('.find[aria-pressed=\"true\"]')"), [on, lit, further])
    if b.run("!!document.querySelector('#icicle')"):
        b.run("document.querySelector('#icicle .lanes').focus()")
        press(b, "ArrowDown")
        press(b, "ArrowDown")
        says = b.run("document.querySelector('#icicle .chosen').textContent")
        height = b.run("document.querySelector('#icicle canvas').height")
        press(b, "Enter")
        check(name, "the flame view by keyboard", says and height > 40, [says, height])
        found = b.run("(() => { const i = document.querySelector('#icicle input'); i.value = 'zzzz'; i.dispatchEvent(new Event('input')); "
                      "const none = document.querySelector('#icicle output').textContent; i.value = 'e'; i.dispatchEvent(new Event('input')); "
                      "return [none, document.querySelector('#icicle output').textContent]; })()")
        check(name, "names are found in the flame view", found[0].startswith("0 boxes") and "%" in found[1], found)
        press(b, "Home")
        b.run("document.querySelector('#icicle .tools button').click()")
        parts = b.run(PARTS)
        check(name, "a click filters the tables of kernels and operators", parts["clicked"] > 0 and not parts["bad"], parts)
        filtered.append(parts["fewer"])


# Boxes of the flame view below the first, clicked in turn: the rows of tables of kernels and operators that are shown. A row
# belongs to a box if its names are in the box's part of the tree, by the data of the page.
PARTS = """(() => {
  const d = JSON.parse(document.getElementById('flame-data').textContent), n = d.parent.length, bad = [];
  const canvas = document.querySelector('#icicle canvas'), width = canvas.getBoundingClientRect().width;
  const sections = [...document.querySelectorAll('#tables section.table')].filter((s) => s.querySelector('table'));
  const shown = () => sections.map((s) => [...s.querySelectorAll('tbody tr')].filter((r) => !r.classList.contains('out')).length);
  const click = (x, depth) => { const r = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new MouseEvent('click', { clientX: r.left + x, clientY: r.top + depth * 22 + 9, bubbles: true })); };
  const whole = shown(), all = new Set(d.name.slice(1));
  let at = 0, clicked = 0, fewer = 0;
  for (let i = 1; i < n && d.parent[i] === 0; i = next(i)) {
    const names = new Set(), end = next(i);
    if (d.total[i] / d.total[0] * width < 3) break;
    for (let k = 0; k < n; k++) { let a = k; while (a > i) a = d.parent[a]; if (a === i) names.add(d.name[k]); }
    click((at + d.total[i] / 2) / d.total[0] * width, 1);
    clicked++;
    for (const s of sections) {
      const rows = [...s.querySelectorAll('tbody tr')], out = rows.filter((r) => r.classList.contains('out'));
      fewer += out.length > 0;
      const named = [...s.querySelectorAll('thead th')].map((h, c) => /\\b(name|kernel|operator|operation|op)s?\\b/i.test(h.textContent) ? c : -1);
      for (const r of rows) {
        const inTree = named.filter((c) => c >= 0 && r.cells[c]).map((c) => r.cells[c].textContent).filter((x) => all.has(x));
        if (inTree.length && r.classList.contains('out') === inTree.every((x) => names.has(x))) bad.push([d.name[i], s.id, inTree.join(', ')]);
      }
    }
    const bar = document.getElementById('part');
    if (!bar || bar.hidden || !bar.textContent.includes(d.name[i])) bad.push([d.name[i], 'not said']);
    click(width / 2, 0);
    if (JSON.stringify(shown()) !== JSON.stringify(whole) || !bar.hidden) bad.push([d.name[i], 'rows stay out']);
    at += d.total[i];
  }
  function next(i) { let k = i + 1; while (k < n && d.parent[k] !== 0) k++; return k; }
  return { clicked, fewer, bad: bad.slice(0, 5) };
})()"""


# Points of each canvas of lanes whose tooltip is shown and not whole within the window, or hidden by something else.
TIPS = """(async () => {
  const bad = [];
  let shown = 0;
  for (const box of document.querySelectorAll('.lanes')) {
    const canvas = box.querySelector('canvas'), tip = box.querySelector('.tip');
    for (const place of ['start', 'end']) {
      box.scrollIntoView({ block: place });
      const r = canvas.getBoundingClientRect();
      for (let x = 0.02; x < 1; x += 0.07)
        for (let y = 4; y < r.height; y += 9) {
          const at = { clientX: r.left + x * r.width, clientY: r.top + y, bubbles: true };
          canvas.dispatchEvent(new PointerEvent('pointermove', at));
          canvas.dispatchEvent(new MouseEvent('mousemove', at));
          if (tip.hidden) continue;
          shown++;
          const t = tip.getBoundingClientRect();
          tip.style.pointerEvents = 'auto';
          const corners = [[t.left + 2, t.top + 2], [t.right - 2, t.bottom - 2]].map(([a, b]) => document.elementFromPoint(a, b));
          tip.style.pointerEvents = '';
          if (t.left < 0 || t.top < 0 || t.right > innerWidth || t.bottom > innerHeight || corners.some((e) => e !== tip))
            bad.push([box.parentNode.id, Math.round(at.clientX), Math.round(at.clientY), Math.round(t.right), Math.round(t.bottom)]);
        }
    }
  }
  return { shown, bad: bad.slice(0, 3), n: bad.length };
})()"""

# Charts whose tooltip is wider than their canvas.
CHART_TIPS = """(() => typeof Chart === 'undefined' ? [] : Object.values(Chart.instances).filter((c) => {
  const at = c.data.datasets.flatMap((d, k) => d.data.map((_, i) => ({ datasetIndex: k, index: i }))).slice(0, 40);
  return at.some((e) => {
    if (!c.getDatasetMeta(e.datasetIndex).data[e.index]) return false;
    c.tooltip.setActiveElements([e], { x: c.width / 2, y: c.height / 2 });
    c.tooltip.update(true);
    const wide = c.tooltip.width > c.width;
    c.tooltip.setActiveElements([], { x: 0, y: 0 });
    return wide;
  });
}).map((c) => c.canvas.closest('figure').querySelector('figcaption').textContent))()"""


def check_tips(b, path, name):
    """Tooltips are whole: over the lanes at every edge of the window, on charts within the canvas."""
    for width in (1200, 500):
        b.size(width, 500)
        b.open(path)
        r = b.run(TIPS)
        check(name, f"tooltips of lanes at {width}", not r["bad"] and (r["shown"] or not b.run("!!document.querySelector('.lanes')")), r)
        wide = b.run(CHART_TIPS)
        check(name, f"tooltips of charts at {width}", not wide, wide)


# Words of tables that are broken inside, by the height of their cells: badges have one line.
BADGES = "[...document.querySelectorAll('.badge')].filter((e) => e.getClientRects().length > 1 || e.offsetHeight > 30).length"


def check_badges(b, path, name):
    b.size(1200, 900)
    b.open(path)
    check(name, "badges are not broken", b.run(BADGES) == 0, b.run(BADGES))


def check_search(b, path, name):
    b.open(path)
    if not b.run("!!document.querySelector('.search input')"):
        return
    r = b.run("(async () => { const i = document.querySelector('.search input'), wait = () => new Promise((done) => setTimeout(done, 400)); "
              "const shown = () => [...document.querySelectorAll('#tables section.table')].filter((s) => s.getClientRects().length).length; "
              "const all = shown(); i.value = 'no such text anywhere'; i.dispatchEvent(new Event('input')); await wait(); const none = shown(); "
              "const word = (document.querySelector('#tables td.t') || { textContent: '' }).textContent.trim().split(/\\s+/)[0]; "
              "i.value = word; i.dispatchEvent(new Event('input')); await wait(); const some = shown(), says = document.querySelector('.search output').textContent; "
              "i.value = ''; i.dispatchEvent(new Event('input')); await wait(); return { all, none, some, says, word, again: shown(), out: document.querySelectorAll('tr.out').length }; })()")
    check(name, "search over all tables", r["all"] > 1 and r["none"] == 0 and (r["some"] > 0 or not r["word"]) and r["again"] == r["all"] and r["out"] == 0, r)


def check_safe(b, path, name):
    b.open(path)
    b.run("document.querySelectorAll('td, a, li').forEach((e) => e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})))")
    check(name, "nothing of a profile ran", b.run("window.hacked === undefined"), b.run("String(window.hacked)"))
    check(name, "no element of a profile", b.run("document.querySelectorAll('main img, main script, main b, [onmouseover], header script').length") == 0)
    check(name, "scripts of the report only", b.run("document.scripts.length <= 8"))
    b.run("(() => { const s = document.createElement('script'); s.textContent = 'window.injected = 1'; document.body.append(s);"
          "const e = document.createElement('p'); e.setAttribute('onclick', 'window.injected = 2'); document.body.append(e); e.click(); })()")
    check(name, "the policy refuses other scripts", b.run("window.injected === undefined"))


def check_scripts_off(b, path, name):
    b.call("Emulation.setScriptExecutionDisabled", value=True)
    b.open(path)
    r = b.run("({ tables: Array.from(document.querySelectorAll('section.table table'), (t) => t.textContent.trim().length > 0 && t.getClientRects().length > 0), "
              "canvases: Array.from(document.querySelectorAll('canvas'), (c) => c.getClientRects().length), "
              "buttons: document.querySelectorAll('button').length, text: document.querySelector('main').textContent.length, "
              "told: !document.querySelector('canvas[data-chart]') || /without it/.test(document.querySelector('noscript').innerText) })")
    check(name, "scripts off: tables are read", all(r["tables"]) and r["text"] > 5, r)
    check(name, "scripts off: no words about boxes that are not drawn", b.run("[...document.querySelectorAll('.drawn')].every((e) => !e.getClientRects().length)"))
    strips = b.run("[...document.querySelectorAll('.strips')].every((e) => e.open && e.querySelector('tbody tr').getClientRects().length) "
                   "&& [...document.querySelectorAll('#timeline .strip svg')].every((e) => e.getClientRects()[0].width > 50) "
                   "&& !document.querySelector('#track canvas, #icicle canvas')")
    check(name, "scripts off: the lanes and the paths are tables with pictures", strips)
    check(name, "scripts off: no empty charts, no dead buttons", not any(r["canvases"]) and r["buttons"] == 0 and r["told"], r)
    b.call("Emulation.setScriptExecutionDisabled", value=False)


def check_paper(b, path, name):
    b.media(prefers_color_scheme="dark")
    b.open(path)
    b.media(media="print", prefers_color_scheme="dark")
    r = b.run("({ boxes: Array.from(document.querySelectorAll('.box')).every((e) => e.scrollHeight <= e.clientHeight + 1), "
              "page: getComputedStyle(document.body).backgroundColor, text: getComputedStyle(document.body).color, "
              "nav: getComputedStyle(document.querySelector('nav')).display })")
    check(name, "paper: whole tables, light, no contents", r["boxes"] and r["nav"] == "none" and r["text"] == "rgb(28, 35, 48)", r)
    b.size(1032, 700)  # A4, landscape, without its margins
    r = b.run("({ wide: [...document.querySelectorAll('table')].filter((t) => t.getBoundingClientRect().right > innerWidth + 1).map((t) => t.closest('section').id), "
              "rows: [...document.querySelectorAll('tbody')].every((t) => t.rows.length < 4 || (getComputedStyle(t.rows[0]).breakAfter === 'avoid' && "
              "getComputedStyle(t.rows[t.rows.length - 1]).breakBefore === 'avoid')), "
              "charts: [...document.querySelectorAll('.canvas')].every((c) => c.offsetHeight === Math.round(parseFloat(getComputedStyle(c).getPropertyValue('--paper')))), "
              "boxes: [...document.querySelectorAll('.drawn')].every((e) => !e.getClientRects().length) })")
    check(name, "paper: no table is cut, no row alone, heights of charts in the style, no words about boxes",
          not r["wide"] and r["rows"] and r["charts"] and r["boxes"], r)
    broken = b.run(BROKEN_WORDS)
    check(name, "paper: words of headings are whole", not broken, broken)
    b.size(1400, 1000)
    b.media()


def check_hostile(b, folder):
    path = folder / "kinds.html"
    b.open(path)
    texts = b.run("Array.from(document.querySelectorAll('#t-kernels td.t:first-child'), (c) => c.textContent)")
    for want in ("<script>window.hacked = 1</script>", "a & b < c > d &amp; &#60;b&#62;", "</script><script>window.hacked = 3</script>",
                 "bad \ufffd\ufffd utf-8 and \ufffd control", "<!-- comment"):
        check("kinds", f"'{want}' is shown as text", want in texts, texts)
    path_texts = b.run("Array.from(document.querySelectorAll('#flame .strips td.t'), (c) => c.textContent)")
    check("kinds", "hostile names in the flame view are text", any("</script><script>window.hacked = 3</script>" in t for t in path_texts), path_texts[:3])
    lines = b.run("Array.from(document.querySelectorAll('#verdict .sentence'), (c) => c.textContent)")
    check("kinds", "the verdict has its lines, a bar and a way to its evidence", any("<script>window.hacked = 8</script>" in t for t in lines)
          and len(lines) == 4 and b.run("document.querySelectorAll('#verdict .account rect').length") == 4
          and b.run("document.querySelector('#verdict .finding a').hash") == "#t-nights", lines)
    kinds = b.run("Array.from(document.querySelectorAll('figcaption'), (c) => c.textContent)")
    check("kinds", "every kind of chart, none without data", len(kinds) == 12 and "Trend <b>bold</b>" in kinds, kinds)
    check("kinds", "the heat map is colored", b.run("document.querySelectorAll('table.heat td.p6, table.heat td.m6').length") >= 4)
    r = b.run("(() => { const rows = [...document.querySelectorAll('table.limits tbody tr')], box = (e) => e.getBoundingClientRect(); "
              "return { rows: rows.length, drawn: rows.filter((t) => box(t.querySelector('rect')).width > 0).length, "
              "inside: rows.every((t) => [...t.querySelectorAll('rect, line')].every((e) => box(e).left >= box(t.querySelector('svg')).left - 1 "
              "&& box(e).right <= box(t.querySelector('svg')).right + 1)) }; })()")
    check("kinds", "changes against limits are drawn, inside their pictures", r["rows"] == 40 and r["drawn"] == 40 and r["inside"], r)
    b.open(folder / "large.html")
    b.run("document.querySelector('#track .lanes').focus()")
    press(b, "ArrowDown")
    press(b, "ArrowDown")
    press(b, "ArrowDown")
    coarse = b.run(TRACK)["chosen"]
    for _ in range(9):
        press(b, "+")
    press(b, "ArrowRight")
    fine = b.run(TRACK)["chosen"]
    events = [int(t.split(" events")[0].replace(",", "")) if " events" in t else 1 for t in (coarse, fine)]
    check("large", "a closer look has finer marks", events[0] > 10 * events[1], [coarse, fine])
    r = b.run("({ notes: Array.from(document.querySelectorAll('.folded'), (e) => e.textContent), "
              "cut: document.querySelector('#t-kernels .cut').textContent, rows: document.querySelectorAll('#t-kernels tbody tr').length })")
    check("large", "what was folded is said", len(r["notes"]) >= 9, r)
    check("large", "what was skipped is said", r["rows"] == 1000 and "the other 99000 are in the CSV" in r["cut"], r)


def shots(b, path, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for tag, width, media in (("light", 1400, {}), ("dark", 1400, {"prefers_color_scheme": "dark"}), ("narrow", 420, {})):
        b.media(**media)
        b.size(width, 1000)
        b.open(path)
        height = min(b.run("document.documentElement.scrollHeight"), 4000)
        b.size(width, height)
        time.sleep(0.3)
        data = b.call("Page.captureScreenshot", format="png")["data"]
        (folder / f"{path.stem}-{tag}.png").write_bytes(base64.b64decode(data))
        b.media()
    b.size(1400, 1000)
    b.open(path)
    b.media(prefers_color_scheme="dark")
    b.open(path)
    pdf = b.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"]
    (folder / f"{path.stem}.pdf").write_bytes(base64.b64decode(pdf))


def make_reports(a, folder):
    """Reports of the examples, and those made up."""
    if a.samples:
        subprocess.run([a.samples, str(folder)], check=True)
    if a.analyzer:
        root = pathlib.Path(__file__).resolve().parent.parent
        for path in ("example/pytorch/inference.json", "example/tracy/ops_perf_results_host0.csv", "example/xplane/tpu",
                     "example/nsys/llama2_70b_cuda_gpu_kern_sum.csv"):
            subprocess.run([a.analyzer, "run", "-q", path, "-o", str(folder), "--format", "html"], check=True, cwd=root)
        six = ["example/pytorch/%s.json" % n for n in ("train_step", "inference", "moe")] + \
            ["example/tracy/ops_perf_results_host%d.csv" % n for n in (0, 1)] + ["example/xplane/tpu"]
        with tempfile.TemporaryDirectory() as apart:
            subprocess.run([a.analyzer, "run", "-q", *six, "-o", apart, "--format", "html"], check=True, cwd=root)
            shutil.copy(os.path.join(apart, "side_by_side.html"), folder)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer")
    p.add_argument("--samples")
    p.add_argument("--shots", type=pathlib.Path)
    p.add_argument("files", nargs="*", type=pathlib.Path)
    a = p.parse_args()
    program = next((x for x in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if x), None)
    if not program:
        print("skipped: no chromium; HTML reports are not opened in a browser")
        print("0 passed, 0 failed")
        return 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as tmp:
        folder = pathlib.Path(tmp) / "reports"
        folder.mkdir()
        (pathlib.Path(tmp) / "profile").mkdir()
        make_reports(a, folder)
        b = Browser(program, os.path.join(tmp, "profile"))
        try:
            b.page()
            for path in sorted(folder.glob("*.html")) + [f.resolve() for f in a.files]:
                for test in (check_scripts_on, check_keyboard, check_timeline, check_tips, check_badges, check_search, check_safe, check_scripts_off, check_paper):
                    test(b, path, path.stem)
                if a.shots:
                    shots(b, path, a.shots)
            check("flame view", "clicks leave rows out", sum(filtered) > 0, filtered)
            if a.samples:
                check_hostile(b, folder)
        finally:
            b.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
