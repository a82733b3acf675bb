import { type Hex, parseEventLogs } from "viem";
import type { Chain } from "../../chain/clients.ts";
import { findTransaction, type Logs, type TransactionStatus } from "../../chain/receipts.ts";
import type { Deps } from "../../context/deps.ts";
import { cashierAbi, stockAbi } from "../../contracts/abi/index.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { SearchHit } from "../titles.ts";
import { findObjects } from "./object-store.ts";

/** Asks nodes about a transaction; null where no node knows it, or none answers. */
export async function askNodes(chain: Chain, txHash: Hex): Promise<TransactionStatus | null> {
  try {
    const status = await findTransaction(chain, txHash);
    return status.state === "unknown" ? null : status;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** More than a settler fills by one transaction. */
const OBJECTS_MAX = 10;

/** An order or operation that an event names. */
interface Named {
  kind: "order" | "operation";
  id: Hex;
}

/** Returns the orders and operations that the events of this installation's contracts name, each once. */
export function namedIn(logs: Logs, { config }: Chain): Named[] {
  const own = new Set(config.products.flatMap(({ contracts }) => Object.values(contracts)));
  const ours = logs.filter(({ address }) => own.has(address.toLowerCase() as Hex));
  const events = parseEventLogs({ abi: [...stockAbi, ...cashierAbi], logs: ours });
  const ids = new Map<string, Named>();
  const add = (kind: Named["kind"], id: Hex) =>
    ids.set(id.toLowerCase(), { kind, id: id.toLowerCase() as Hex });
  for (const { args } of events) {
    if ("orderId" in args) add("order", args.orderId);
    if ("opId" in args) add("operation", args.opId);
  }
  return [...ids.values()].slice(0, OBJECTS_MAX);
}

/** Returns a transaction that only nodes know, such as that of a fill, and the orders and operations that it is about. */
export async function findOnChain(
  deps: Deps,
  chainIds: readonly number[],
  txHash: Hex,
): Promise<SearchHit[]> {
  const found = chainIds.map(async (chainId): Promise<SearchHit[]> => {
    const chain = deps.chains.get(chainId);
    const status = chain ? await askNodes(chain, txHash) : null;
    if (!chain || !status) return [];
    const ids = status.state === "mined" ? namedIn(status.logs, chain) : [];
    const objects = await Promise.all(ids.map(({ id }) => findObjects(deps, [chainId], id)));
    return [transactionHit(txHash, chainId, status), ...objects.flat()];
  });
  return (await Promise.all(found)).flat();
}

function transactionHit(txHash: Hex, chainId: number, status: TransactionStatus): SearchHit {
  const title =
    status.state === "mined"
      ? `Transaction, ${status.reverted ? "reverted" : "mined"} in block ${status.blockNumber}`
      : "Transaction, not mined";
  return { kind: "transaction", id: txHash, chainId, productType: null, title };
}
