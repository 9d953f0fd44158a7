// Live pages: the server announces new versions, of which the page replaces the parts that differ.
{
  const EVERY = 5000;  // milliseconds between requests where events are not available
  const AGAIN = 60000;  // milliseconds after which events are tried again
  const parts = document.getElementById("parts");
  const main = document.getElementById("main");
  const state = document.getElementById("state");
  const sources = new Map();
  let version = main.dataset.version;
  let events = null;
  let clock = null;
  let busy = false;

  const showStatus = (name, text) => {
    if (state.dataset.state === name && state.textContent === text) return;
    state.dataset.state = name;
    state.textContent = text;
  };
  const focusable = (part) => [...part.querySelectorAll("summary, button, a, [tabindex]")];
  const headings = (part) => [...part.querySelectorAll("table.sortable thead th")];

  // What the reader did to a part: opened it, sorted and scrolled its tables, moved the focus.
  const carryOver = (old, part) => {
    part.open = old.open;
    const before = headings(old);
    headings(part).forEach((heading, k) => {
      const order = before[k]?.getAttribute("aria-sort");
      if (order && order !== "none" && before[k].textContent === heading.textContent) {
        for (let i = 0; i < 2 && heading.getAttribute("aria-sort") !== order; i++) {
          heading.querySelector("button").click();
        }
      }
    });
    const scrolled = [...old.querySelectorAll(".scroll")];
    [...part.querySelectorAll(".scroll")].forEach((box, k) => {
      box.scrollLeft = scrolled[k]?.scrollLeft ?? 0;
    });
  };

  const show = (html) => {
    const found = new DOMParser().parseFromString(html, "text/html");
    const known = new Map([...parts.children].map((part) => [part.dataset.part, part]));
    const next = [...found.body.children];
    const names = next.map((part) => part.dataset.part).join();
    const replaced = next.map((part) => {
      const old = known.get(part.dataset.part);
      const source = part.outerHTML;
      const enlarged = old?.querySelector('.plot:not([viewBox="0 0 10000 10000"])');
      if (old && (enlarged || sources.get(part.dataset.part) === source)) return old;
      sources.set(part.dataset.part, source);
      const added = document.adoptNode(part);
      const focused = old?.contains(document.activeElement)
        ? focusable(old).indexOf(document.activeElement) : -1;
      if (old?.matches(":hover")) tip.hidden = true;
      if (old) old.replaceWith(added);
      activate(added);
      if (old) carryOver(old, added);
      if (focused >= 0) focusable(added)[focused]?.focus({ preventScroll: true });
      return added;
    });
    if ([...parts.children].map((part) => part.dataset.part).join() !== names) {
      parts.replaceChildren(...replaced);
    }
  };

  const update = async () => {
    if (busy) return;
    busy = true;
    try {
      const answer = await fetch(`live?since=${encodeURIComponent(version)}`);
      if (!answer.ok) throw new Error(String(answer.status));
      const found = await answer.json();
      if (found.version !== version) {
        version = found.version;
        show(found.html);
        searchKeys();
      }
      showStatus("live", "Live");
    } catch {
      showStatus("lost", "No connection to the server; the last state is shown");
    }
    busy = false;
  };

  const poll = () => {
    clearInterval(clock);
    update();
    const begun = Date.now();
    clock = setInterval(() => {
      if (Date.now() - begun > AGAIN) listen();
      else update();
    }, EVERY);
  };

  const listen = () => {
    clearInterval(clock);
    events?.close();
    events = new EventSource("events");
    events.addEventListener("message", (event) => {
      if (event.data === version) showStatus("live", "Live");
      else update();
    });
    events.addEventListener("error", () => {
      if (events.readyState === EventSource.CLOSED) poll();  // too many readers, or no such route
      else showStatus("lost", "No connection to the server; the last state is shown");
    });
  };

  // A hidden page needs no updates.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      events?.close();
      clearInterval(clock);
    } else {
      listen();
    }
  });

  const search = document.getElementById("keys-search");
  const order = document.getElementById("keys-order");
  let begin = 0;
  let newest = 0;
  const searchKeys = async () => {
    if (!search) return;
    const number = ++newest;
    const query = new URLSearchParams({ search: search.value, order: order.value, begin });
    try {
      const answer = await fetch(`keys?${query}`);
      const found = await answer.json();
      if (number !== newest || !answer.ok) return;  // an older answer than the newest request
      const box = document.getElementById("keys-found");
      box.innerHTML = found.html;
      activate(box);
      document.getElementById("keys-shown").textContent = found.shown;
      document.getElementById("keys-before").disabled = begin === 0;
      document.getElementById("keys-after").disabled = found.next === null;
      document.getElementById("keys-after").value = found.next ?? "";
      document.getElementById("keys-before").value = found.before ?? 0;
    } catch {
      showStatus("lost", "No connection to the server; the last state is shown");
    }
  };
  if (search) {
    let typing = null;
    search.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => { begin = 0; searchKeys(); }, 200);
    });
    order.addEventListener("change", () => { begin = 0; searchKeys(); });
    for (const name of ["keys-before", "keys-after"]) {
      document.getElementById(name).addEventListener("click", (event) => {
        begin = Number(event.currentTarget.value);
        searchKeys();
      });
    }
    searchKeys();
  }

  // Times are shown as ages, which grow without a new version.
  const ages = () => {
    for (const time of document.querySelectorAll("time[data-age]")) {
      const seconds = Math.max(0, (Date.now() - Date.parse(time.dateTime)) / 1000);
      const [n, unit] = seconds < 90 ? [seconds, "s"] : seconds < 5400 ? [seconds / 60, "min"]
        : seconds < 129600 ? [seconds / 3600, "h"] : [seconds / 86400, "days"];
      time.textContent = `${Math.round(n)} ${unit} ago`;
    }
  };
  setInterval(ages, 1000);
  for (const part of parts.children) sources.set(part.dataset.part, part.outerHTML);
  ages();
  listen();
}
