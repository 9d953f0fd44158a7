(async () => {
  const found = {};
  const all = (css) => [...document.querySelectorAll(css)];
  try {
    const plots = all(".plot").filter((plot) => plot.checkVisibility());
    found.plots = plots.length;
    found.sized = plots.filter((plot) => plot.clientWidth > 100 && plot.clientHeight > 20).length;
    found.overflow = document.documentElement.scrollWidth - innerWidth;
    found.fold = all(".curve, .dots i").filter((one) => one.checkVisibility())[0]
      .getBoundingClientRect().top / innerHeight;
    const paint = (css, of = "stroke") => getComputedStyle(all(css)[0])[of];
    found.stroke = paint(".plot .curve.c0, .plot .curve");
    found.page = paint("body", "backgroundColor");

    const button = all("button[data-learner]")[1];
    const curves = () => all(`.plot .curve[data-learner="${button.dataset.learner}"]`);
    const state = () => [
      button.getAttribute("aria-pressed"),
      [...new Set(curves().map((one) => getComputedStyle(one).display !== "none"))].join(),
    ];
    found.switched = [state()];
    button.focus();
    found.focus = document.activeElement === button;
    for (let i = 0; i < 2; i++) { button.click(); found.switched.push(state()); }
    all('button[data-all="false"]')[0].click();
    found.none = all("#main .plot, header .plot")[0].querySelectorAll(".curve:not([hidden])").length;
    for (const one of all('button[data-all="true"]')) one.click();
    found.all = state();
    const band = all("button[data-bands]")[0];
    const shaded = () => all(".plot")[0].querySelectorAll(".band:not([hidden])").length;
    found.bands = [shaded()];
    for (let i = 0; band && i < 2; i++) { band.click(); found.bands.push(shaded()); }

    const table = all("table.sortable")[0];
    const heading = table.tHead.rows[0].cells[1];
    const column = (n) => [...table.tBodies[0].rows].map((row) => row.cells[n].dataset.key ?? null);
    found.sorts = [];
    for (let i = 0; i < 2; i++) {
      heading.querySelector("button").click();
      found.sorts.push([heading.getAttribute("aria-sort"), column(1)]);
    }
    table.tHead.rows[0].cells[0].querySelector("button").click();
    found.names = [...table.tBodies[0].rows].map((row) => row.cells[0].textContent);
    found.ariaSort = [...table.tHead.rows[0].cells].map((cell) => cell.getAttribute("aria-sort"));

    const select = all("select[data-panels]")[0];
    select.value = "1";
    select.dispatchEvent(new Event("change"));
    found.panels = all(`[data-panel="${select.id}"]`).map((panel) => panel.hidden);
    const slider = all(".counts input")[0];
    const total = () => [...slider.closest(".counts").querySelectorAll("td")]
      .reduce((sum, cell) => sum + Number(cell.textContent.replaceAll(",", "")), 0);
    found.slid = [total()];
    for (const value of [2, 0]) {
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
      found.slid.push(total());
      found.said = found.said ?? slider.parentNode.querySelector("output").textContent;
    }

    const plot = all(".plot")[0];
    const box = plot.getBoundingClientRect();
    const at = (kind, share) => plot.dispatchEvent(new PointerEvent(kind, {
      clientX: box.left + share * box.width, clientY: box.top + 20, pointerId: 1, button: 0,
    }));
    plot.setPointerCapture = () => {};
    at("pointermove", 0.5);
    found.tip = document.getElementById("tip").textContent;
    at("pointerdown", 0.25);
    at("pointermove", 0.5);
    at("pointerup", 0.75);
    found.enlarged = plot.getAttribute("viewBox");
    plot.dispatchEvent(new MouseEvent("dblclick"));
    found.whole = plot.getAttribute("viewBox");

    found.folds = [all("details").length];
    for (const one of all("button[data-fold]")) {
      one.click();
      found.folds.push(all("details[open]").length);
    }
    found.requests = performance.getEntriesByType("resource").map((one) => one.name);
  } catch (error) {
    found.failed = String(error.stack);
  }
  found.errors = window.collectedErrors;
  const out = document.createElement("pre");
  out.id = "findings";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
})();
