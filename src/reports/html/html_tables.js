// Sorting, filtering and opening of long texts in the tables of the report. Without this script the tables stand as
// they are.
"use strict";
(function () {
  const root = document.documentElement;
  root.classList.add("js");
  // On a narrow page the contents are above the report, and in its way.
  if (matchMedia("(max-width: 60rem)").matches && !matchMedia("print").matches)
    document.querySelector("nav details").open = false;

  // The tooltip of the timeline and the flame view: next to the pointer, and whole within the window.
  window.placeTip = (tip, event) => {
    const right = innerWidth - tip.offsetWidth - 8, below = event.clientY + 18;
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, right)) + "px";
    tip.style.top = (below + tip.offsetHeight < innerHeight - 4 ? below : Math.max(4, event.clientY - tip.offsetHeight - 10)) + "px";
  };

  // A cell's exact value: in its title where the text is rounded. Numbers compare as numbers, empty cells come last.
  function valueOf(cell) {
    const text = cell.textContent;
    if (cell.classList.contains("t"))
      return text;
    if (text === "")
      return null;
    const number = parseFloat(cell.title || text.replace(/,/g, ""));
    return isNaN(number) ? text : number;
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number")
      return a - b;
    const x = String(a), y = String(b);
    return x < y ? -1 : x > y ? 1 : 0;
  }

  function sortBy(table, column, header) {
    const body = table.tBodies[0];
    const number = !header.classList.contains("t");
    const was = header.getAttribute("aria-sort");
    const order = was === "none" ? (number ? "descending" : "ascending") : was === "ascending" ? "descending" : "ascending";
    const sign = order === "ascending" ? 1 : -1;
    const rows = Array.from(body.rows, (row, at) => ({ row, at, value: valueOf(row.cells[column]) }));
    rows.sort((a, b) => {
      if (a.value === null || b.value === null)
        return (a.value === null) - (b.value === null) || a.at - b.at;
      return sign * compare(a.value, b.value) || a.at - b.at;
    });
    for (const other of header.parentNode.cells)
      other.setAttribute("aria-sort", "none");
    header.setAttribute("aria-sort", order);
    body.append(...rows.map((r) => r.row));
  }

  function makeSortable(table) {
    Array.from(table.tHead.rows[0].cells).forEach((header, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.title = "sort";
      button.append(...header.childNodes);
      header.append(button);
      header.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => sortBy(table, column, header));
    });
  }

  const wordsOf = (input) => input ? input.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
  let everywhere; // the search over all tables
  let part = null, known; // names of what runs in a box of the flame view, null: all; those in all boxes

  // The columns of a table with names of kernels and operators, of which `all` has some. Regions have paths.
  function nameColumns(table, all) {
    const rows = Array.from(table.tBodies[0].rows);
    return Array.from(table.tHead.rows[0].cells, (header, column) =>
      /\b(name|kernel|operator|operation|op)s?\b/i.test(header.textContent) &&
      rows.some((row) => row.cells[column] && all.has(row.cells[column].textContent)) ? column : -1).filter((column) => column >= 0);
  }

  // Is a row about what the box has? Each of its names that the flame view knows must be in the box, and it has one.
  function isInPart(section, row) {
    const names = section.names.map((column) => row.cells[column] ? row.cells[column].textContent : "").filter((name) => known.has(name));
    return names.length > 0 && names.every((name) => part.has(name));
  }

  // Kernels and operators in all tables of them: those of a box, of all that the flame view has; null: all rows again.
  window.filterTables = (names, all, label) => {
    let bar = document.getElementById("part");
    part = names;
    known = all;
    for (const section of document.querySelectorAll("section.table")) {
      const table = section.querySelector("table");
      if (!table) continue;
      if (names && section.names === undefined) section.names = nameColumns(table, all);
      if (section.names && section.names.length) filter(section);
    }
    if (!bar) {
      const button = document.createElement("button");
      bar = document.createElement("p");
      bar.id = "part";
      bar.className = "note";
      bar.setAttribute("aria-live", "polite");
      button.type = "button";
      button.textContent = "show all";
      button.addEventListener("click", () => window.filterTables(null, all, ""));
      bar.append(document.createElement("span"), " ", button);
      document.querySelector("#tables h2").after(bar);
    }
    bar.hidden = !names;
    bar.firstChild.textContent = names ? "Tables of kernels and operators: only what runs in " + label + " (flame view)." : "";
  };

  // Rows that hold every word, case ignored: of the table's own filter, and of the search over all unless the title has
  // them. Returns how many are shown.
  function filter(section) {
    const table = section.querySelector("table"), output = section.querySelector(".filter output");
    const title = section.querySelector(".head").textContent.toLowerCase(), all = wordsOf(everywhere);
    const words = wordsOf(section.querySelector(".filter input")).concat(all.every((word) => title.includes(word)) ? [] : all);
    const rows = table ? table.tBodies[0].rows : [], parted = part && section.names && section.names.length > 0;
    let shown = 0;
    for (const row of rows) {
      if (row.words === undefined)
        row.words = Array.from(row.cells, (cell) => cell.textContent).join("\n").toLowerCase();
      const out = !words.every((word) => row.words.includes(word)) || (parted && !isInPart(section, row));
      row.classList.toggle("out", out);
      shown += out ? 0 : 1;
    }
    if (output)
      output.textContent = words.length || parted ? shown + " of " + rows.length + " rows" : "";
    return shown;
  }

  function makeSearch(tables) {
    const label = document.createElement("label"), output = document.createElement("output");
    everywhere = document.createElement("input");
    label.className = "filter search";
    everywhere.type = "search";
    everywhere.placeholder = "search all tables";
    everywhere.setAttribute("aria-label", "Search all tables");
    output.setAttribute("aria-live", "polite");
    label.append(everywhere, output);
    tables.querySelector("h2").after(label);
    let later;
    everywhere.addEventListener("input", () => {
      clearTimeout(later);
      later = setTimeout(() => {
        const on = wordsOf(everywhere).length > 0;
        let rows = 0, found = 0;
        for (const section of tables.querySelectorAll("section.table")) {
          const n = filter(section);
          section.classList.toggle("none", on && n === 0);
          found += on && n > 0 ? 1 : 0;
          rows += n;
        }
        output.textContent = on ? rows + " rows in " + found + " tables" : "";
      }, 120);
    });
  }

  function makeFilterable(section) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    const output = document.createElement("output");
    label.className = "filter";
    input.type = "search";
    input.placeholder = "filter rows";
    input.setAttribute("aria-label", "Filter rows of " + section.querySelector("h3").textContent);
    label.append(input, output);
    section.querySelector(".head").append(label);
    input.addEventListener("input", () => filter(section));
  }

  for (const section of document.querySelectorAll("section.table")) {
    const table = section.querySelector("table");
    if (!table || table.tBodies[0].rows.length < 2)
      continue;
    makeSortable(table);
    if (table.tBodies[0].rows.length > 5)
      makeFilterable(section);
  }

  const tables = document.getElementById("tables");
  if (tables && tables.querySelectorAll("section.table").length > 1)
    makeSearch(tables);

  // A long text opens where it is clicked, and tells itself to the pointer.
  document.addEventListener("click", (event) => {
    const cell = event.target.closest("td.l, th.l");
    if (cell && getSelection().isCollapsed)
      cell.classList.toggle("open");
  });
  document.addEventListener("mouseover", (event) => {
    const cell = event.target.closest("td.l, th.l");
    if (cell && !cell.title)
      cell.title = cell.textContent;
  });
})();
