import type pg from "pg";
import { pino } from "pino";
import type { Caller } from "../../../src/auth/caller.ts";
import { createChains } from "../../../src/chain/clients.ts";
import type { KeyState } from "../../../src/claims/shown.ts";
import type { Deps } from "../../../src/context/deps.ts";
import { createEventWriter, type WriterOptions } from "../../../src/events/writer/write.ts";
import type { TestEnv } from "../http/api.ts";
import { OWNED } from "./table-owners.ts";

/** Tables that the projector writes, with the event log, for empty.ts, which fires no trigger: the counts must be emptied, too. */
export const PROJECTED = [...OWNED.events, "key_count"].map((table) => `app.${table}`);

type ProjectDeps = Pick<Deps, "pool" | "log" | "deployments" | "chains">;

/** Returns what projects the chains of an environment. No node is asked: the symbol of each token is "". */
export function projectorOf({ pool, admin }: Pick<TestEnv, "pool" | "admin">): ProjectDeps {
  const { deployments } = admin;
  const tokens = { metadata: async () => new Map() };
  const chains = [...createChains(deployments)].map(([id, chain]) => [id, { ...chain, tokens }] as const);
  return { pool, log: pino({ level: "silent" }), deployments, chains: new Map(chains) };
}

/** Returns what the rows of a key are of now. */
export async function keyStateOf(
  pool: pg.Pool,
  { keyId, chainId, productType }: Pick<Caller, "keyId" | "chainId" | "productType">,
): Promise<KeyState> {
  const { rows } = await pool.query("SELECT version, shown_block, sequence FROM app.key_state($1, $2, $3)", [
    chainId,
    keyId,
    productType,
  ]);
  const { version, shown_block: number, sequence } = rows[0];
  return { version, block: { number: BigInt(number) }, sequence: BigInt(sequence) };
}

const RUNS_MAX = 1_000;

/**
 * Makes the rows of keys what claims own by the index as it is now: compares all claims, however the test changed the index. A token
 * that no node names has the symbol "". Without an index, rows stay as they are.
 * @param chainIds all chains of the installation where they are left out
 */
export async function project(deps: ProjectDeps, chainIds = [...deps.chains.keys()]): Promise<void> {
  // One by one: two at once that lock several rows, each in its own order, would wait for each other.
  for (const chainId of chainIds)
    await deps.pool.query(
      "UPDATE app.event_chain SET filled_to = '00000000-0000-0000-0000-000000000000' WHERE chain_id = $1",
      [chainId],
    );
  await projectChanges(deps, chainIds, { verifyMs: 0, tokenWaitMs: 10_000 });
}

/** Runs the projector of a process that has just started, until nothing is left of what it finds itself. */
export async function projectChanges(
  deps: ProjectDeps,
  chainIds = [...deps.chains.keys()],
  options: WriterOptions = {},
): Promise<void> {
  const run = createEventWriter({ ...deps, chains: namedChains(deps) }, options);
  for (const chainId of chainIds)
    for (let runs = 1; !(await run(chainId)).complete; runs++)
      if (runs > RUNS_MAX) throw new Error(`chain ${chainId} has changes left after ${RUNS_MAX} runs`);
}

/** Returns the same chains, on which a token that no node names is named "". */
const namedChains = ({ chains }: ProjectDeps): Deps["chains"] =>
  new Map(
    [...chains].map(([chainId, chain]) => [
      chainId,
      { ...chain, tokens: { metadata: (tokens) => chain.tokens.metadata(tokens).catch(() => new Map()) } },
    ]),
  );

/** Returns a verb that projects what is indexed before it reads. */
export const projected =
  <A extends unknown[], T>(verb: (deps: Deps, ...args: A) => Promise<T>) =>
  async (deps: Deps, ...args: A): Promise<T> => {
    await project(deps);
    return verb(deps, ...args);
  };
