import type { Signer } from "../signer/signer.ts";
import type { Nodes } from "./nodes.ts";

/** A wallet under a lease. */
export interface Wallet {
  signer: Signer;
  nodes: Nodes;
  /** Every write carries both, so that a worker that lost the wallet writes nothing more. */
  epoch: bigint;
  /** Id of the worker's process. */
  owner: string;
}
