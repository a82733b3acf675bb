import { hrefOf } from "./route.ts";
import { navigate } from "./use-route.ts";
import { VIEWS } from "./views.ts";

/** Time that `g` waits for its second key. */
const CHORD_MS = 1_500;

interface Actions {
  search(): void;
  help(): void;
}

/** Listens for the keys that the help names, except in fields. Returns a function that ends it. */
export function listenForShortcuts({ search, help }: Actions): () => void {
  let chordAt = Number.NEGATIVE_INFINITY;
  const keydown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    if (key === "Escape" && target instanceof HTMLElement) return target.blur();
    if (isField(target) || document.querySelector("dialog[open]")) return;
    const isChord = performance.now() - chordAt < CHORD_MS;
    chordAt = key === "g" ? performance.now() : Number.NEGATIVE_INFINITY;
    const view = isChord ? VIEWS.find((candidate) => candidate.key === key) : undefined;
    const action = view
      ? () => navigate(hrefOf([view.name]))
      : { "/": search, "?": help, j: down, k: up, Enter: open }[key];
    if (!action || (key === "Enter" && !isRow(target))) return;
    event.preventDefault();
    action();
  };
  document.addEventListener("keydown", keydown);
  return () => document.removeEventListener("keydown", keydown);
}

/** Returns true for an element that takes typed keys. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]");

const isRow = (target: EventTarget | null) => target instanceof HTMLElement && target.matches("[data-row]");

const down = () => move(1);
const up = () => move(-1);

/** Moves the focus to the next row of tables or cards, or the one before. */
function move(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1);
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: "nearest" });
}

function open(): void {
  document.activeElement?.querySelector<HTMLAnchorElement>("a[data-open]")?.click();
}
