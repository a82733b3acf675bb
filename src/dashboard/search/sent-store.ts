import type { Hex } from "viem";
import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { queryRows } from "../../db/query.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import { type SearchHit, titleOfSend } from "../titles.ts";

/** Finds requests to send, claims, and what else an HTTP request wrote. */

type Read = Pick<Deps, "pool">;

const sendSchema = z.object({
  requestId: z.string(),
  chainId: z.number(),
  productType: z.string(),
  operation: z.string(),
  symbol: z.string().nullable(),
  state: z.string(),
  keyName: z.string(),
});

const SEND = sql`
  SELECT r.request_id, r.chain_id, r.product_type, r.operation, r.symbol, r.state, k.name AS key_name
  FROM app.send_request r JOIN app.api_key k ON k.key_id = r.key_id`;

/** Returns the request to send with an id. */
export const findSend = (deps: Read, requestId: string): Promise<SearchHit[]> =>
  sends(deps, sql`r.request_id = ${requestId}::uuid`);

/** Returns the request that an attempt with this hash belongs to. */
export const findSendOfAttempt = (deps: Read, txHash: Hex): Promise<SearchHit[]> =>
  sends(deps, sql`r.request_id = (SELECT a.request_id FROM app.send_attempt a WHERE a.tx_hash = ${txHash})`);

async function sends({ pool }: Read, where: Sql): Promise<SearchHit[]> {
  const found = await queryRows(pool, sql`${SEND} WHERE ${where}`, sendSchema);
  return found.map(({ requestId: id, chainId, productType, ...send }) => ({
    kind: "send",
    id,
    chainId,
    productType,
    title: `${titleOfSend(send)} (${send.keyName})`,
  }));
}

const claimSchema = z.object({
  chainId: z.number(),
  productType: z.string(),
  operationType: z.string(),
  txHash: z.string().nullable(),
  requestId: z.string().nullable(),
  source: z.string(),
  keyName: z.string(),
});

const CLAIM = sql`
  SELECT c.chain_id, c.product_type, c.operation_type, c.tx_hash, c.source,
    k.name AS key_name, r.request_id
  FROM app.transaction_claim c JOIN app.api_key k ON k.key_id = c.key_id
  LEFT JOIN app.send_request r ON r.claim_id = c.claim_id`;

/** More than one client uses an identifier for. */
const CLAIMS_MAX = 20;

/** Returns what claims to a transaction lead to: the transaction. */
export const findClaimsTo = (deps: Read, chainIds: readonly number[], txHash: Hex): Promise<SearchHit[]> =>
  claims(deps, sql`c.chain_id = ANY(${chainIds}::int[]) AND c.tx_hash = ${txHash}`);

/** Returns what a mapping leads to. */
export const findClaim = (deps: Read, claimId: string): Promise<SearchHit[]> =>
  claims(deps, sql`c.claim_id = ${claimId}::uuid`);

/** Returns what the claims under a caller's own identifier lead to. */
export const findClientOrders = (deps: Read, clientOrderId: string): Promise<SearchHit[]> =>
  claims(deps, sql`c.client_order_id = ${clientOrderId}`);

/** Returns hits of claims: a claim leads to its transaction, or to its request while that is not signed. */
async function claims({ pool }: Read, where: Sql): Promise<SearchHit[]> {
  const statement = sql`${CLAIM} WHERE ${where} ORDER BY c.created_at, c.claim_id LIMIT ${CLAIMS_MAX}`;
  const found = await queryRows(pool, statement, claimSchema);
  return found.flatMap(({ chainId, productType, txHash, requestId, ...claim }): SearchHit[] => {
    const title = `${claim.operationType}, ${SOURCES[claim.source] ?? claim.source} (${claim.keyName})`;
    if (txHash !== null) return [{ kind: "transaction", id: txHash, chainId, productType, title }];
    return requestId === null ? [] : [{ kind: "send", id: requestId, chainId, productType, title }];
  });
}

const SOURCES: Readonly<Record<string, string>> = {
  send: "sent",
  attributed: "attributed by its suffix",
  recorded: "recorded",
};

const requestSchema = z.object({
  what: z.string(),
  chainId: z.number(),
  productType: z.string(),
  keyName: z.string(),
});

/** Returns the HTTP request that was answered with a uuid, where it wrote something, and what it wrote behind it. */
export async function findRequest(deps: Read, uuid: string): Promise<SearchHit[]> {
  const is = (alias: string) => sql`${raw(alias)}.envelope_uuid = ${uuid}::uuid`;
  const statement = sql`
    SELECT w.what, w.chain_id, w.product_type, k.name AS key_name FROM (
      SELECT r.operation AS what, r.chain_id, r.product_type, r.key_id FROM app.send_request r WHERE ${is("r")}
      UNION ALL SELECT 'record of a ' || c.operation_type, c.chain_id, c.product_type, c.key_id
      FROM app.transaction_claim c WHERE ${is("c")}
      UNION ALL SELECT 'webhook ' || h.webhook_id, h.chain_id, h.product_type, h.key_id
      FROM app.webhook h WHERE ${is("h")}) w
    JOIN app.api_key k ON k.key_id = w.key_id`;
  const [wrote, sent, recorded] = await Promise.all([
    queryRows(deps.pool, statement, requestSchema),
    sends(deps, is("r")),
    claims(deps, is("c")),
  ]);
  const written = wrote.map(
    ({ what, keyName, ...scope }): SearchHit => ({
      kind: "request",
      id: uuid,
      ...scope,
      title: `Wrote: ${what} (${keyName})`,
    }),
  );
  return [...written, ...sent, ...recorded];
}
