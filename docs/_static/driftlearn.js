/* Names and roles that the theme and the gallery leave out, for who hears a page. */
document.addEventListener("DOMContentLoaded", () => {
  const all = (selector, change) => document.querySelectorAll(selector).forEach(change);
  all("details > summary:has(> .toctree-toggle)", (toggle) => {
    toggle.ariaLabel = `Pages of: ${toggle.parentElement.previousElementSibling.textContent}`;
  });
  all(".sphx-glr-thumbcontainer", (card) => {
    card.querySelector("a").ariaLabel = card.querySelector(".sphx-glr-thumbnail-title").textContent;
  });
  all(".search-button-field", (button) => button.removeAttribute("aria-label")); // it has words
  all("[role=doc-biblioentry]", (entry) => entry.setAttribute("role", "listitem"));
});
