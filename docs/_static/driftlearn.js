/* Long tables are sorted by a click on a heading. Names and roles that the theme and the gallery
   leave out are added for screen readers. */
const number = (text) => parseFloat(text.replace(/[,*+]/g, ""));
const compare = (a, b) => {
  const [x, y] = [number(a), number(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
};
function sort(heading, column) {
  const rising = heading.ariaSort !== "ascending";
  const body = heading.closest("table").tBodies[0];
  for (const other of heading.parentElement.children) other.ariaSort = "none";
  heading.ariaSort = rising ? "ascending" : "descending";
  const text = (row) => row.cells[column].textContent.trim();
  const rows = [...body.rows].sort((a, b) => (rising ? 1 : -1) * compare(text(a), text(b)));
  body.append(...rows);
}
document.addEventListener("DOMContentLoaded", () => {
  const all = (selector, change) => document.querySelectorAll(selector).forEach(change);
  all("details > summary:has(> .toctree-toggle)", (toggle) => {
    toggle.ariaLabel = `Pages of: ${toggle.parentElement.previousElementSibling.textContent}`;
  });
  all(".sphx-glr-thumbcontainer", (card) => {
    card.querySelector("a").ariaLabel = card.querySelector(".sphx-glr-thumbnail-title").textContent;
  });
  all("article table:has(tbody > tr:nth-child(8)) > thead > tr:only-child > th", (heading) => {
    if (!heading.textContent.trim()) return;
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sort(heading, heading.cellIndex));
  });
  all(".search-button-field", (button) => button.removeAttribute("aria-label")); // it has words
  all("[role=doc-biblioentry]", (entry) => entry.setAttribute("role", "listitem"));
});
