import { expect, it } from "@jest/globals";
import { getContractAddress, type Hex, zeroHash } from "viem";
import { DEPLOYLESS_MULTICALL, DEPLOYLESS_SENDER } from "../../src/chain/reads.ts";

it("names the address at which viem's code stands in a deployless read", async () => {
  // Not among what viem exports; this is the very code that it sends along.
  const path = new URL("../../node_modules/viem/_esm/constants/contracts.js", import.meta.url).href;
  const { multicall3Bytecode }: { multicall3Bytecode: Hex } = await import(path);
  const from = getContractAddress({ from: DEPLOYLESS_SENDER, nonce: 0n });
  const address = getContractAddress({
    opcode: "CREATE2",
    from,
    salt: zeroHash,
    bytecode: multicall3Bytecode,
  });
  expect(address.toLowerCase()).toBe(DEPLOYLESS_MULTICALL);
});
