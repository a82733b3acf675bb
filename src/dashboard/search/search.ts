import { getAddress, type Hex } from "viem";
import { refuseToViewer } from "../../auth/dashboard/user.ts";
import type { Deps } from "../../context/deps.ts";
import type { Args } from "../../context/input/fields.ts";
import type { RequestContext } from "../../context/request.ts";
import { groupBy } from "../group.ts";
import { chainsOf } from "../input.ts";
import type { SearchHit } from "../titles.ts";
import { parseSearch } from "./input.ts";
import { findApiKey, findKey, findKeysByName, findUsers } from "./key-store.ts";
import { findContracts, findLogged } from "./log-store.ts";
import { findMade, findObjects } from "./object-store.ts";
import { findOnChain } from "./on-chain.ts";
import {
  findClaim,
  findClaimsTo,
  findClientOrders,
  findRequest,
  findSend,
  findSendOfAttempt,
} from "./sent-store.ts";

const HITS_MAX = 20;

/**
 * GraphQL `Dashboard.search`. Which look-ups run follows from the form of the text; each is served by an index.
 * @throws ApiError VALIDATION_FAILED, DATABASE_UNAVAILABLE; POLICY_REFUSED where a viewer asks for a user
 */
export async function search(
  { deps, user }: Pick<RequestContext, "deps" | "user">,
  args: Args,
): Promise<SearchHit[]> {
  const term = parseSearch(args);
  if (!term) return [];
  if (term.kind === "address" && user?.role !== "operator") throw refuseToViewer(["an address in search"]);
  const hits = await find(deps, term);
  return distinct(hits).slice(0, HITS_MAX);
}

/** Returns what was found, exact matches first. */
function find(deps: Deps, term: NonNullable<ReturnType<typeof parseSearch>>): Promise<SearchHit[]> {
  switch (term.kind) {
    case "hash":
      return byHash(deps, term.value);
    case "address":
      return byAddress(deps, term.value);
    case "uuid":
      return all(
        findSend(deps, term.value),
        findKey(deps, term.value),
        findLogged(deps, term.value),
        findRequest(deps, term.value),
        findClaim(deps, term.value),
        findClientOrders(deps, term.value),
      );
    case "words":
      return all(
        findApiKey(deps, term.value),
        findClientOrders(deps, term.value),
        findKeysByName(deps, term.value),
      );
  }
}

const all = async (...searches: readonly Promise<SearchHit[]>[]): Promise<SearchHit[]> =>
  (await Promise.all(searches)).flat();

/** Finds a hash. Asks the nodes last, since they take longest, for a transaction that no row names. */
async function byHash(deps: Deps, hash: Hex): Promise<SearchHit[]> {
  const chainIds = chainsOf(deps, {});
  const [objects, sent, claimed, made] = await Promise.all([
    findObjects(deps, chainIds, hash),
    findSendOfAttempt(deps, hash),
    findClaimsTo(deps, chainIds, hash),
    findMade(deps, chainIds, hash),
  ]);
  const transactions = [...groupBy([...sent, ...claimed, ...made], ({ chainId }) => chainId)].map(
    ([chainId, hits]) => transactionOf(hash, chainId, hits),
  );
  const found = [...objects, ...transactions, ...sent, ...made];
  return found.length > 0 ? found : findOnChain(deps, chainIds, hash);
}

function transactionOf(hash: Hex, chainId: number | null, hits: readonly SearchHit[]): SearchHit {
  const products = [...new Set(hits.map(({ productType }) => productType))];
  const [productType = null] = products.length === 1 ? products : [];
  return {
    kind: "transaction",
    id: hash,
    chainId,
    productType,
    title: `Transaction: ${hits[0]?.title ?? ""}`,
  };
}

async function byAddress(deps: Deps, address: Hex): Promise<SearchHit[]> {
  const chainIds = chainsOf(deps, {});
  const [contracts, users] = await Promise.all([
    findContracts(deps, chainIds, address),
    findUsers(deps, chainIds, address),
  ]);
  return [...contracts, ...users.map((user) => ({ ...user, id: getAddress(address) }))];
}

/** Removes duplicates: of several look-ups that find an object, the first one counts. */
function distinct(hits: readonly SearchHit[]): SearchHit[] {
  const named = groupBy(hits, ({ kind, id, chainId, productType }) =>
    [kind, id, chainId, productType].join(" "),
  );
  return [...named.values()].flatMap(([first]) => first ?? []);
}
