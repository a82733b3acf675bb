import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operate } from "../../../test/support/program/command.ts";
import {
  CONFIRMATIONS,
  type DrivenWallet,
  type SenderFixture,
} from "../../../test/support/sender/sender-fixture.ts";

const CONTRACT = `0x${"1".repeat(40)}`;
const CONTRACTS = { stockRouter: CONTRACT, cashier: CONTRACT, stock: CONTRACT, oneClickRouter: CONTRACT };

/** Runs an operator's command on the database of a fixture, where the chain of a wallet is the only one. */
export async function operateOn(
  { url }: SenderFixture,
  { chain }: Pick<DrivenWallet, "chain">,
  ...args: string[]
) {
  const directory = mkdtempSync(join(tmpdir(), "operate-on-"));
  const file = join(directory, "deployments.json");
  const products = [{ productType: "Sandbox", startBlock: 0, contracts: CONTRACTS }];
  const chains = [{ chainId: chain.chainId, rpcUrls: chain.urls, confirmations: CONFIRMATIONS, products }];
  writeFileSync(file, JSON.stringify({ chains }));
  try {
    return await operate(args, { DATABASE_URL: url, DEPLOYMENTS_FILE: file });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
