import { element, find, table, tableRow } from "./dom.js";
import { messageOf, TokenRefused } from "./service.js";

const PAGE_SIZE = 25;

/**
 * One table of the page, with its filters and its pages, in the element that page.html has for it.
 * @typedef {import("./service.js").Ask} Ask
 * @typedef {{ load: () => Promise<void>, clear: () => void, isOpen: () => boolean }} MountedPanel
 */

/**
 * @param {HTMLElement} root
 * @param {import("./panels.js").Panel} panel
 * @param {{
 *   ask: (...request: Parameters<Ask>) => Promise<any>,
 *   missing: () => Promise<string[] | null>,
 *   onAnswer?: (dashboard: any) => void,
 *   onRefused: () => void,
 * }} page
 * @returns {MountedPanel}
 */
export function mountPanel(root, panel, page) {
  const view = draw(root, panel);
  const form = root.querySelector("form");
  /** Where each page begins, the one that is shown last; the first page begins nowhere. @type {string[]} */
  let cursors = [];
  /** @type {string | null} */
  let next = null;
  /** What was filled in when the first page was asked for: what is still being typed is not. @type {Record<string, string> | null} */
  let filters = null;
  /** What is under way: what was asked before it is not shown any more. @type {AbortController | null} */
  let current = null;

  const load = async () => {
    current?.abort();
    current = new AbortController();
    const { signal } = current;
    filters ??= filtersOf(form);
    if (panel.needs && !filters[panel.needs]) return show([], "Type an address to see its balances.");
    const after = cursors.at(-1);
    const variables = panel.pageInfo ? { ...filters, first: PAGE_SIZE, ...(after && { after }) } : filters;
    try {
      const [dashboard, missing] = await Promise.all([
        page.ask(panel.query, variables, signal),
        page.missing(),
      ]);
      if (signal.aborted) return;
      const pageInfo = panel.pageInfo?.(dashboard);
      next = pageInfo?.hasNextPage ? pageInfo.endCursor : null;
      show(panel.rows(dashboard, missing).map(tableRow), panel.empty ?? "Nothing to show.");
      page.onAnswer?.(dashboard);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof TokenRefused) page.onRefused();
      // Old rows stay, under a line that says why they are not renewed.
      else view.problem.textContent = messageOf(error);
    }
  };

  /** @param {HTMLElement[]} rows @param {string} otherwise */
  const show = (rows, otherwise) => {
    view.problem.textContent = "";
    view.body.replaceChildren(...rows);
    alignHeadings(view.body);
    view.note.textContent = rows.length === 0 ? otherwise : "";
    view.older.disabled = next === null;
    view.newest.disabled = cursors.length === 0;
  };

  const rewind = () => {
    cursors = [];
    next = null;
    filters = null;
  };
  const restart = () => {
    rewind();
    return load();
  };
  view.older.addEventListener("click", () => {
    if (next !== null) cursors = [...cursors, next];
    load();
  });
  view.newest.addEventListener("click", restart);
  form?.addEventListener("change", restart);
  // Enter in a field that was changed tells the change first: that asks already.
  form?.addEventListener("submit", (event) => event.preventDefault());
  root.addEventListener("toggle", () => {
    if (isOpen()) load();
  });
  const isOpen = () => root.hasAttribute("open");
  const clear = () => {
    current?.abort();
    rewind();
    form?.reset();
    show([], "");
  };
  return { load, clear, isOpen };
}

/** @param {HTMLElement} root @param {import("./panels.js").Panel} panel */
function draw(root, { headings, pageInfo }) {
  const title = find(root, "h2", HTMLElement).textContent ?? "";
  const body = element("tbody");
  const note = element("p", { class: "note" });
  const problem = element("p", { class: "problem", role: "alert" });
  const newest = element("button", { type: "button" }, "Newest");
  const older = element("button", { type: "button" }, "Older");
  const region = element(
    "div",
    { class: "scroll", role: "region", tabindex: "0", "aria-label": `${title}, table` },
    table(headings, title, body),
  );
  const pager = element(
    "p",
    { class: "pager", role: "group", "aria-label": `Pages of ${title}` },
    newest,
    older,
  );
  root.append(problem, region, note, ...(pageInfo ? [pager] : []));
  return { body, note, problem, newest, older };
}

/** A heading stands where the values of its column stand. @param {HTMLTableSectionElement} body */
function alignHeadings(body) {
  const headings = body.parentElement?.querySelectorAll("th") ?? [];
  body.querySelectorAll("tr:first-child > td").forEach((cell, column) => {
    headings[column]?.classList.toggle("number", cell.classList.contains("number"));
  });
}

/**
 * What is filled in, by name.
 * @param {HTMLFormElement | null} form
 * @returns {Record<string, string>}
 */
function filtersOf(form) {
  if (!form) return {};
  const given = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);
  return Object.fromEntries(given.filter(([, value]) => value !== ""));
}
