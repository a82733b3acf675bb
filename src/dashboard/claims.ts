import type { Hex } from "viem";
import { z } from "zod";
import type { TokenMetadata } from "../chain/token-metadata.ts";
import type { ListOrder } from "../claims/list-order.ts";
import { scopesOn } from "../claims/list-scope.ts";
import { countRows, readSlice } from "../claims/page-store.ts";
import type { ClaimRows } from "../claims/settled-page-store.ts";
import type { Deps } from "../context/deps.ts";
import { Prisma } from "../db/generated/client.ts";
import { OPERATION_KINDS, type OperationKind } from "../operations/kinds.ts";
import { presentOperation } from "../operations/present.ts";
import { type MappedOperation, operationRows, parseOperationRow } from "../operations/store.ts";
import { orderRows } from "../orders/list-store.ts";
import { presentOrder } from "../orders/present.ts";
import { parseOrderRow } from "../orders/store.ts";
import { ApiError } from "../protocol/errors.ts";
import { presentBlocks, toConnection } from "./connection.ts";
import { chainsOf, parseOperations, parseOrders, type ScopeFilter } from "./input.ts";

/** Orders and operations of all API keys: the rows, statuses and presentation of the partners' lists, across scopes. */

const ownerSchema = z.object({ key_id: z.string(), claim_id: z.string() });

/** GraphQL `Dashboard.orders`. @throws ApiError VALIDATION_FAILED, INDEXER_BEHIND */
export async function listOrders(deps: Deps, args: Record<string, unknown>) {
  const input = parseOrders(args);
  const rows = withinScopes(deps, input, orderRows(input));
  const name = { list: "dashboard orders", chainId: null, productType: null };
  const { blocks, data } = await readSlice(deps.prisma, { ...rows, name, ...pageOf(input) }, (row) => ({
    ...ownerOf(row),
    order: presentOrder(parseOrderRow(row)),
  }));
  const connection = toConnection(data, input, () => countRows(deps.prisma, rows));
  return { ...connection, indexedBlocks: presentBlocks(blocks, chainsOf(deps, input)) };
}

/** GraphQL `Dashboard.operations`. @throws ApiError VALIDATION_FAILED, INDEXER_BEHIND */
export async function listOperations(deps: Deps, args: Record<string, unknown>) {
  const input = parseOperations(args);
  const kinds = input.kind ? [input.kind] : OPERATION_KINDS;
  const rows = withinScopes(deps, input, operationRows(kinds, input));
  const name = { list: "dashboard operations", chainId: null, productType: null };
  const { blocks, data } = await readSlice(deps.prisma, { ...rows, name, ...pageOf(input) }, (row) => ({
    ...ownerOf(row),
    mapped: parseOperationRow(row),
  }));
  const symbols = await symbolsOf(
    deps,
    data.rows.map(({ row }) => row.mapped),
  );
  const presented = data.rows.map(({ cursor, row: { mapped, ...owner } }) => {
    const kind = kindOf(mapped);
    const operation = presentOperation(kind, mapped, symbols.get(mapped.claim.chain_id) ?? new Map());
    return { cursor, row: { ...owner, kind, operation } };
  });
  const connection = toConnection({ ...data, rows: presented }, input, () => countRows(deps.prisma, rows));
  return { ...connection, indexedBlocks: presentBlocks(blocks, chainsOf(deps, input)) };
}

interface Asked extends ScopeFilter {
  keyId?: string | undefined;
}

interface PageInput {
  first: number;
  after?: string | undefined;
  orderBy: ListOrder["by"];
  direction: ListOrder["direction"];
}

const pageOf = ({ first, after, orderBy, direction }: PageInput) => ({
  first,
  after,
  order: { by: orderBy, direction },
});

/** Returns the rows that a dashboard asks for, each with the key that owns it. */
export function withinScopes(deps: Deps, asked: Asked, rows: Omit<ClaimRows, "scope">): ClaimRows {
  const { productType, keyId } = asked;
  const conditions = [
    Prisma.sql`c.chain_id = ANY(${chainsOf(deps, asked)})`,
    ...(productType === undefined ? [] : [Prisma.sql`c.product_type = ${productType}`]),
    ...(keyId === undefined ? [] : [Prisma.sql`c.key_id = ${keyId}::uuid`]),
    rows.where,
  ];
  return {
    ...rows,
    scope: scopesOn(chainsOf(deps, asked), productType, keyId),
    columns: Prisma.sql`${rows.columns}, c.key_id::text AS key_id`,
    where: Prisma.join(conditions, " AND "),
  };
}

function ownerOf(row: Record<string, unknown>): { keyId: string; claimId: string } {
  const { key_id, claim_id } = ownerSchema.parse(row);
  return { keyId: key_id, claimId: claim_id };
}

/** Of a claim whose transaction is not indexed only its own word is known. */
function kindOf({ claim, operation }: MappedOperation): OperationKind {
  return operation?.kind ?? z.enum(OPERATION_KINDS).parse(claim.operation_type);
}

type Symbols = ReadonlyMap<Hex, TokenMetadata>;

/** Returns what the operations' tokens call themselves, by chain. A node that is down leaves its chain's symbols empty. */
async function symbolsOf(deps: Deps, rows: readonly MappedOperation[]): Promise<Map<number, Symbols>> {
  const chainIds = [...new Set(rows.map(({ claim }) => claim.chain_id))];
  const entries = await Promise.all(
    chainIds.map(async (chainId) => {
      const ofChain = rows.filter(({ claim }) => claim.chain_id === chainId);
      const tokens = new Set(ofChain.flatMap(({ operation }) => operation?.token_address ?? []));
      return [chainId, await metadataOf(deps, chainId, [...tokens])] as const;
    }),
  );
  return new Map(entries);
}

async function metadataOf({ chains }: Deps, chainId: number, tokens: Hex[]): Promise<Symbols> {
  try {
    return (await chains.get(chainId)?.tokens.metadata(tokens)) ?? new Map();
  } catch (error) {
    if (error instanceof ApiError && error.errCode === "RPC_UNAVAILABLE") return new Map();
    throw error;
  }
}
