import { useEffect, useRef, useState } from "preact/hooks";
import { type Ask, messageOf, TokenRefused } from "../service/ask.ts";
import { useSession } from "../service/session.ts";
import { flatten, toCsv } from "./csv.ts";
import type { ListSpec } from "./list-spec.ts";

/** Maximum of rows that the service answers at once. */
const PAGE_MAX = 100;

interface Props<Result, Row extends object> {
  spec: ListSpec<Result, Row>;
  /** Filters and order of the list, without its page. */
  variables: Record<string, unknown>;
}

/** Saves all rows that the filters match as a CSV file, page by page; a second click ends it, and nothing is saved. */
export function ExportButton<Result, Row extends object>({ spec, variables }: Props<Result, Row>) {
  const session = useSession();
  const [count, setCount] = useState<number | null>(null);
  const [error, setError] = useState<string | null>(null);
  const reading = useRef<AbortController | null>(null);
  useEffect(() => () => reading.current?.abort(), []);
  const run = async () => {
    const controller = new AbortController();
    reading.current = controller;
    const { signal } = controller;
    setError(null);
    setCount(0);
    try {
      const records = await readAll(session.ask, spec, variables, { signal, onCount: setCount });
      save(`${spec.name}.csv`, toCsv(records));
    } catch (failure) {
      if (failure instanceof TokenRefused) return session.refuse();
      if (!signal.aborted) setError(messageOf(failure));
    } finally {
      setCount(null);
    }
  };
  return (
    <span class="export">
      {error && (
        <span class="problem" role="alert">
          {error}
        </span>
      )}
      <button type="button" onClick={() => (count === null ? void run() : reading.current?.abort())}>
        {count === null ? "Export CSV" : `Stop (${count.toLocaleString("en")} read)`}
      </button>
    </span>
  );
}

interface Reading {
  signal: AbortSignal;
  onCount: (count: number) => void;
}

async function readAll<Result, Row extends object>(
  ask: Ask,
  spec: ListSpec<Result, Row>,
  variables: Record<string, unknown>,
  { signal, onCount }: Reading,
): Promise<Record<string, string>[]> {
  const records: Record<string, string>[] = [];
  for (let after: string | null = null; ; ) {
    const page = { ...variables, first: PAGE_MAX, ...(after === null ? {} : { after }) };
    const result: Result = await ask(spec.document, page, signal);
    signal.throwIfAborted();
    for (const row of spec.rows(result)) records.push(flatten(spec.recordOf?.(row) ?? row));
    onCount(records.length);
    const { hasNextPage, endCursor } = spec.connection(result).pageInfo;
    if (!hasNextPage || endCursor === null) return records;
    after = endCursor;
  }
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
