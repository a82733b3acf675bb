import { type Hex, keccak256, parseTransaction } from "viem";
import { inTransaction } from "../../../../src/db/transaction.ts";
import { readNextNonce } from "../../../../src/sending/recovery/store.ts";
import { agreedNonce } from "../../../../src/sending/sender/account-nonce.ts";
import { mergeResults, parseBroadcastAnswer } from "../../../../src/sending/sender/broadcast-result.ts";
import type { Node, Nodes } from "../../../../src/sending/sender/nodes.ts";
import { parseAddress, showAddress } from "../address.ts";
import { insertAudit } from "../audit-store.ts";
import { confirm } from "../confirm.ts";
import { withPool } from "../database.ts";
import { printJson } from "../output.ts";
import { operator, print, type Terminal } from "../terminal.ts";
import { deploymentsOf, nodesOf } from "./nodes.ts";
import { type NonceOwner, readNonceOwners } from "./resend-store.ts";

interface ResendOptions {
  chainId: number;
  address: string;
  /** Includes requests whose calls reverted: they may succeed now. */
  reverted?: boolean;
  yes?: boolean;
  json?: boolean;
}

/**
 * Broadcasts transactions again that a reorg deeper than the chain's confirmations removed: for each ended request with an unused
 * nonce, exactly the mined bytes. They have the same nonce and the same hash, so nothing can be mined twice. Changes no request.
 */
export async function resend(
  terminal: Terminal,
  { chainId, address, reverted, yes, json }: ResendOptions,
): Promise<void> {
  const wallet = parseAddress(address);
  const nodes = nodesOf(deploymentsOf(terminal), chainId);
  await withPool(terminal, async (pool) => {
    await nodes.compare();
    const node = await nodes.open();
    const used = await agreedNonce(nodes, node, wallet, "latest");
    const next = await readNextNonce(pool, { chainId, wallet });
    const owners = await readNonceOwners(pool, { chainId, wallet }, used);
    const { sends, obstacle } = plan({ owners, used, next: next ?? used, mayRevert: reverted === true });
    if (sends.length === 0)
      throw new Error(`${obstacle ?? "the worker has all that may be mined"}: nothing was sent`);
    const name = showAddress(wallet);
    const warning = `${sends.length} transactions of ${name} are sent again, which nodes take only once: check first that a deep reorg took them out.`;
    await confirm(terminal, { warning, name, yes });
    const detail = { sent: sends.map(({ requestId, hash }) => ({ requestId, txHash: hash })) };
    const entry = { action: "wallets resend", subject: `${chainId}:${wallet}`, detail };
    await inTransaction(pool, (tx) => insertAudit(tx, { actor: operator(), ...entry }));
    const offered = await broadcast(nodes, node, sends);
    if (json) printJson(terminal, { chainId, wallet: name, offered });
    else for (const each of offered) print(terminal, describe(each));
    const refused = offered.filter(({ taken }) => !taken).length;
    if (refused > 0)
      throw new Error(`nodes did not take ${refused} of ${sends.length}: the command may be repeated`);
    if (obstacle) throw new Error(`${obstacle}: what has a higher nonce waits behind it`);
  });
}

/** Bytes that were once mined. */
interface Send {
  requestId: string;
  nonce: bigint;
  hash: Hex;
  bytes: Hex;
}

interface Question {
  /** Requests with the nonces from `used` on. */
  owners: readonly NonceOwner[];
  /** Number of the wallet's nonces used on the chain. */
  used: bigint;
  /** Next nonce that a request will get. */
  next: bigint;
  mayRevert: boolean;
}

/** Decides on the bytes to send, up to the first nonce that this command cannot use: later ones would wait behind it. */
function plan({ owners, used, next, mayRevert }: Question): { sends: Send[]; obstacle: string | null } {
  const byNonce = new Map(owners.map((owner) => [owner.nonce, owner]));
  const sends: Send[] = [];
  for (let nonce = used; nonce < next; nonce++) {
    const owner = byNonce.get(nonce);
    if (!owner) return { sends, obstacle: `nonce ${nonce} belongs to no request` };
    // The worker itself sends requests under way again.
    if (!owner.hasEnded) continue;
    const obstacle = obstacleOf(owner, mayRevert);
    if (obstacle || !owner.mined) return { sends, obstacle };
    sends.push({ requestId: owner.requestId, nonce, ...owner.mined });
  }
  return { sends, obstacle: null };
}

function obstacleOf({ requestId, nonce, reverted, mined }: NonceOwner, mayRevert: boolean): string | null {
  const name = `nonce ${nonce} of ${requestId}`;
  if (!mined) return `${name} was used by a transaction that is not ours`;
  if (reverted && !mayRevert)
    return `${name} was used by a call that reverted, and may succeed now (--reverted sends it)`;
  if (isIntact(mined, nonce)) return null;
  return `${name}: the bytes in the database are not those of ${mined.hash}, see \`reconcile\``;
}

/** Returns true where bytes have the given hash, which commits to their nonce, and the nonce is the request's. */
function isIntact({ hash, bytes }: { hash: Hex; bytes: Hex }, nonce: bigint): boolean {
  return keccak256(bytes) === hash && BigInt(parseTransaction(bytes).nonce ?? 0) === nonce;
}

/** Answer of nodes to the bytes of one request. */
interface Offered {
  requestId: string;
  nonce: bigint;
  txHash: Hex;
  taken: boolean;
  answer: string;
}

/** Offers bytes to every usable node, in the order of nonces. */
async function broadcast(nodes: Nodes, node: Node, sends: readonly Send[]): Promise<Offered[]> {
  const calls = sends.map(({ bytes }) => ({ method: "eth_sendRawTransaction", params: [bytes] }));
  const answers = await nodes.sendAll(node.url, calls);
  return sends.map(({ requestId, nonce, hash }, index) => {
    const { kind } = mergeResults((answers[index] ?? []).map((answer) => parseBroadcastAnswer(answer, hash)));
    return { requestId, nonce, txHash: hash, taken: kind === "taken", answer: kind };
  });
}

const describe = ({ requestId, nonce, txHash, taken, answer }: Offered): string =>
  `nonce ${nonce}  ${requestId}  ${txHash}  ${taken ? "sent" : `not taken: ${answer}`}`;
