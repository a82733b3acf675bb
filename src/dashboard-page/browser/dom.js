/**
 * Elements made of values. Every value goes in as text: nothing here, and nothing in the page, reads text as markup.
 * @typedef {import("./cells.js").Cell} Cell
 */

/**
 * @template {HTMLElement} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} type
 * @returns {T}
 */
export function find(root, selector, type) {
  const found = root.querySelector(selector);
  if (found instanceof type) return found;
  throw new Error(`the page has no ${selector}`);
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * A table's cell. The whole value is in it, also where the style shows its beginning only, so that it can be copied.
 * @param {Cell} cell
 */
function tableCell({ text, kind, tone }) {
  const attributes = { ...(kind && { class: kind }), ...(tone && { "data-tone": tone }) };
  if (kind === "code") return element("td", attributes, element("code", { title: text }, text));
  if (kind === "time") {
    return element("td", attributes, element("time", { datetime: `${text.replace(" ", "T")}Z` }, text));
  }
  return element("td", attributes, text);
}

/** @param {Cell[]} row */
export const tableRow = (row) => element("tr", {}, ...row.map(tableCell));

/** @param {string[]} headings @param {string} caption @param {HTMLElement} body */
export const table = (headings, caption, body) =>
  element(
    "table",
    {},
    element("caption", {}, caption),
    element(
      "thead",
      {},
      element("tr", {}, ...headings.map((heading) => element("th", { scope: "col" }, heading))),
    ),
    body,
  );

/**
 * Adds what a choice does not offer yet; what is chosen stays chosen. See forgetOffers.
 * @param {HTMLSelectElement | HTMLDataListElement} choice
 * @param {{ value: string, label: string }[]} offers
 */
export function offer(choice, offers) {
  const known = new Set([...choice.querySelectorAll("option")].map((option) => option.value));
  for (const { value, label } of offers) {
    if (!known.has(value)) choice.append(element("option", { value, "data-learned": "" }, label));
  }
}

/** Takes away what was offered by answers of the service. */
export function forgetOffers() {
  for (const option of document.querySelectorAll("option[data-learned]")) option.remove();
}
