import type { ListOrder } from "../claims/list-order.ts";
import { countRows, type ListedRow, type RowList, readSlice } from "../claims/list-read.ts";
import { type ListScope, scopesOn } from "../claims/list-scope.ts";
import type { Deps } from "../context/deps.ts";
import { operationList } from "../operations/list-store.ts";
import { operationOfRow } from "../operations/present.ts";
import { orderList } from "../orders/list-store.ts";
import { orderOfRow } from "../orders/shown.ts";
import { OPERATION_KINDS } from "../protocol/operations.ts";
import { presentBlocks, toConnection } from "./connection.ts";
import { chainsOf, parseOperations, parseOrders, type ScopeFilter } from "./input.ts";

/** Orders and operations of all API keys: the rows and presentation of the partners' lists, across scopes. */

/** GraphQL `Dashboard.orders`. @throws ApiError VALIDATION_FAILED, INDEXER_BEHIND */
export function listOrders(deps: Deps, args: Record<string, unknown>) {
  const input = parseOrders(args);
  return connect(deps, input, orderList(input, input.keyId ?? null), {
    list: "dashboard orders",
    present: (row) => ({ keyId: row.keyId, claimId: row.claimId, order: orderOfRow(row) }),
  });
}

/** GraphQL `Dashboard.operations`. @throws ApiError VALIDATION_FAILED, INDEXER_BEHIND */
export function listOperations(deps: Deps, args: Record<string, unknown>) {
  const input = parseOperations(args);
  const rows = operationList(input.kind ? [input.kind] : OPERATION_KINDS, input);
  return connect(deps, input, rows, {
    list: "dashboard operations",
    present: (row) => ({
      keyId: row.keyId,
      claimId: row.claimId,
      kind: row.kind,
      operation: operationOfRow(row.kind, row),
    }),
  });
}

interface Asked extends ScopeFilter {
  keyId?: string | undefined;
}

interface PageInput extends Asked {
  first: number;
  after?: string | undefined;
  orderBy: ListOrder["by"];
  direction: ListOrder["direction"];
}

async function connect<Row extends ListedRow, T>(
  deps: Deps,
  input: PageInput,
  rows: RowList<Row>,
  { list, present }: { list: string; present: (row: Row) => T },
) {
  const { first, after, orderBy: by, direction } = input;
  const [scope, chainIds] = [scopeOfAsked(deps, input), chainsOf(deps, input)];
  const name = { list, chainId: null, productType: null };
  const { blocks, data } = await readSlice(deps, scope, rows, {
    chainIds,
    name,
    first,
    after,
    order: { by, direction },
  });
  const presented = data.rows.map(({ cursor, row }) => ({ cursor, row: present(row) }));
  const connection = toConnection({ ...data, rows: presented }, input, () => countRows(deps, scope, rows));
  return { ...connection, indexedBlocks: presentBlocks(blocks, chainIds) };
}

/** Returns the scopes that a dashboard asks for. */
export const scopeOfAsked = (deps: Deps, asked: Asked): ListScope =>
  scopesOn(chainsOf(deps, asked), asked.productType, asked.keyId);
