import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import type { Hex } from "viem";
import { inSnapshot } from "../../db/transaction.ts";
import { ApiError } from "../../protocol/errors.ts";
import { OPERATIONS } from "../../protocol/operations.ts";
import { FIRST_CLAIM } from "./changes-store.ts";
import {
  type Part,
  type Projection,
  type RowText,
  readClaims,
  readDecidedByDue,
  readProjections,
  readRows,
} from "./check-store.ts";
import type { CurrentRow } from "./compare.ts";
import { DATA_SHAPE } from "./key-rows.ts";
import { readCurrent } from "./rows-store.ts";
import type { Symbols } from "./symbols.ts";

// Compares app.key_order and app.key_operation with what claims own by the index, row by row and column by column. It shares no code with what
// writes the rows, except for the presentation of an order or operation.

/** A value of a row that is not what its claim owns. */
export interface RowDifference {
  claimId: string;
  /** The resource of its events, such as "orders". */
  list: string;
  ordinal: number;
  /** A column, or a field of `data`, such as "data.price"; "row" where there is one too few or too many. */
  column: string;
  expected: string | null;
  found: string | null;
}

/**
 * Compares the rows of a part with what claims own, in the transaction of `client`.
 * @param known names of tokens; without them, the rows' own
 * @throws ApiError INDEXER_BEHIND
 */
export async function compareRows(
  client: pg.PoolClient,
  chainId: number,
  { part, known }: { part: Part; known?: Symbols },
): Promise<{ claimIds: string[]; differences: RowDifference[] }> {
  const claimIds = await readClaims(client, chainId, part);
  const found = await readRows(client, chainId, { part, claimIds });
  const symbols = known ?? symbolsOf(found);
  const current = await readCurrent(client, { chainId, claimIds, symbols });
  const owned = current.map((row): NamedRow => {
    const { claimId, resource: list, ordinal } = row;
    return { claimId, list, ordinal, texts: ownedTexts(chainId, row) };
  });
  return { claimIds, differences: differencesOf(owned, found.map(named)) };
}

type Name = Pick<RowDifference, "claimId" | "list" | "ordinal">;
type NamedRow = Name & { texts: RowText };

const nameOf = ({ claimId, list, ordinal }: Name): string => `${claimId} ${list} ${ordinal}`;

const LISTS: Readonly<Record<string, { path: string }>> = OPERATIONS;
/** Columns that name the times of a row. */
const TIMES = new Set(["created_at", "updated_at"]);

function named(row: RowText): NamedRow {
  const texts = Object.fromEntries(
    Object.entries(row).map(([column, text]) => [column, TIMES.has(column) && text ? isoOf(text) : text]),
  );
  const { claim_id: claimId, ordinal, kind } = texts;
  const list = typeof kind === "string" ? (LISTS[kind]?.path ?? kind) : "orders";
  return { claimId: String(claimId), list, ordinal: Number(ordinal), texts };
}

const isoOf = (time: string | number): string => new Date(time).toISOString();

/** Returns the expected columns of a row. */
function ownedTexts(chainId: number, row: CurrentRow): RowText {
  const { claimId, ordinal, keyId, productType, txHash, type, rowHash, blockNumber, objectId } = row;
  const { createdMs, updatedMs, ...columns } = row.columns;
  const values: Readonly<Record<string, unknown>> = {
    claimId,
    ordinal,
    keyId,
    chainId,
    productType,
    txHash,
    type,
    rowHash,
    blockNumber,
    [row.resource === "orders" ? "orderId" : "operationId"]: objectId,
    ...columns,
    createdAt: isoOf(createdMs),
    updatedAt: isoOf(updatedMs),
    unreported: false,
    data: objectId === null ? null : row.data,
    dataShape: DATA_SHAPE,
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value === null ? null : String(value),
    ]),
  );
}

function differencesOf(owned: readonly NamedRow[], found: readonly NamedRow[]): RowDifference[] {
  const rows = new Map(found.map((row) => [nameOf(row), row]));
  const names = new Set(owned.map(nameOf));
  return [
    ...owned.flatMap((row) => {
      const other = rows.get(nameOf(row));
      return other ? columnDifferences(row, other) : [rowDifference(row, "one", "none")];
    }),
    ...found.filter((row) => !names.has(nameOf(row))).map((row) => rowDifference(row, "none", "one")),
  ];
}

const rowDifference = ({ claimId, list, ordinal }: Name, expected: string, found: string): RowDifference => ({
  claimId,
  list,
  ordinal,
  column: "row",
  expected,
  found,
});

function columnDifferences({ texts: owned, ...name }: NamedRow, { texts: found }: NamedRow): RowDifference[] {
  const columns = [...new Set([...Object.keys(owned), ...Object.keys(found)])];
  return columns.flatMap((column) => {
    const [expected, actual] = [owned[column] ?? null, found[column] ?? null];
    if (expected === actual) return [];
    const whole = [{ ...name, column, expected, found: actual }];
    if (column !== "data") return whole;
    const fields = fieldDifferences(expected, actual).map((field) => ({ ...name, ...field }));
    return fields.length > 0 ? fields : whole;
  });
}

/** Returns the fields of `data` that differ; none where that is not what differs. */
function fieldDifferences(expected: string | null, found: string | null) {
  const [owned, actual] = [fieldsOf(expected), fieldsOf(found)];
  if (!owned || !actual) return [];
  return [...new Set([...owned.keys(), ...actual.keys()])]
    .map((column) => ({ column, expected: owned.get(column) ?? null, found: actual.get(column) ?? null }))
    .filter((field) => field.expected !== field.found);
}

/** Returns the fields of a JSON object by their paths, as JSON; null where there is none. */
function fieldsOf(data: string | null): Map<string, string> | null {
  const fields = new Map<string, string>();
  const add = (path: string, value: unknown): void => {
    if (typeof value !== "object" || value === null) fields.set(path, JSON.stringify(value));
    else for (const [name, each] of Object.entries(value)) add(`${path}.${name}`, each);
  };
  const parsed = parseJson(data);
  if (typeof parsed !== "object" || parsed === null) return null;
  add("data", parsed);
  return fields;
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

/** Returns the names of tokens that rows carry: rows of one token that do not agree differ. */
function symbolsOf(rows: readonly RowText[]): Symbols {
  const symbols = new Map<Hex, { symbol: string }>();
  for (const { token_address: token, data } of rows) {
    const symbol = fieldsWith(data ?? null, "tokenSymbol");
    if (token && symbol !== undefined) symbols.set(token as Hex, { symbol });
  }
  return symbols;
}

function fieldsWith(data: string | null, field: string): string | undefined {
  const found = [...(fieldsOf(data) ?? [])].find(([path]) => path.endsWith(`.${field}`));
  const value = parseJson(found?.[1] ?? null);
  return typeof value === "string" ? value : undefined;
}

/** A step of a check, for the report. */
export interface Checked {
  /** Claims that were compared. */
  claims: number;
  differences: RowDifference[];
  /** Claims with rows that differ, and that the projection has not got to. */
  behind: string[];
}

/** Claims that are compared together, in one short transaction. */
const PAGE = 200;
/** Comparisons of a claim that differs in the first one: the last ones are for a projection that is behind. */
const ROUNDS_MAX = 10;
/** Between two comparisons, ms: longer than a projector takes to find what a reorg changed without a trace. */
const PAUSE_MS = 3_000;

export interface CheckOptions {
  chainId: number;
  /** A claim that alone is compared. */
  claimId?: string | undefined;
  pauseMs?: number | undefined;
}

/**
 * Compares the rows of a chain with what claims own, a page of claims at a time. What differs is compared again after a pause, and is
 * a difference only where the projection has got to it: claims, index and rows change meanwhile.
 */
export async function* checkRows(pool: pg.Pool, options: CheckOptions): AsyncGenerator<Checked> {
  const { chainId, claimId, pauseMs = PAUSE_MS } = options;
  const compare = (part: Part) => compareWhenReady(pool, { chainId, part, pauseMs });
  let suspects: string[] = [];
  let after = FIRST_CLAIM;
  for (;;) {
    const { claimIds, differences } = await compare(claimId ? { only: [claimId] } : { after, max: PAGE });
    suspects.push(...new Set(differences.map((difference) => difference.claimId)));
    yield { claims: claimIds.length, differences: [], behind: [] };
    after = claimIds.at(-1) ?? after;
    const isLast = claimIds.length < PAGE;
    if (suspects.length >= PAGE || isLast) {
      yield { claims: 0, ...(await confirm(compare, suspects, pauseMs)) };
      suspects = [];
    }
    if (isLast) return;
  }
}

async function confirm(
  compare: (part: Part) => Promise<Comparison>,
  suspects: readonly string[],
  pauseMs: number,
): Promise<Pick<Checked, "differences" | "behind">> {
  const confirmed: RowDifference[] = [];
  let left = suspects;
  for (let round = 1; round < ROUNDS_MAX && left.length > 0; round++) {
    await wait(pauseMs);
    const { differences, behind } = await compare({ only: left });
    confirmed.push(...differences.filter(({ claimId }) => !behind.has(claimId)));
    left = [...behind];
  }
  return { differences: confirmed, behind: [...left] };
}

/** The result of a comparison in one snapshot. */
interface Comparison {
  claimIds: string[];
  differences: RowDifference[];
  /** Claims with differences that the projection has not got to. */
  behind: ReadonlySet<string>;
}

/** Compares again where the index is not ready. */
async function compareWhenReady(
  pool: pg.Pool,
  { chainId, part, pauseMs }: { chainId: number; part: Part; pauseMs: number },
): Promise<Comparison> {
  for (let round = 1; ; round++) {
    try {
      return await inSnapshot(pool, (client) => comparePart(client, chainId, part));
    } catch (error) {
      if (!(error instanceof ApiError && error.errCode === "INDEXER_BEHIND")) throw error;
      if (round === ROUNDS_MAX) throw new Error(`the index of chain ${chainId} is not ready: try again`);
      await wait(pauseMs);
    }
  }
}

async function comparePart(client: pg.PoolClient, chainId: number, part: Part): Promise<Comparison> {
  const { claimIds, differences } = await compareRows(client, chainId, { part });
  const differing = [...new Set(differences.map(({ claimId }) => claimId))];
  const projection = (await readProjections(client)).find((each) => each.chainId === chainId);
  const due = new Set(await readDecidedByDue(client, chainId, differing));
  const isBehind = (claimId: string) => !projection || !hasReached(projection, claimId) || due.has(claimId);
  return { claimIds, differences, behind: new Set(differing.filter(isBehind)) };
}

/** Returns true where the rows of a claim should equal those of the index. */
const hasReached = ({ block, buildId, filledTo, indexed }: Projection, claimId: string): boolean =>
  indexed?.block === block && indexed.buildId === buildId && (filledTo === null || claimId <= filledTo);
