"use strict";
const count = (n) => Math.round(n).toLocaleString("en");
const tip = document.getElementById("tip");
const ticks = new WeakMap();  // original labels of horizontal axes that zooming replaces

// Add the behavior of tables and charts to a part of the page.
const activate = (page) => {
  const all = (css, root = page) => [...root.querySelectorAll(css)];

  // Tables: a click on a heading sorts, a second one reverses. Rows without a number come last.
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

  // Curves: a button shows or hides a learner in all charts; if there are many, it dims instead.
  const crowded = page.querySelector(".curve.field") !== null;
  let bands = !page.querySelector('button[data-bands][aria-pressed="false"]');
  const show = (learner, visible) => {
    for (const part of all(`[data-learner="${learner}"]`)) {
      if (part.matches("button")) part.setAttribute("aria-pressed", String(visible));
      else if (part.matches(".band")) part.toggleAttribute("hidden", !(visible && bands));
      else if (part.matches(".curve") && crowded) part.classList.toggle("field", !visible);
      else part.toggleAttribute("hidden", !visible);
      if (part.matches(".band") && visible) part.classList.remove("field");
    }
  };
  const pressed = (button) => button.getAttribute("aria-pressed") === "true";
  for (const button of all("button[data-learner]")) {
    button.addEventListener("click", () => show(button.dataset.learner, !pressed(button)));
  }
  const again = () => {
    for (const one of all("button[data-learner]")) show(one.dataset.learner, pressed(one));
  };
  for (const button of all("button[data-bands]")) {
    button.addEventListener("click", () => {
      bands = !bands;
      for (const one of all("button[data-bands]")) one.setAttribute("aria-pressed", String(bands));
      again();
    });
  }
  for (const button of all("button[data-all]")) {
    button.addEventListener("click", () => {
      for (const one of all("button[data-learner]", button.parentNode)) {
        show(one.dataset.learner, button.dataset.all === "true");
      }
    });
  }
  again();

  for (const select of all("select[data-panels]")) {
    select.addEventListener("change", () => {
      for (const panel of all(`[data-panel="${select.id}"]`)) {
        panel.hidden = panel.dataset.value !== select.value;
      }
    });
  }

  // Confusion matrices: the slider selects rows, which the map of recalls above marks.
  for (const part of all(".counts")) {
    const { edges, counts } = JSON.parse(part.querySelector("script").textContent);
    const cells = all("td", part);
    const side = Math.sqrt(cells.length);
    const whole = counts[0].map((_, k) => counts.reduce((sum, block) => sum + block[k], 0));
    const cursor = part.parentNode.querySelector(".cursor");
    part.querySelector("input").addEventListener("input", (event) => {
      const at = Number(event.target.value);
      const shown = at ? counts[at - 1] : whole;
      for (let row = 0; row < side; row++) {
        const total = shown.slice(row * side, (row + 1) * side).reduce((a, b) => a + b, 0) || 1;
        for (let k = row * side; k < (row + 1) * side; k++) {
          cells[k].textContent = count(shown[k]);
          cells[k].className = `t${Math.round((10 * shown[k]) / total)}`;
        }
      }
      const [first, end] = at ? [edges[at - 1], edges[at]] : [0, 0];
      part.querySelector("output").textContent = at
        ? `rows ${count(first)} to ${count(end - 1)}` : "all tested rows";
      const last = edges.at(-1);
      cursor.setAttribute("x", (first / last) * 10000);
      cursor.setAttribute("width", ((end - first) / last) * 10000);
    });
  }

  // Decision regions: those of all learners at one moment, selected by the slider or played.
  for (const part of all(".regions")) {
    const { side, rows, planes } = JSON.parse(part.querySelector("script").textContent);
    const [slider, play] = [part.querySelector("input"), part.querySelector("button")];
    const paint = () => {
      const style = getComputedStyle(document.documentElement);
      all("canvas", part).forEach((canvas, k) => {
        const pen = canvas.getContext("2d");
        [...planes[k][slider.value]].forEach((sign, at) => {
          pen.fillStyle = style.getPropertyValue(`--c${parseInt(sign, 36) % 8}`);
          pen.fillRect(at % side, side - 1 - Math.floor(at / side), 1, 1);
        });
      });
      part.querySelector("output").textContent = `${count(rows[slider.value])} rows`;
    };
    slider.addEventListener("input", paint);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
    addEventListener("beforeprint", paint);
    let clock = null;
    play.addEventListener("click", () => {
      clearInterval(clock);
      play.textContent = clock ? "Play" : "Stop";
      clock = clock ? null : setInterval(() => {
        slider.value = (Number(slider.value) + 1) % rows.length;
        paint();
      }, 250);
    });
    paint();
  }

  // The value under the pointer.
  const showTip = (event, text) => {
    tip.hidden = !text;
    tip.textContent = text;
    const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    tip.style.left = `${left}px`;
    tip.style.top = `${Math.max(event.clientY - tip.offsetHeight - 10, 4)}px`;
  };
  const points = new WeakMap();
  const pointsOf = (curve) => {
    if (!points.has(curve)) {
      const pairs = curve.getAttribute("d").match(/\d+,-?\d+/g) ?? [];
      points.set(curve, pairs.map((pair) => pair.split(",").map(Number)));
    }
    return points.get(curve);
  };
  const nearest = (plot, x, y) => {
    let best = null;
    for (const curve of all(".curve:not([hidden])", plot)) {
      const at = pointsOf(curve);
      let [low, high] = [0, at.length - 1];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (at[middle][0] < x) low = middle; else high = middle;
      }
      const point = Math.abs(at[low][0] - x) < Math.abs(at[high][0] - x) ? at[low] : at[high];
      const far = Math.abs(point[1] - y);
      if (!best || far < best.far) best = { curve, point, far };
    }
    return best;
  };
  const valueOf = (plot, height) => {
    const [low, high, log] = plot.dataset.scale.split(" ");
    const value = Number(low) + (1 - height / 10000) * (high - low);
    return log ? 10 ** value : value;
  };
  const nameOf = (plot, value) => {
    const names = JSON.parse(plot.dataset.names ?? "[]");
    return names[Math.round(value)] ?? count(value);
  };
  const place = (plot, event) => {
    const box = plot.getBoundingClientRect();
    const view = plot.viewBox.baseVal;
    return [
      view.x + ((event.clientX - box.left) / box.width) * view.width,
      ((event.clientY - box.top) / box.height) * 10000,
    ];
  };
  for (const plot of all(".plot")) {
    const last = Number(plot.dataset.last);
    plot.addEventListener("pointermove", (event) => {
      for (const curve of all(".near", plot)) curve.classList.remove("near");
      const [x, y] = place(plot, event);
      const found = nearest(plot, x, y);
      if (!found) return showTip(event, event.target.dataset.tip ?? "");
      found.curve.classList.add("near");
      const value = valueOf(plot, found.point[1]);
      const digits = Math.abs(value) < 10 ? value.toFixed(4) : count(value);
      showTip(event, `${found.curve.dataset.name}: ${digits} at ${plot.dataset.unit} ${nameOf(plot, found.point[0] * last / 1e4)}`);
    });
    plot.addEventListener("pointerleave", (event) => {
      for (const curve of all(".near", plot)) curve.classList.remove("near");
      showTip(event, "");
    });
  }
  for (const dot of all(".dots i")) {
    dot.addEventListener("pointerenter", (event) => showTip(event, dot.dataset.tip));
    dot.addEventListener("pointerleave", (event) => showTip(event, ""));
  }

  // Zoom: dragging enlarges a range of rows in all charts of the stream; a double click resets.
  for (const x of all(".chart .x")) ticks.set(x, [...x.children]);
  const enlarge = (root, unit, from, to) => {
    for (const chart of all(".plots", root)) {
      const plot = chart.querySelector(".plot");
      if (plot.dataset.unit !== unit) continue;
      const x = chart.querySelector(".x");
      plot.setAttribute("viewBox", `${from} 0 ${to - from} 10000`);
      chart.style.setProperty("--x0", from / 10000);
      chart.style.setProperty("--x1", to / 10000);
      if (to - from === 10000) x.replaceChildren(...ticks.get(x));
      else {
        x.replaceChildren(...[0, 0.5, 1].map((share) => {
          const label = document.createElement("span");
          label.style.setProperty("--at", share);
          label.textContent = nameOf(plot, ((from + share * (to - from)) / 10000) * plot.dataset.last);
          return label;
        }));
      }
    }
  };
  for (const plot of all(".plot")) {
    const root = plot.closest("details") ?? document;
    const shade = document.createElement("div");
    shade.className = "drag";
    let from = null;
    plot.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch" || event.button) return;  // a finger scrolls the page
      from = event;
      plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener("pointermove", (event) => {
      if (!from) return;
      const box = plot.getBoundingClientRect();
      const [a, b] = [from.clientX, event.clientX].map((at) =>
        Math.min(Math.max(at - box.left, 0), box.width)).sort((p, q) => p - q);
      shade.style.left = `${a}px`;
      shade.style.width = `${b - a}px`;
      plot.parentNode.append(shade);
    });
    plot.addEventListener("pointerup", (event) => {
      if (!from) return;
      shade.remove();
      const ends = [place(plot, from)[0], place(plot, event)[0]].sort((p, q) => p - q)
        .map((at) => Math.min(Math.max(at, 0), 10000));
      if (ends[1] - ends[0] > plot.viewBox.baseVal.width / 100) enlarge(root, plot.dataset.unit, ...ends);
      from = null;
    });
    plot.addEventListener("dblclick", () => enlarge(root, plot.dataset.unit, 0, 10000));
  }

  for (const button of all("button[data-fold]")) {
    button.addEventListener("click", () => {
      for (const part of all("details")) part.open = button.dataset.fold === "true";
    });
  }
};

activate(document);
{
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const part of folded) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of folded) part.open = false;
  });
}
