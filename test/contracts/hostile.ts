import { readFileSync } from "node:fs";
import { type Address, type Hex, type LocalAccount, type PublicClient, parseAbi } from "viem";
import { compile } from "../../packages/sandbox/src/contracts/compile.ts";
import { sendAll } from "../../packages/sandbox/src/transact.ts";
import { present } from "../support/assert/until.ts";

export const hostileAbi = parseAbi([
  "function refuse()",
  "function callBack(address target, bytes callback)",
]);

/** Deploys HostileToken.sol; `owner` gets 1e30 of it. */
export async function deployHostileToken(client: PublicClient, owner: LocalAccount): Promise<Address> {
  const source = readFileSync(new URL("./HostileToken.sol", import.meta.url), "utf8");
  const data: Hex = present(compile({ "HostileToken.sol": source }).HostileToken, "the contract").bytecode;
  const [receipt] = await sendAll(client, owner, [
    { name: "create HostileToken", to: null, data, gas: 3_000_000n },
  ]);
  return present(receipt?.contractAddress, "the token's address");
}
