import { getAddress } from "viem";
import type { ChainConfig } from "../../config/deployments.ts";
import type { Deps } from "../../context/deps.ts";
import type { Args } from "../../context/input/fields.ts";
import { readHalts } from "../../sending/halt-store.ts";
import { isAlive, readSeen } from "../problems/seen-store.ts";
import { askNodes } from "../search/on-chain.ts";
import { claimSteps } from "./claim-steps.ts";
import { eventSteps } from "./event-steps.ts";
import { finalStep } from "./finality.ts";
import { parseTimeline } from "./input.ts";
import { operationSteps, orderSteps } from "./made-steps.ts";
import { outlookOf } from "./outlook.ts";
import { relatedOf, titleOf } from "./related.ts";
import { isUnderWay, sendSteps } from "./send-steps.ts";
import { stallOf } from "./stall.ts";
import { inOrder, type Step, step } from "./steps.ts";
import { readStory, type Story } from "./story.ts";
import { findSubject, type Subject } from "./subject-store.ts";

/**
 * GraphQL `Dashboard.timeline`; null where there is no such object.
 * @throws ApiError VALIDATION_FAILED, DATABASE_UNAVAILABLE
 */
export async function timeline(deps: Deps, args: Args) {
  const asked = parseTimeline(deps, args);
  const subject = (await findSubject(deps, asked)) ?? (await findByNodes(deps, asked));
  const chain = subject && deps.chains.get(subject.chainId);
  if (!chain) return null;
  const [story, halts] = await Promise.all([readStory(deps, chain, subject), readHalts(deps.pool)]);
  const hasWorker = !story.sends.some(isUnderWay) || isAlive(await readSeen(deps.pool), "worker");
  const halt = halts.find(({ chainId }) => chainId === subject.chainId) ?? null;
  const { steps: expected, next } = outlookOf(story);
  return {
    title: titleOf(story),
    kind: subject.kind,
    id: subject.id,
    chainId: subject.chainId,
    productType: subject.productType,
    userAddress: userOf(story),
    txHash: subject.txHash,
    indexedBlock: story.block?.number ?? null,
    steps: [...happened(story), ...expected].map((one) => present(story, one)),
    next,
    stalled: stallOf(story, { halt, hasWorker }),
    related: relatedOf(story),
  };
}

/** Finds a transaction by the nodes: one of which nothing is stored may still be on the chain, such as that of a fill. */
async function findByNodes(deps: Deps, asked: ReturnType<typeof parseTimeline>): Promise<Subject | null> {
  if (asked.kind !== "transaction") return null;
  for (const chainId of asked.chainIds) {
    const chain = deps.chains.get(chainId);
    const status = chain ? await askNodes(chain, asked.id) : null;
    if (!status) continue;
    const none = { productType: null, claimId: null, requestId: null };
    return { kind: asked.kind, id: asked.id, chainId, txHash: asked.id, ...none };
  }
  return null;
}

function happened(story: Story): Step[] {
  const { orders, operations, sends } = story;
  return inOrder([
    ...sends.flatMap((send) => sendSteps(story, send)),
    ...claimSteps(story),
    ...nodeSteps(story),
    ...orders.flatMap((order) => orderSteps(story, order)),
    ...operations.flatMap((operation) => operationSteps(story, operation)),
    ...eventSteps(story),
    ...finalStep(story)
      .filter(({ state }) => state === "done")
      .map((final) => ({ ...final, sortMs: Number.POSITIVE_INFINITY })),
  ]);
}

/** Returns the steps of a transaction that only nodes have. */
function nodeSteps({ node, subject, claims }: Story): Step[] {
  if (!node || node.state === "unknown") return [];
  const { txHash } = subject;
  const sortMs = claims.at(-1)?.createdMs ?? 0;
  if (node.state === "waiting") {
    return [step({ kind: "broadcast", title: "In the pool of a node", state: "current", txHash, sortMs })];
  }
  const title = node.reverted ? "Mined, and reverted" : "Mined";
  const state = node.reverted ? "failed" : "done";
  return [step({ kind: "mined", title, state, blockNumber: node.blockNumber, txHash, sortMs })];
}

function userOf({ orders, operations, sends }: Story): string | null {
  const users = new Set([...orders, ...operations, ...sends].map(({ userAddress }) => userAddress));
  const [user] = users;
  return users.size === 1 && user ? getAddress(user) : null;
}

function present({ chain }: Story, { sortMs: _sortMs, atMs, ...shown }: Step) {
  return {
    ...shown,
    at: atMs === null ? null : Math.floor(atMs / 1_000),
    explorerUrl: explorerLink(chain.config, shown),
  };
}

/** Returns the page of a transaction, or else of a block, at a chain's explorer; null where the deployments file names none. */
function explorerLink(
  { explorerUrl }: Pick<ChainConfig, "explorerUrl">,
  { txHash, blockNumber }: { txHash: string | null; blockNumber: bigint | null },
): string | null {
  if (explorerUrl === undefined) return null;
  if (txHash !== null) return `${explorerUrl}/tx/${txHash}`;
  return blockNumber === null ? null : `${explorerUrl}/block/${blockNumber}`;
}
