"use strict";
(() => {
  const all = (css, root = document) => [...root.querySelectorAll(css)];
  const charts = new Map();

  // Tables: a heading sorts, again in the other direction; rows without a number stay below.
  for (const button of all("table.sortable thead button")) {
    button.addEventListener("click", () => {
      const heading = button.closest("th");
      const column = heading.cellIndex;
      const body = heading.closest("table").tBodies[0];
      const key = (row) => {
        const cell = row.cells[column];
        return cell.dataset.key === undefined ? null : Number(cell.dataset.key);
      };
      const numbers = [...body.rows].some((row) => key(row) !== null);
      const before = heading.getAttribute("aria-sort");
      const first = numbers ? "descending" : "ascending";
      const other = numbers ? "ascending" : "descending";
      const order = before === first ? other : first;
      const sign = order === "ascending" ? 1 : -1;
      const text = (row) => row.cells[column].textContent;
      const compare = (a, b) => {
        if (!numbers) return sign * text(a).localeCompare(text(b));
        const [x, y] = [key(a), key(b)];
        if (x === null || y === null) return (x === null) - (y === null);
        return sign * (x - y);
      };
      for (const th of all("th", heading.parentNode)) th.setAttribute("aria-sort", "none");
      heading.setAttribute("aria-sort", order);
      body.append(...[...body.rows].sort(compare));
    });
  }

  // Curves: a learner is shown or hidden in all charts at once, by its button or in a legend.
  const curves = [];
  let bands = !document.querySelector('button[data-bands][aria-pressed="false"]');
  const show = (learner, visible) => {
    for (const curve of curves.filter((one) => one.tags[0] === learner)) {
      curve.visible = visible && (bands || curve.tags[1] !== "band");
    }
    for (const button of all(`button[data-learner="${learner}"]`)) {
      button.setAttribute("aria-pressed", String(visible));
    }
  };
  for (const button of all("button[data-learner]")) {
    button.addEventListener("click", () => {
      show(Number(button.dataset.learner), button.getAttribute("aria-pressed") !== "true");
    });
  }
  for (const button of all("button[data-bands]")) {
    button.addEventListener("click", () => {
      bands = !bands;
      for (const one of all("button[data-bands]")) one.setAttribute("aria-pressed", String(bands));
      for (const one of all("button[data-learner]")) {
        show(Number(one.dataset.learner), one.getAttribute("aria-pressed") === "true");
      }
    });
  }
  for (const button of all("button[data-all]")) {
    button.addEventListener("click", () => {
      for (const one of all("button[data-learner]", button.parentNode)) {
        show(Number(one.dataset.learner), button.dataset.all === "true");
      }
    });
  }

  // Choices: of a learner's recall, of its map of weights, or of one panel among several.
  for (const select of all("select[data-recall]")) {
    select.addEventListener("change", () => {
      const source = charts.get(select.dataset.recall).renderers[0].data_source;
      const data = { ...source.data };
      for (let k = 0; `c${k}` in data; k++) data[`c${k}`] = data[`l${select.value}c${k}`];
      source.data = data;
    });
  }
  for (const select of all("select[data-weights]")) {
    select.addEventListener("change", () => {
      const chart = charts.get(select.dataset.weights);
      for (const map of chart.renderers.filter((one) => one.tags.length)) {
        const [number, steps, top, places, labels, drifts] = map.tags;
        map.visible = number === Number(select.value);
        if (!map.visible) continue;
        chart.x_range.setv({ start: steps[0], end: steps[1] });
        chart.y_range.setv({ start: -0.5, end: top });
        chart.left[0].ticker.ticks = places;
        chart.left[0].major_label_overrides = new Map(places.map((at, k) => [at, labels[k]]));
        for (const marks of chart.renderers.filter((one) => !one.tags.length)) {
          marks.data_source.data = { row: drifts };
        }
      }
    });
  }
  for (const select of all("select[data-panels]")) {
    select.addEventListener("change", () => {
      for (const panel of all(`[data-panel="${select.id}"]`)) {
        panel.hidden = panel.dataset.value !== select.value;
      }
    });
  }

  for (const button of all("button[data-fold]")) {
    button.addEventListener("click", () => {
      for (const part of all("details")) part.open = button.dataset.fold === "true";
    });
  }
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not([open])");
    for (const part of folded) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of folded) part.open = false;
  });

  // On paper a canvas keeps its size in pixels; the style sheet scales it to a sheet's width.
  const measure = () => {
    const width = document.querySelector("main").clientWidth;
    document.documentElement.style.setProperty("--paper", Math.min(1, 680 / width));
  };
  addEventListener("resize", measure);
  measure();

  // Charts: drawn one after the other, so that the page can be read meanwhile.
  const narrow = matchMedia("(max-width: 48rem)");
  const fit = (chart) => {
    chart.below[0].ticker.desired_num_ticks = narrow.matches ? 3 : 6;
    for (const legend of chart.right.filter((one) => one.type === "Legend")) {
      legend.visible = !narrow.matches || chart.tags.includes("classes");
    }
  };
  narrow.addEventListener("change", () => charts.forEach(fit));
  const touch = matchMedia("(pointer: coarse)").matches;

  const draw = async () => {
    for (const script of all('script[type="application/json"]')) {
      const item = JSON.parse(script.textContent);
      await Bokeh.embed.embed_item(item);
      const chart = Bokeh.documents.at(-1).get_model_by_id(item.root_id);
      charts.set(item.target_id, chart);
      fit(chart);
      // A finger that meets a chart scrolls the page.
      const zoom = chart.toolbar.tools.find((tool) => tool.type === "BoxZoomTool");
      if (touch) zoom.active = false;
      if (!chart.tags.includes("learners")) continue;
      for (const curve of chart.renderers.filter((one) => one.tags.length)) {
        curves.push(curve);
        if (curve.tags[1] === "band") curve.visible = bands;
        else curve.properties.visible.change.connect(() => show(curve.tags[0], curve.visible));
      }
      await new Promise((done) => setTimeout(done));
    }
    for (const button of all('button[data-learner][aria-pressed="false"]')) {
      show(Number(button.dataset.learner), false);
    }
    document.documentElement.dataset.drawn = charts.size;
  };
  draw();
})();
