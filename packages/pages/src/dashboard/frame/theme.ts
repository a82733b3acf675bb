import { useEffect, useState } from "preact/hooks";
import { recall, remember } from "./storage.ts";

export type Theme = "light" | "dark";

const systemDark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let chosen = recall("theme");

/** Returns the shown theme: the reader's choice, else the system's. */
export function currentTheme(): Theme {
  if (chosen === "light" || chosen === "dark") return chosen;
  return systemDark.matches ? "dark" : "light";
}

function show(): void {
  document.documentElement.dataset.theme = currentTheme();
  for (const listener of listeners) listener();
}

export function toggleTheme(): void {
  chosen = currentTheme() === "dark" ? "light" : "dark";
  // Choosing the system's theme follows the system again.
  remember("theme", (chosen === "dark") === systemDark.matches ? null : chosen);
  show();
}

systemDark.addEventListener("change", () => {
  chosen = recall("theme");
  show();
});
show();

export function useTheme(): Theme {
  const [theme, setTheme] = useState(currentTheme);
  useEffect(() => {
    const change = () => setTheme(currentTheme());
    listeners.add(change);
    return () => void listeners.delete(change);
  }, []);
  return theme;
}
