/** Stores how the page is shown: the theme and hidden columns. It stores no data, and no token. */
export function remember(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`dashboard.${name}`);
    else localStorage.setItem(`dashboard.${name}`, value);
  } catch {
    // Storage may be full or switched off: the page works without it.
  }
}

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`dashboard.${name}`);
  } catch {
    return null;
  }
}
