import { type Chain, createChains } from "../../../../src/chain/clients.ts";
import { loadDeployments } from "../../../../src/config/deployments.ts";
import { parseEnv } from "../../../../src/config/env.ts";
import { blockOf } from "../../../../src/db/checkpoint.ts";
import { withPool } from "../database.ts";
import { type Column, formatDuration, printJson, printTable } from "../output.ts";
import { print, type Terminal } from "../terminal.ts";
import { type Build, readBuilds } from "./store.ts";

/** A live indexer writes its heartbeat every few seconds. */
const SILENT_AFTER_MS = 60_000;

interface Head {
  number: bigint;
  timestamp: bigint;
}

export function status(terminal: Terminal, { json }: { json?: boolean }): Promise<void> {
  const { DEPLOYMENTS_FILE } = parseEnv("cli wallets", terminal.env);
  const chains = [...createChains(loadDeployments(DEPLOYMENTS_FILE, terminal.env)).values()];
  return withPool(terminal, async (pool) => {
    const builds = await readBuilds(pool);
    const heads = await Promise.all(chains.map(({ client }) => client.getBlock().catch(() => null)));
    const presented = builds.map((build) => present(build, chains, heads));
    if (json) return printJson(terminal, presented);
    printTable(terminal, presented.flatMap(rowsOf), COLUMNS, "No indexer has run on this database yet.");
    for (const { schema, unusable } of presented)
      if (unusable !== null) print(terminal, `\n${schema} must not be used: ${unusable}`);
    const old = presented.flatMap(({ drop }) => drop ?? []);
    if (old.length > 0)
      print(terminal, `\nOld builds, to be dropped as the role of the indexer:\n${old.join("\n")}`);
  });
}

function present(build: Build, chains: readonly Chain[], heads: readonly (Head | null)[]) {
  const { schema, inUse, ready, bytes, heartbeatMs, unusable } = build;
  const runs = heartbeatMs !== null && Date.now() - heartbeatMs < SILENT_AFTER_MS;
  return {
    schema,
    inUse,
    ready,
    runs,
    bytes,
    unusable,
    chains: chains.flatMap(({ config }, index) =>
      isOf(build, config.chainId) ? [presentChain(build, config, heads[index] ?? null)] : [],
    ),
    drop: inUse || runs ? null : `DROP SCHEMA "${schema}" CASCADE;`,
  };
}

/** Returns true where a build is of a chain: its schema names it, or as those of release 0.3.0 it has several. */
const isOf = ({ schema, checkpoints }: Build, chainId: number): boolean =>
  checkpoints.has(chainId) || schema.startsWith(`onchain_${chainId}_`);

/** @param head null where no node answers */
function presentChain({ checkpoints }: Build, { chainId, products }: Chain["config"], head: Head | null) {
  const block = blockOf(checkpoints.get(chainId));
  const first = BigInt(Math.min(...products.map(({ startBlock }) => startBlock)));
  const span = head ? head.number - first : 0n;
  const done = block ? block.number - first : 0n;
  return {
    chainId,
    indexedBlock: block?.number ?? null,
    headBlock: head?.number ?? null,
    lagBlocks: block && head ? Number(head.number > block.number ? head.number - block.number : 0n) : null,
    lagSeconds: block && head ? Math.max(0, Number(head.timestamp - block.timestamp)) : null,
    /** Counted from the first block of its contracts. */
    indexedPercent: span > 0n ? Math.min(100, Number((done * 1_000n) / span) / 10) : null,
  };
}

type PresentedBuild = ReturnType<typeof present>;
type Row = PresentedBuild & { chain: ReturnType<typeof presentChain> };

const rowsOf = (build: PresentedBuild): Row[] => build.chains.map((chain) => ({ ...build, chain }));

const stateOf = ({ inUse, ready, runs, unusable }: Row): string => {
  if (unusable !== null) return "unusable";
  const what = inUse ? (ready ? "in use" : "in use, starting") : ready ? "done" : "backfilling";
  return runs ? what : `${inUse ? what : "old"}, not running`;
};

const COLUMNS: Column<Row>[] = [
  { heading: "SCHEMA", value: ({ schema }) => schema },
  { heading: "STATE", value: stateOf },
  { heading: "CHAIN", value: ({ chain }) => chain.chainId },
  { heading: "INDEXED", value: ({ chain }) => chain.indexedBlock?.toString() ?? null, align: "right" },
  { heading: "HEAD", value: ({ chain }) => chain.headBlock?.toString() ?? "no node", align: "right" },
  {
    heading: "LAG",
    value: ({ chain: { lagSeconds } }) => (lagSeconds === null ? null : formatDuration(lagSeconds)),
    align: "right",
  },
  {
    heading: "DONE",
    value: ({ chain: { indexedPercent } }) => (indexedPercent === null ? null : `${indexedPercent}%`),
    align: "right",
  },
  { heading: "SIZE", value: ({ bytes }) => `${(bytes / 1_048_576).toFixed(1)} MB`, align: "right" },
];
