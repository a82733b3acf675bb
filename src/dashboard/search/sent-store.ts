import type { Hex } from "viem";
import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { Prisma } from "../../db/generated/client.ts";
import { selectRows } from "../rows.ts";
import { type SearchHit, titleOfSend } from "../titles.ts";

/** Finds requests to send, claims, and what else an HTTP request wrote. */

type Read = Pick<Deps, "prisma">;

const sendSchema = z.object({
  request_id: z.string(),
  chain_id: z.number(),
  product_type: z.string(),
  operation: z.string(),
  symbol: z.string().nullable(),
  state: z.string(),
  key_name: z.string(),
});

const SEND = Prisma.sql`
  SELECT r.request_id::text AS request_id, r.chain_id, r.product_type, r.operation, r.symbol, r.state, k.name AS key_name
  FROM app.send_request r JOIN app.api_key k ON k.key_id = r.key_id`;

/** Returns the request to send with an id. */
export const findSend = (deps: Read, requestId: string): Promise<SearchHit[]> =>
  sends(deps, Prisma.sql`r.request_id = ${requestId}::uuid`);

/** Returns the request that an attempt with this hash belongs to. */
export const findSendOfAttempt = (deps: Read, txHash: Hex): Promise<SearchHit[]> =>
  sends(
    deps,
    Prisma.sql`r.request_id = (SELECT a.request_id FROM app.send_attempt a WHERE a.tx_hash = ${txHash})`,
  );

async function sends({ prisma }: Read, where: Prisma.Sql): Promise<SearchHit[]> {
  const rows = await selectRows(prisma, Prisma.sql`${SEND} WHERE ${where}`);
  return rows.map((row) => {
    const { request_id: id, chain_id: chainId, product_type: productType, ...send } = sendSchema.parse(row);
    return { kind: "send", id, chainId, productType, title: `${titleOfSend(send)} (${send.key_name})` };
  });
}

const claimSchema = z.object({
  chain_id: z.number(),
  product_type: z.string(),
  operation_type: z.string(),
  tx_hash: z.string().nullable(),
  request_id: z.string().nullable(),
  source: z.string(),
  key_name: z.string(),
});

const CLAIM = Prisma.sql`
  SELECT c.chain_id, c.product_type, c.operation_type::text AS operation_type, c.tx_hash, c.source::text AS source,
    k.name AS key_name, r.request_id::text AS request_id
  FROM app.transaction_claim c JOIN app.api_key k ON k.key_id = c.key_id
  LEFT JOIN app.send_request r ON r.claim_id = c.claim_id`;

/** More than one client uses an identifier for. */
const CLAIMS_MAX = 20;

/** Returns what claims to a transaction lead to: the transaction. */
export const findClaimsTo = (deps: Read, chainIds: readonly number[], txHash: Hex): Promise<SearchHit[]> =>
  claims(deps, Prisma.sql`c.chain_id = ANY(${chainIds}::int[]) AND c.tx_hash = ${txHash}`);

/** Returns what a mapping leads to. */
export const findClaim = (deps: Read, claimId: string): Promise<SearchHit[]> =>
  claims(deps, Prisma.sql`c.claim_id = ${claimId}::uuid`);

/** Returns what the claims under a caller's own identifier lead to. */
export const findClientOrders = (deps: Read, clientOrderId: string): Promise<SearchHit[]> =>
  claims(deps, Prisma.sql`c.client_order_id = ${clientOrderId}`);

/** A claim leads to its transaction; one whose request is not signed, to the request. */
async function claims({ prisma }: Read, where: Prisma.Sql): Promise<SearchHit[]> {
  const rows = await selectRows(
    prisma,
    Prisma.sql`${CLAIM} WHERE ${where} ORDER BY c.created_at, c.claim_id LIMIT ${CLAIMS_MAX}`,
  );
  return rows.flatMap((row): SearchHit[] => {
    const claim = claimSchema.parse(row);
    const { chain_id: chainId, product_type: productType, tx_hash: txHash, request_id: requestId } = claim;
    const title = `${claim.operation_type}, ${SOURCES[claim.source] ?? claim.source} (${claim.key_name})`;
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
  chain_id: z.number(),
  product_type: z.string(),
  key_name: z.string(),
});

/** Returns the HTTP request that was answered with a uuid, where it wrote something, and what it wrote behind it. */
export async function findRequest(deps: Read, uuid: string): Promise<SearchHit[]> {
  const is = (alias: string) => Prisma.sql`${Prisma.raw(alias)}.envelope_uuid = ${uuid}::uuid`;
  const [rows, sent, recorded] = await Promise.all([
    selectRows(
      deps.prisma,
      Prisma.sql`
        SELECT w.what, w.chain_id, w.product_type, k.name AS key_name FROM (
          SELECT r.operation AS what, r.chain_id, r.product_type, r.key_id FROM app.send_request r WHERE ${is("r")}
          UNION ALL SELECT 'record of a ' || c.operation_type, c.chain_id, c.product_type, c.key_id
          FROM app.transaction_claim c WHERE ${is("c")}
          UNION ALL SELECT 'webhook ' || h.webhook_id, h.chain_id, h.product_type, h.key_id
          FROM app.webhook h WHERE ${is("h")}) w
        JOIN app.api_key k ON k.key_id = w.key_id`,
    ),
    sends(deps, is("r")),
    claims(deps, is("c")),
  ]);
  const wrote = rows.map((row): SearchHit => {
    const { what, chain_id: chainId, product_type: productType, key_name } = requestSchema.parse(row);
    return { kind: "request", id: uuid, chainId, productType, title: `Wrote: ${what} (${key_name})` };
  });
  return [...wrote, ...sent, ...recorded];
}
