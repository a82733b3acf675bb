import type { Mutant } from "../../mutation/sql/mutant.ts";

const at = (name: string): string => `src/sending/sender/${name}.ts`;

/** A bug that the simulation must find: one change of the sender's source. */
export interface PlantedBug extends Omit<Mutant, "tests" | "survives"> {
  /** The only world that is searched, for a bug that others show seldom or never. */
  world?: string;
}

export const PLANTED: readonly PlantedBug[] = [
  {
    id: "stale-nonce",
    file: at("sign"),
    title: "the next nonce is the one that the cycle began with, not the one under the lock",
    find: "await assign(tx, wallet, signable, nextNonce, fees)",
    replace:
      "await assign(tx, wallet, signable, (cycle as unknown as Cycle).row.nextNonce ?? nextNonce, fees)",
  },
  {
    id: "nonce-skipped",
    file: at("sign"),
    title: "a nonce is left out",
    find: "nonce: first + BigInt(index) }",
    replace: "nonce: first + BigInt(index) + (index > 3 ? 1n : 0n) }",
  },
  {
    id: "unstored-bump",
    file: at("sign"),
    title: "a higher fee is broadcast before it is stored",
    find: "    const stored = await tx.insertAttempts(wallet, [payload]);\n",
    replace:
      '    const unsent = { broadcasts: 0, taken: 0, refusals: 0, answer: null, firstBroadcastMs: null, lastBroadcastMs: null };\n    const stored = [{ ...payload, ...unsent, attemptId: "0" }];\n',
  },
  {
    id: "halt-unread",
    world: "users and operators",
    file: at("sign"),
    title: "a signing transaction does not read the chain's halt",
    find: "if (await tx.isHalted(wallet.nodes.chainId)) return NOTHING;",
    replace: "",
  },
  {
    id: "canceled-signed",
    world: "users and operators",
    file: at("cancellation"),
    title: "a request that a disable has canceled meanwhile is signed",
    find: "    if (!standing) continue;\n",
    replace: "    if (!standing) {\n      signable.push(request);\n      continue;\n    }\n",
  },
  {
    id: "cap-uncounted",
    file: at("policy"),
    title: "requests of one group are not counted together for a cap",
    find: "      spent.set(keyId, sum + (terms.notional ?? 0n));\n",
    replace: "",
  },
  {
    id: "never-minable-kept",
    file: at("next-action"),
    title: "a call that can never be mined keeps its nonce",
    find: '  if (newest.answer === "never-minable") return "OUT_OF_GAS";\n',
    replace: "",
  },
  {
    id: "unsent-after-crash",
    world: "processes that die and stop",
    file: at("next-action"),
    title: "bytes that were stored and not sent before a crash are not sent",
    find: 'if (lastBroadcastMs === null || firstBroadcastMs === null) return { kind: "send" };',
    replace: 'if (lastBroadcastMs === null || firstBroadcastMs === null) return { kind: "nothing" };',
  },
  {
    id: "any-receipt",
    file: at("confirm"),
    title: "a receipt counts whose block is not the chain's",
    find: "receipt && (await facts.blockHash(receipt.blockNumber)) === receipt.blockHash ? receipt : null",
    replace: "receipt",
  },
  {
    id: "another-receipt",
    world: "nodes that lie",
    file: at("chain-facts"),
    title: "another transaction's receipt counts",
    find: "receiptShape.refine((receipt) => receipt === null || receipt.hash === transaction)",
    replace: 'receiptShape.refine((receipt) => receipt === null || transaction !== "0x")',
  },
  {
    id: "reorg-unseen",
    file: at("receipt-decision"),
    title: "a transaction that a reorg removed is not sent again",
    find: 'if (nonce >= accountNonce) return { kind: "reorged" };',
    replace: 'if (nonce >= accountNonce) return { kind: "nothing" };',
  },
  {
    id: "fork-trusted",
    world: "a node on its own fork",
    file: at("confirm"),
    title: "one node on its own fork ends requests",
    find: 'await storeFinal(cycle, await withoutDisputed(cycle, requestsOf("final")));',
    replace: 'await storeFinal(cycle, requestsOf("final"));',
  },
  {
    id: "filler-confirmed",
    file: at("confirm"),
    title: "a filler counts as its request's call",
    find: '  request.attempts.find(({ hash }) => hash === receipt.hash)?.kind === "filler";',
    replace: '  request.attempts.find(({ hash }) => hash === receipt.hash)?.kind === "never";',
  },
  {
    id: "lift-reverted",
    file: at("confirm"),
    title: "an enable that reverted ends a disable",
    find: ".filter((each) => each.receipt.success && !isFiller(each))",
    replace: ".filter((each) => !isFiller(each))",
  },
  {
    id: "never-resumed",
    file: at("cycle"),
    title: "a wallet that has funds again stays paused",
    find: '  await deps.store.setWalletState(wallet, "active", null);\n',
    replace: "  return false;\n",
  },
  {
    id: "small-bump",
    file: at("fees"),
    title: "a replacement offers 10% more",
    find: "const BUMP_NUMERATOR = 1125n;",
    replace: "const BUMP_NUMERATOR = 1100n;",
  },
  {
    id: "uncapped-bump",
    file: at("fees"),
    title: "a replacement may exceed the cap on fees",
    find: "fees.maxFeePerGas > caps.maxFeePerGasCap || ",
    replace: "",
  },
  {
    id: "retired-signed",
    world: "wallets without funds",
    file: at("cancellation"),
    title: "a retired wallet signs calls that waited",
    find: "  if (retired) {",
    replace: "  if (retired && request.nonce !== null) {",
  },
  {
    id: "uncapped-fee",
    file: at("context"),
    title: "a new transaction may exceed the cap on fees",
    find: "return capFees(feesFor(node.head.baseFee, tipWithin(suggested, config)), config.maxFeePerGasCap);",
    replace: "return feesFor(node.head.baseFee, tipWithin(suggested, config));",
  },
  {
    id: "final-early",
    file: at("nodes"),
    title: "a transaction is final one block after its own",
    find: "    confirmations: options.confirmations,",
    replace: "    confirmations: 1,",
  },
  {
    id: "pool-unread",
    world: "a failover that loses commits",
    file: at("cycle"),
    title: "after a failover that lost nonces, a wallet signs although nodes know their transactions",
    find: "  if (state.hasCheckedPending) return true;\n  deps.alarm",
    replace: "  if (nextNonce >= 0n) return true;\n  deps.alarm",
  },
];
