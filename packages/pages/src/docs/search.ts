import { type Entry, excerpt, rank } from "./rank.ts";

/** The search box of the pages for partners. `/` leads to it, arrows through its results, Escape closes it. */
const script = document.currentScript;
const box = document.querySelector("search");
const input = box?.querySelector("input");
const results = box?.querySelector("ul");
const status = box?.querySelector("[role=status]");
if (!(script instanceof HTMLScriptElement) || !box || !input || !results || !status)
  throw new Error("the page has no search box");
const site = new URL("..", script.src);

let entries: Promise<Entry[]> | undefined;

/** Loads the list of places when it is first asked for. */
function load(): Promise<Entry[]> {
  entries ??= fetch(new URL("docs/search.json", site)).then((answer) => answer.json() as Promise<Entry[]>);
  return entries;
}

async function show(): Promise<void> {
  const query = input?.value ?? "";
  const found = rank(await load(), query);
  // Another letter was typed meanwhile.
  if (query !== input?.value) return;
  results?.replaceChildren(...found.map((entry) => line(entry, query)));
  if (results) results.hidden = found.length === 0;
  if (status) status.textContent = query.trim() === "" ? "" : countOf(found.length);
}

const countOf = (count: number): string => (count === 0 ? "Nothing found" : `${count} found`);

function line(entry: Entry, query: string): HTMLLIElement {
  const link = document.createElement("a");
  link.href = new URL(entry.url, site).href;
  const title = document.createElement("strong");
  title.textContent = entry.heading === entry.page ? entry.page : `${entry.page}: ${entry.heading}`;
  const text = document.createElement("span");
  text.textContent = excerpt(entry, query);
  link.append(title, text);
  // A heading of this very page is gone to without a load.
  link.addEventListener("click", close);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function close(): void {
  if (!input || !results || !status) return;
  input.value = "";
  results.hidden = true;
  results.replaceChildren();
  status.textContent = "";
}

/** Moves the focus among the box and its results. */
function move(step: number): void {
  const stops: (HTMLElement | null | undefined)[] = [input, ...(results?.querySelectorAll("a") ?? [])];
  const focused = document.activeElement;
  const place = focused instanceof HTMLElement ? stops.indexOf(focused) : 0;
  stops[(place + step + stops.length) % stops.length]?.focus();
}

const KEYS: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  Escape: () => {
    close();
    input.focus();
  },
};

box.hidden = false;
input.addEventListener("focus", () => void load());
input.addEventListener("input", () => void show());
box.addEventListener("keydown", (event) => {
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act(event);
});
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") results.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea");
  if (event.key !== "/" || isTyping) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener("click", (event) => {
  if (event.target instanceof Node && !box.contains(event.target)) close();
});
