import { useState } from "preact/hooks";
import { recall, remember } from "../frame/storage.ts";
import type { Column } from "./list-spec.ts";

export type Visibility = Record<string, boolean>;

/** Returns the shown columns of a list, as the reader chose them last, and a function that changes them. */
export function useVisibility(
  list: string,
  columns: readonly Pick<Column<never>, "id" | "isHidden">[],
): [Visibility, (visibility: Visibility) => void] {
  const [visibility, setVisibility] = useState(() => visibilityOf(columns, recall(`columns.${list}`)));
  const change = (next: Visibility) => {
    setVisibility(next);
    remember(`columns.${list}`, JSON.stringify(next));
  };
  return [visibility, change];
}

/** New columns, without a stored choice, show as their list specifies. */
export function visibilityOf(
  columns: readonly Pick<Column<never>, "id" | "isHidden">[],
  kept: string | null,
): Visibility {
  const chosen = parse(kept);
  return Object.fromEntries(columns.map(({ id, isHidden }) => [id, chosen[id] ?? !isHidden]));
}

function parse(kept: string | null): Visibility {
  try {
    const parsed: unknown = JSON.parse(kept ?? "{}");
    if (typeof parsed !== "object" || parsed === null) return {};
    return Object.fromEntries(Object.entries(parsed).filter(([, shows]) => typeof shows === "boolean"));
  } catch {
    return {};
  }
}
