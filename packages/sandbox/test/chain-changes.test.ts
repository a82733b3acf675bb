import { expect, it } from "@jest/globals";
import { createChainChanges } from "../src/chain-changes.ts";

it.each([
  [["eth_sendRawTransaction"], "sent"],
  [["eth_call", "eth_sendTransaction"], "sent"],
  [["evm_mine"], "mined"],
  [["anvil_reorg"], "mined"],
  [["evm_revert"], "mined"],
  [["anvil_getAutomine"], null],
  [["eth_getBlockByNumber", "txpool_status"], null],
])("a request of %j is announced as %s", (methods, expected) => {
  const changes = createChainChanges();
  const heard: string[] = [];
  const unsubscribe = changes.subscribe((change) => void heard.push(change));
  changes.announce(methods);
  unsubscribe();
  changes.announce(["evm_mine"]);
  expect(heard).toEqual(expected === null ? [] : [expected]);
});
