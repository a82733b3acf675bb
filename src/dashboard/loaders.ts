import DataLoader from "dataloader";
import type { Hex } from "viem";
import type { RequestContext } from "../context/request.ts";
import { ledgerKey, readStocks } from "./balance-store.ts";
import type { Ledger } from "./balances.ts";
import { readKeys, readKeysOfUsers } from "./keys.ts";
import { type FundedWallet, readDaysLeft } from "./overview/spending.ts";
import { readAttempts, readSendsOfClaims } from "./sends.ts";
import { readWebhooks } from "./webhooks.ts";

type Loaders = ReturnType<typeof createLoaders>;

/** One set for each request: what it has read once it does not read again, and no other request sees it. */
const loaders = new WeakMap<RequestContext, Loaders>();

/** Returns the request's loaders of nested fields: a page of any size costs one statement per kind of nested field. */
export function loadersOf(context: RequestContext): Loaders {
  const known = loaders.get(context);
  if (known) return known;
  const created = createLoaders(context);
  loaders.set(context, created);
  return created;
}

function createLoaders({ deps }: RequestContext) {
  return {
    key: new DataLoader(async (keyIds: readonly string[]) => {
      const found = await readKeys(deps, keyIds);
      return keyIds.map((keyId) => found.get(keyId) ?? new Error(`no key ${keyId}`));
    }),
    webhook: new DataLoader(async (webhookIds: readonly string[]) => {
      const found = await readWebhooks(deps, webhookIds);
      return webhookIds.map((webhookId) => found.get(webhookId) ?? new Error(`no webhook ${webhookId}`));
    }),
    keysOfUser: new DataLoader(async (users: readonly Hex[]) => {
      const found = await readKeysOfUsers(deps, users);
      return users.map((user) => found.get(user) ?? []);
    }),
    sendOfClaim: new DataLoader(async (claimIds: readonly string[]) => {
      const found = await readSendsOfClaims(deps, claimIds);
      return claimIds.map((claimId) => found.get(claimId) ?? null);
    }),
    attempts: new DataLoader(async (requestIds: readonly string[]) => {
      const found = await readAttempts(deps, requestIds);
      return requestIds.map((requestId) => found.get(requestId) ?? []);
    }),
    stocks: new DataLoader(
      async (ledgers: readonly Ledger[]) => {
        const found = await readStocks(deps.prisma, ledgers);
        return ledgers.map((ledger) => found.get(ledgerKey(ledger)) ?? []);
      },
      { cacheKeyFn: ledgerKey },
    ),
    daysLeft: new DataLoader((wallets: readonly FundedWallet[]) => readDaysLeft(deps, wallets)),
  };
}
