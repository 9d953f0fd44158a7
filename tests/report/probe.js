(async () => {
  const found = {};
  const all = (css) => [...document.querySelectorAll(css)];
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const canvases = (node) => {
    const here = node.tagName === "CANVAS" ? [node] : [];
    const below = [...(node.shadowRoot?.children ?? []), ...node.children];
    return here.concat(...below.map(canvases));
  };
  const inked = (canvas) => {
    if (!canvas.width || !canvas.height) return false;
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    return pixels.some((value, i) => i % 4 === 3 && value > 0);
  };
  try {
    for (let i = 0; i < 200 && !document.documentElement.dataset.drawn; i++) await pause(50);
    await pause(500);
    const charts = Bokeh.documents.map((one) => one.roots()[0]);
    const plots = all(".plot");
    found.plots = plots.length;
    found.drawn = plots.filter((plot) => canvases(plot).some(inked)).length;
    found.sized = plots.filter((plot) => plot.clientWidth > 100 && plot.clientHeight > 150).length;
    found.charts = charts.length;
    found.overflow = document.documentElement.scrollWidth - innerWidth;
    const drags = (tool) => tool.active && ["BoxZoomTool", "PanTool"].includes(tool.type);
    found.drags = charts[0].toolbar.tools.filter(drags).map((tool) => tool.type);

    const of = (learner) =>
      charts.filter((chart) => chart.tags.includes("learners"))
        .flatMap((chart) => chart.renderers)
        .filter((curve) => curve.tags[0] === learner)
        .map((curve) => curve.visible);
    const button = all("button[data-learner]")[1];
    const learner = Number(button.dataset.learner);
    const state = () => [button.getAttribute("aria-pressed"), [...new Set(of(learner))].join()];
    found.switched = [state()];
    button.focus();
    found.focus = document.activeElement === button;
    for (let i = 0; i < 2; i++) { button.click(); found.switched.push(state()); }
    const legend = charts[0].right.find((one) => one.type === "Legend");
    found.legend = legend.visible;
    legend.items[1].renderers[0].visible = false;
    found.byLegend = state();
    all('button[data-all="false"]')[0].click();
    found.none = charts[0].renderers.some((one) => one.tags.length && one.visible);
    all('button[data-all="true"]')[0].click();
    found.all = state();
    const band = all("button[data-bands]")[0];
    const shaded = () => charts[0].renderers.filter((one) => one.tags[1] === "band" && one.visible);
    found.bands = [shaded().length];
    for (let i = 0; band && i < 2; i++) { band.click(); found.bands.push(shaded().length); }

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

    const choose = (select, value) => {
      select.value = value;
      select.dispatchEvent(new Event("change"));
    };
    const chartIn = (select, kind) => charts[Number(select.dataset[kind].split("-")[1])];
    const recall = all("select[data-recall]")[0];
    choose(recall, "1");
    const data = chartIn(recall, "recall").renderers[0].data_source.data;
    found.recall = data.c0 === data.l1c0 && data.c0 !== data.l0c0;
    const weights = all("select[data-weights]")[0];
    choose(weights, "1");
    const maps = chartIn(weights, "weights").renderers.filter((one) => one.tags.length);
    found.weights = maps.map((one) => one.visible);
    const panels = all("select[data-panels]")[0];
    choose(panels, "1");
    found.panels = all(`[data-panel="${panels.id}"]`).map((panel) => panel.hidden);

    found.folds = [all("details").length];
    for (const one of all("button[data-fold]")) {
      one.click();
      found.folds.push(all("details[open]").length);
    }
    await pause(300);
    found.again = plots.filter((plot) => canvases(plot).some(inked)).length;
    found.requests = performance.getEntriesByType("resource").map((one) => one.name);
    found.dark = getComputedStyle(plots[0]).filter !== "none";
  } catch (error) {
    found.failed = String(error.stack);
  }
  found.errors = window.collectedErrors;
  const out = document.createElement("pre");
  out.id = "findings";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
})();
