import { useState } from "preact/hooks";
import { useInstallation } from "../service/installation.ts";
import { useSession } from "../service/session.ts";
import type { Filter } from "./list-spec.ts";

interface Props {
  title: string;
  filters: readonly Filter[];
  query: Readonly<Record<string, string>>;
  onChange: (name: string, value: string | undefined) => void;
  onClear: () => void;
}

/**
 * Filters of a list, which are in the URL. On a phone they are folded behind a button. A text applies once it is finished: by
 * Enter, or by leaving the field.
 */
export function Filters({ title, filters, query, onChange, onClear }: Props) {
  const { me } = useSession();
  // Viewers may not filter by a user.
  const offered = filters.filter(({ name }) => me.role === "operator" || name !== "userAddress");
  const active = filters.filter(({ name }) => query[name]).length;
  const [isOpen, setOpen] = useState(false);
  return (
    <form
      class="filters"
      aria-label={`Filters of ${title}`}
      data-open={isOpen || undefined}
      onSubmit={(event) => event.preventDefault()}
    >
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {active > 0 ? `Filters (${active})` : "Filters"}
      </button>
      {offered.map((filter) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the field is inside, in a component
        <label key={filter.name} data-active={query[filter.name] ? "" : undefined}>
          <span>{filter.title}</span>
          <Field
            filter={filter}
            value={query[filter.name] ?? ""}
            onChange={(value) => onChange(filter.name, value)}
          />
        </label>
      ))}
      {active > 0 && (
        <button type="button" class="quiet" onClick={onClear}>
          Clear filters
        </button>
      )}
    </form>
  );
}

interface FieldProps {
  filter: Filter;
  value: string;
  onChange: (value: string | undefined) => void;
}

function Field({ filter, value, onChange }: FieldProps) {
  const installation = useInstallation();
  if (filter.words) {
    const words = typeof filter.words === "string" ? installation[filter.words] : toOptions(filter.words);
    const isKnown = value === "" || words.some((word) => word.value === value);
    return (
      <select
        name={filter.name}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      >
        <option value="">all</option>
        {!isKnown && <option value={value}>{value}</option>}
        {words.map((word) => (
          <option key={word.value} value={word.value}>
            {word.label}
          </option>
        ))}
      </select>
    );
  }
  if (filter.type === "time") {
    return (
      <input
        type="datetime-local"
        name={filter.name}
        value={toLocal(value)}
        onChange={({ currentTarget }) => onChange(toSeconds(currentTarget.value))}
      />
    );
  }
  return <TextField filter={filter} value={value} onChange={onChange} />;
}

function TextField({ filter, value, onChange }: FieldProps) {
  // A list that is read anew would take back what is not finished.
  const [draft, setDraft] = useState<string | null>(null);
  const finish = (text: string) => {
    setDraft(null);
    onChange(text.trim() || undefined);
  };
  return (
    <input
      name={filter.name}
      value={draft ?? value}
      size={filter.width ?? 12}
      placeholder={filter.placeholder}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      onChange={({ currentTarget }) => finish(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === "Enter") finish(currentTarget.value);
      }}
    />
  );
}

const toOptions = (words: readonly string[]) => words.map((word) => ({ value: word, label: word }));

/** The field shows UTC, as everything else does. */
const toLocal = (seconds: string) =>
  /^\d+$/.test(seconds) ? new Date(Number(seconds) * 1_000).toISOString().slice(0, 16) : "";

const toSeconds = (local: string) =>
  local ? String(Math.floor(Date.parse(`${local}Z`) / 1_000)) : undefined;
