import type pg from "pg";
import { showAddress } from "../address.ts";
import type { ChainView } from "./chain-view.ts";
import type { Comparison } from "./compare.ts";
import type { Difference } from "./difference.ts";
import { readMisfits, readWallets } from "./store.ts";

interface Sources {
  client: pg.ClientBase;
  view: ChainView;
  chainId: number;
  /** Blocks on top of one that is final. */
  confirmations: number;
}

const HALT =
  "see `wallets list` and docs/sending.md#wallets: find out who holds the key, `wallets give-up` what is lost, `wallets resume`";

/** Compares the nonces of a chain's sending wallets with what is kept of their requests. */
export async function compareWallets({ client, view, chainId, confirmations }: Sources): Promise<Comparison> {
  const wallets = await readWallets(client, chainId);
  const differences: Difference[] = [];
  for (const { address, next_nonce: nextNonce } of wallets) {
    if (nextNonce === null) continue;
    const chainNonce = await view.nonceOf(address);
    const finalNonce = await view.nonceOf(address, confirmations);
    const nonces = { block: view.block.number, chainNonce, finalNonce };
    const { unaccounted, premature } = await readMisfits(client, { chainId, address }, nonces);
    const subject = { kind: "wallet", productType: null, object: showAddress(address) } as const;
    if (chainNonce > BigInt(nextNonce)) {
      differences.push({
        ...subject,
        ...{ field: "nextNonce", ours: nextNonce, chain: String(chainNonce) },
        ...{ likelyCause: "the wallet's key is used elsewhere", whatToDo: HALT },
      });
    }
    if (unaccounted !== null) {
      differences.push({
        ...subject,
        ...{ field: "unmined request", ours: unaccounted, chain: `${finalNonce} nonces are used for good` },
        ...{
          likelyCause: "its nonce was used by somebody else's transaction, or no worker drives the wallet",
          whatToDo: HALT,
        },
      });
    }
    if (premature !== null) {
      differences.push({
        ...subject,
        ...{ field: "mined request", ours: premature, chain: `${chainNonce} nonces are used` },
        likelyCause: "a reorg took its transaction out, and the worker has not noticed yet",
        whatToDo: "compare again in a minute; where it stays, look at the worker's log of this chain",
      });
    }
  }
  return { kind: "wallet", rows: wallets.length, differences };
}
