import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import type { Chain } from "../../../../src/chain/clients.ts";
import type { IndexedBlock } from "../../../../src/db/checkpoint.ts";
import { queryOne } from "../../../../src/db/query.ts";
import { sql } from "../../../../src/db/sql.ts";
import { showAddress } from "../address.ts";
import type { ChainView } from "./chain-view.ts";
import type { Check } from "./check.ts";
import type { Difference } from "./difference.ts";
import { atBlock } from "./state.ts";
import { findTransaction, readUnownedNonces } from "./unowned-nonces.ts";

interface WalletScope {
  pool: pg.Pool;
  chain: Chain;
  /** The given block; null: the indexed one. */
  asked: IndexedBlock | null;
}

const rowSchema = z.object({ address: z.custom<Hex>(), nextNonce: z.string().nullable() });
type WalletRow = z.output<typeof rowSchema>;

const HALT =
  "see `wallets list` and docs/sending.md#wallets: find out who holds the key, `wallets give-up` what is lost, `wallets resume`";

/** Returns the comparison of the nonces of a chain's sending wallets with their stored requests. */
export function walletCheck(scope: WalletScope): Check<WalletRow> {
  return {
    kind: "wallet",
    source: {
      table: "app.delegatee_wallet",
      key: [["address", "text"]],
      where: sql`t.chain_id = ${scope.chain.config.chainId}::int`,
      columns: sql`t.address, t.next_nonce::text`,
      row: rowSchema,
    },
    compare: (page) =>
      atBlock(scope, page, async (view) => {
        const differences: Difference[][] = [];
        for (const row of page.rows) differences.push(await compareWallet(scope, view, row));
        return differences;
      }),
  };
}

async function compareWallet(
  { pool, chain }: WalletScope,
  view: ChainView,
  { address, nextNonce }: WalletRow,
): Promise<Difference[]> {
  if (nextNonce === null) return [];
  const { chainId, confirmations } = chain.config;
  const chainNonce = await view.nonceOf(address);
  const finalNonce = await view.nonceOf(address, confirmations);
  const nonces = { block: view.block.number, chainNonce, finalNonce };
  const { unaccounted, premature } = await readMisfits(pool, { chainId, address }, nonces);
  const subject = { kind: "wallet", productType: null, object: showAddress(address) } as const;
  const differences: Difference[] = [];
  if (chainNonce > BigInt(nextNonce)) {
    differences.push({
      ...subject,
      field: "nextNonce",
      ours: nextNonce,
      chain: String(chainNonce),
      likelyCause: "the wallet's key is used elsewhere",
      whatToDo: HALT,
    });
  }
  if (unaccounted !== null) {
    differences.push({
      ...subject,
      field: "unmined request",
      ours: unaccounted,
      chain: `${finalNonce} nonces are used for good`,
      likelyCause: "its nonce was used by somebody else's transaction, or no worker drives the wallet",
      whatToDo: HALT,
    });
  }
  const end = finalNonce < BigInt(nextNonce) ? finalNonce : BigInt(nextNonce);
  const unowned = await readUnownedNonces(pool, { chainId, address }, end);
  if (unowned.count > 0) {
    const search = (nonce: bigint) => findTransaction(chain.client, address, nonce, view.block.number);
    differences.push({
      ...subject,
      field: "nonces of no request",
      ours: "no request",
      chain: await describeUnowned(unowned, search),
      likelyCause: "a restored backup lacks what the wallet sent, or its key was used elsewhere",
      whatToDo: `halt the chain's sending, and \`wallets resume ${chainId} ${showAddress(address)} --from-nonce ${unowned.first[0]}\` re-creates the requests that their transactions name (docs/operations/restore.md)`,
    });
  }
  if (premature !== null) {
    differences.push({
      ...subject,
      field: "mined request",
      ours: premature,
      chain: `${chainNonce} nonces are used`,
      likelyCause: "a reorg took its transaction out, and the worker has not noticed yet",
      whatToDo:
        "compare again in a minute; where it stays, look at the worker's log of this chain, and follow docs/operations/runbooks/send-nonce-gap.md where it has the alarm nonce-gap",
    });
  }
  return differences;
}

/** Names transactions that belong to no request: the first of them by their hashes, where the node has the states of their blocks. */
async function describeUnowned(
  { count, first }: { count: number; first: bigint[] },
  search: (nonce: bigint) => Promise<Hex | null>,
): Promise<string> {
  const named: string[] = [];
  for (const nonce of first) named.push(`nonce ${nonce} by ${(await search(nonce)) ?? "a transaction"}`);
  const more = count - first.length;
  return `${named.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

/** Nonces of a wallet at two blocks of the chain. */
interface WalletNonces {
  /** At the compared block. */
  block: bigint;
  chainNonce: bigint;
  /** At a final block. */
  finalNonce: bigint;
}

const misfitsSchema = z.object({ unaccounted: z.string().nullable(), premature: z.string().nullable() });

/** Returns requests of a wallet that do not fit its nonces on the chain, the lowest of each kind. */
async function readMisfits(
  pool: pg.Pool,
  { chainId, address }: { chainId: number; address: Hex },
  { block, chainNonce, finalNonce }: WalletNonces,
): Promise<z.output<typeof misfitsSchema>> {
  const ofWallet = sql`chain_id = ${chainId} AND wallet = ${address}`;
  const statement = sql`
    SELECT
       (SELECT request_id || ' (nonce ' || nonce || ')' FROM app.send_request
        WHERE ${ofWallet} AND state IN ('signed', 'broadcast') AND nonce < ${finalNonce}
        ORDER BY nonce LIMIT 1) AS unaccounted,
       (SELECT request_id || ' (nonce ' || nonce || ')' FROM app.send_request
        WHERE ${ofWallet} AND nonce >= ${chainNonce} AND mined_block <= ${block}
        ORDER BY nonce LIMIT 1) AS premature`;
  return queryOne(pool, statement, misfitsSchema);
}
