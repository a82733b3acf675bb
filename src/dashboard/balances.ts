import { getAddress, type Hex } from "viem";
import { z } from "zod";
import type { Deps } from "../context/deps.ts";
import { text } from "../context/input/fields.ts";
import { openCursor, sealCursor } from "../context/input/list.ts";
import { countHolders, type Holder, holdersOf, type LedgerName, readHolders } from "./balance-store.ts";
import { presentBlocks, sliceOf, toConnection } from "./connection.ts";
import { chainsOf, parseBalances } from "./input.ts";

/** The exchange's ledger, of all users: what the index has. What wallets hold is in the field `balance`. */

/** One user's ledger in one scope; what of stock is in it is read when it is asked for. */
export interface Ledger {
  chainId: number;
  productType: string;
  user: Hex;
  userAddress: string;
  mUsdBalance: string;
  mUsdLocked: string;
}

const NAME = { list: "dashboard balances", chainId: null, productType: null };
const positionSchema = z.tuple([z.int().min(0).max(2_147_483_647), text, text]);

/** GraphQL `Dashboard.balances`, by chain, product and user. @throws ApiError VALIDATION_FAILED, INDEXER_BEHIND */
export async function listBalances(deps: Deps, args: Record<string, unknown>) {
  const input = parseBalances(args);
  const chainIds = chainsOf(deps, input);
  const holders = holdersOf(input, chainIds);
  const { blocks, data: rows } = await readHolders(deps.pool, holders, after(input.after), input.first + 1);
  const cursorOf = (row: Holder) => sealCursor(NAME, [row.chainId, row.productType, row.user]);
  const connection = toConnection(sliceOf(rows, input.first, cursorOf, present), input, () =>
    countHolders(deps.pool, holders),
  );
  return { ...connection, indexedBlocks: presentBlocks(blocks, chainIds) };
}

const present = ({ available, locked, ...ledger }: Holder): Ledger => ({
  ...ledger,
  userAddress: getAddress(ledger.user),
  mUsdBalance: available,
  mUsdLocked: locked,
});

function after(cursor: string | undefined): LedgerName | null {
  if (cursor === undefined) return null;
  const [chainId, productType, user] = openCursor(NAME, cursor, "after", positionSchema);
  return { chainId, productType, user };
}
