import { expect, it } from "@jest/globals";
import { nextOf } from "../src/wallets/retirement.ts";

const WALLET = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const UNDER_WAY = {
  chainId: 7,
  wallet: WALLET.toLowerCase(),
  retiredAt: new Date(0),
  state: "active",
  stateReason: null,
  isChainHalted: false,
  isDriven: true,
  isKeyLost: false,
  pass: 1,
  users: 2,
  checked: 1,
  delegated: 1,
  undelegations: { waiting: 1, sent: 0, confirmed: 0, failed: 0 },
  finishedAt: null,
};

it.each([
  [{}, "workers undelegate its users: keep its key in SENDER_KEYS"],
  [
    { state: "paused", stateReason: "insufficient funds" },
    "(insufficient funds): send it native coin for 150,000 gas each",
  ],
  [{ state: "halted", stateReason: "nonce 3" }, `it is halted (nonce 3): \`wallets resume 7 ${WALLET}\``],
  [{ state: "halted", isChainHalted: true }, "`sending resume --chain 7`"],
  [{ isChainHalted: true, isDriven: false }, "no worker drives it"],
  [{ isKeyLost: true, isDriven: false }, "its key is lost: its users end their delegations"],
  [{ isDriven: false, finishedAt: new Date(1) }, "take its key out of SENDER_KEYS, and destroy it"],
])("what a retirement waits for is said: %j", (change, said) => {
  expect(nextOf({ ...UNDER_WAY, ...change })).toContain(said);
});
