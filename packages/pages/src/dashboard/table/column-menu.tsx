import { useEffect, useRef } from "preact/hooks";
import type { Visibility } from "./columns.ts";
import type { Column } from "./list-spec.ts";

interface Props {
  columns: readonly Pick<Column<never>, "id" | "title">[];
  visibility: Visibility;
  onChange: (visibility: Visibility) => void;
}

/** Chooses the shown columns. Escape, or a click elsewhere, closes it. */
export function ColumnMenu({ columns, visibility, onChange }: Props) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const { current } = menu;
      if (!current?.open) return;
      if (event instanceof KeyboardEvent ? event.key === "Escape" : !current.contains(event.target as Node)) {
        current.open = false;
      }
    };
    document.addEventListener("keydown", close);
    document.addEventListener("pointerdown", close);
    return () => {
      document.removeEventListener("keydown", close);
      document.removeEventListener("pointerdown", close);
    };
  }, []);
  const shown = columns.filter(({ id }) => visibility[id]);
  return (
    <details class="menu" ref={menu}>
      <summary>
        Columns {shown.length}/{columns.length}
      </summary>
      <fieldset>
        <legend>Columns that show</legend>
        {columns.map(({ id, title }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={visibility[id] ?? false}
              disabled={shown.length === 1 && visibility[id] === true}
              onChange={({ currentTarget }) => onChange({ ...visibility, [id]: currentTarget.checked })}
            />
            {title}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
