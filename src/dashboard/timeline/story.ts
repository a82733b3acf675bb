import type { Hex } from "viem";
import type { Chain } from "../../chain/clients.ts";
import type { TransactionStatus } from "../../chain/receipts.ts";
import type { Deps } from "../../context/deps.ts";
import { askNodes } from "../search/on-chain.ts";
import { type KeyedClaim, readClaims } from "./claim-store.ts";
import {
  type Canceled,
  type DeliveryRow,
  EVENTS_MAX,
  type EventRow,
  readCanceled,
  readDeliveries,
  readEvents,
} from "./event-store.ts";
import { type Indexed, readIndexed } from "./index-store.ts";
import { readSends, type SentRequest } from "./send-store.ts";
import type { Subject } from "./subject-store.ts";

/** Everything that is known of a timeline's object. */
export interface Story extends Indexed {
  subject: Subject;
  chain: Chain;
  /** Unix milliseconds. */
  nowMs: number;
  claims: KeyedClaim[];
  /** Requests to send, oldest first; `sent` is the one that made the transaction. */
  sends: SentRequest[];
  sent: SentRequest | null;
  events: EventRow[];
  /** True where there are more events than are shown. */
  hasMoreEvents: boolean;
  deliveries: DeliveryRow[];
  /** Order that a request cancels. */
  canceled: Canceled[];
  /** The chain's newest block; null where no node answers. */
  head: bigint | null;
  /** The transaction by the nodes, where nothing here says what became of it. */
  node: TransactionStatus | null;
}

/** Reads a story: the same number of statements, whatever the object's age. @throws ApiError DATABASE_UNAVAILABLE */
export async function readStory(deps: Deps, chain: Chain, subject: Subject): Promise<Story> {
  const head = chain.client.getBlockNumber().catch(() => null);
  const [claims, indexed] = await Promise.all([readClaims(deps, subject), readIndexed(deps, subject)]);
  const claimIds = claims.map(({ claimId }) => claimId);
  const canceled = await canceledBy(deps, subject);
  const own = subject.requestId === null ? [] : [subject.requestId];
  const all = await readEvents(deps, [...claimIds, ...own, ...canceled.map(({ claimId }) => claimId)]);
  const events = all.slice(0, EVENTS_MAX).filter((event) => isAbout(subject, event));
  const requestIds = [...new Set(events.flatMap(({ requestId }) => requestId ?? []))];
  const [sends, deliveries] = await Promise.all([
    readSends(deps, subject, { claimIds, requestIds }),
    readDeliveries(deps, subject.chainId, events),
  ]);
  const sent = sends.find((send) => isSending(subject, send)) ?? null;
  return {
    ...indexed,
    subject,
    chain,
    claims,
    sends,
    sent,
    events,
    deliveries,
    canceled,
    nowMs: deps.now(),
    hasMoreEvents: all.length > EVENTS_MAX,
    head: await head,
    node: await nodeView(chain, subject.txHash, { indexed, sent, claims }),
  };
}

const canceledBy = async (deps: Deps, { requestId, claimId }: Subject): Promise<Canceled[]> =>
  requestId === null || claimId !== null ? [] : readCanceled(deps, requestId);

/** Returns true where an event is about the subject: a transaction may have several orders. */
function isAbout({ kind, id, requestId, claimId }: Subject, event: EventRow): boolean {
  // Events of the claim of the order that it cancels are about that order, too.
  if (requestId !== null && claimId === null) return event.requestId === requestId;
  if (kind === "send" || kind === "transaction") return true;
  return event.requestId !== null || event.objectId === null || event.objectId === id;
}

/** Returns true for the request that made the object. Those of an order are also those that cancel it: they have no claim. */
const isSending = ({ kind, requestId }: Subject, send: SentRequest): boolean =>
  kind === "send" || requestId !== null ? send.requestId === requestId : send.claimId !== null;

interface Known {
  indexed: Indexed;
  sent: SentRequest | null;
  claims: readonly KeyedClaim[];
}

/** Asks the nodes only where neither the index nor a request says what became of the transaction. */
async function nodeView(
  chain: Chain,
  txHash: Hex | null,
  { indexed, sent, claims }: Known,
): Promise<TransactionStatus | null> {
  const isKnown = indexed.orders.length > 0 || indexed.operations.length > 0 || sent !== null;
  const isOver =
    claims.length > 0 && claims.every(({ state }) => state === "reverted" || state === "dropped");
  if (txHash === null || isKnown || isOver) return null;
  return askNodes(chain, txHash);
}

/** Returns the block of the story's transaction, or null. */
export function minedBlockOf({ orders, operations, sent, node }: Story): bigint | null {
  const [made] = [...orders, ...operations];
  if (made) return made.blockNumber;
  if (sent?.minedBlock != null) return sent.minedBlock;
  return node?.state === "mined" ? node.blockNumber : null;
}
