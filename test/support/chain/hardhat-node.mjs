// Hardhat's node with the methods by which tests steer anvil: `node hardhat-node.mjs '{"chainId":31337,"port":0,"blockTimeSeconds":null}'`
// prints "Listening on 127.0.0.1:<port>". A program of its own, because Hardhat needs Node.js 22; TEST_HARDHAT is its package's folder.
// Blocks are mined here, never by Hardhat: its automining refuses a nonce that is not the next.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(`${process.env.TEST_HARDHAT}/`);
const { createHardhatRuntimeEnvironment } = await import(pathToFileURL(resolve("hardhat/hre")).href);

/** Blocks back that the chain can be reorganised. */
const KEPT_BLOCKS = 128;
const ACCOUNTS = { mnemonic: "test test test test test test test test test test test junk", count: 10 };

const { chainId, port, blockTimeSeconds } = JSON.parse(process.argv[2]);
const hre = await createHardhatRuntimeEnvironment({
  networks: {
    // A transaction that reverts is mined, and its sender gets its hash, as from any node.
    node: {
      type: "edr-simulated",
      chainType: "l1",
      chainId,
      throwOnTransactionFailures: false,
      mining: { auto: false },
      accounts: ACCOUNTS,
    },
  },
});
const { provider } = await hre.network.connect({ network: "node" });
const ask = (method, ...params) => provider.request({ method, params });
const head = async () => Number(await ask("eth_blockNumber"));

let isAutomining = blockTimeSeconds === null;
/** Bytes of all transactions that were sent, by hash: Hardhat does not return them. */
const rawByHash = new Map();
/** Snapshots of the last blocks, by number. */
const snapshots = new Map();

async function sendRaw(raw) {
  const hash = await ask("eth_sendRawTransaction", raw);
  rawByHash.set(hash, raw);
  return hash;
}

async function sendAndMine(raw) {
  const hash = await sendRaw(raw);
  if (isAutomining) await mine();
  return hash;
}

/** Sends from one of the node's own accounts, or one that is impersonated. */
async function sendOwn(transaction) {
  const hash = await ask("eth_sendTransaction", transaction);
  if (isAutomining) await mine();
  return hash;
}

async function setAutomine(isOn) {
  isAutomining = isOn;
  if (isOn && (await pooled()).length > 0) await mine();
  return null;
}

/** Keeps the state at the head, in place of what was kept of that block: calls may have changed it since. */
async function keepHead() {
  const number = await head();
  snapshots.set(number, await ask("evm_snapshot"));
  for (const old of snapshots.keys()) if (old <= number - KEPT_BLOCKS || old > number) snapshots.delete(old);
}

async function mine(blocks = "0x1") {
  for (let left = Number(blocks); left > 0; left--) {
    await ask("evm_mine");
    if (left <= KEPT_BLOCKS) await keepHead();
  }
  return null;
}

const pooled = async () => (await ask("eth_pendingTransactions")).map(({ hash }) => hash);

/** Replaces the last `depth` blocks; the pool stays as it is. A snapshot would bring back the pool of its time. */
async function reorg(depth, pairs) {
  const number = await head();
  const snapshot = snapshots.get(number - depth);
  if (!snapshot) throw new Error(`block ${number - depth} is not kept`);
  const waiting = await pooled();
  await ask("evm_revert", snapshot);
  for (const kept of [...snapshots.keys()]) if (kept >= number - depth) snapshots.delete(kept);
  for (const hash of await pooled()) await ask("hardhat_dropTransaction", hash);
  // Else empty blocks could have the hashes of those that they replace.
  await ask("hardhat_setCoinbase", `0x${crypto.randomUUID().replaceAll("-", "").padEnd(40, "0")}`);
  await keepHead();
  for (let block = 0; block < depth; block++) {
    for (const [raw, index] of pairs) if (index === block) await sendRaw(raw);
    await mine();
  }
  for (const hash of waiting) await sendRaw(rawByHash.get(hash)).catch(() => undefined);
  return null;
}

async function removeOf(sender) {
  for (const { hash, from } of await ask("eth_pendingTransactions"))
    if (from === sender.toLowerCase()) await ask("hardhat_dropTransaction", hash);
  return null;
}

/** Anvil's methods that Hardhat lacks, or has under another name and with other effects. */
const METHODS = {
  anvil_mine: mine,
  anvil_getAutomine: () => isAutomining,
  anvil_setAutomine: setAutomine,
  evm_mine: () => mine(),
  evm_setAutomine: setAutomine,
  anvil_reorg: reorg,
  anvil_getIntervalMining: () => null,
  anvil_removePoolTransactions: removeOf,
  eth_getRawTransactionByHash: (hash) => rawByHash.get(hash) ?? null,
  eth_sendRawTransaction: sendAndMine,
  eth_sendTransaction: sendOwn,
};

/** Calls that change nothing. */
const QUESTION = /^(eth_(?!send)|net_|web3_|anvil_get|hardhat_(get|metadata))/;

async function answer({ method, params = [] }) {
  const own = METHODS[method];
  const result = own ? await own(...params) : await ask(method.replace(/^anvil_/, "hardhat_"), ...params);
  if (!QUESTION.test(method) && method !== "evm_snapshot") await keepHead();
  return result;
}

/** One call after the other, so that none sees another's reorg half done. */
let last = Promise.resolve();
function inTurn(work) {
  const run = last.then(work);
  last = run.catch(() => undefined);
  return run;
}

async function respond(call) {
  const { id } = call;
  try {
    return { jsonrpc: "2.0", id, result: (await inTurn(() => answer(call))) ?? null };
  } catch ({ code = -32603, message, data }) {
    return {
      jsonrpc: "2.0",
      id,
      error: { code, message, data: typeof data === "string" ? data : data?.data },
    };
  }
}

const server = createServer({ keepAliveTimeout: 65_000 }, async (request, response) => {
  // An attempt to open a WebSocket, which programs do without.
  if (request.method !== "POST") return response.writeHead(405).end();
  const calls = JSON.parse(await text(request));
  const answers = [];
  for (const call of [calls].flat()) answers.push(await respond(call));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(Array.isArray(calls) ? answers : answers[0]));
});
await keepHead();
if (blockTimeSeconds) {
  setInterval(() => inTurn(() => mine()).catch(() => undefined), blockTimeSeconds * 1000);
}
server.listen(port, "127.0.0.1", () =>
  process.stdout.write(`Listening on 127.0.0.1:${server.address().port}\n`),
);
// Its starter's end is this one's.
process.stdin.resume().on("end", () => process.exit(0));
