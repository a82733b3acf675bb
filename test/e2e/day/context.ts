import { Contract, JsonRpcProvider, parseUnits } from "ethers";
import { SEED, seededRandom } from "../../support/assert/seeded-random.ts";
import { present } from "../../support/assert/until.ts";
import { createControl } from "../../support/http/control.ts";
import { type Answer, createPartner, type Partner } from "../../support/http/partner.ts";
import { makeSandboxKey } from "../../support/sandbox/sandbox-keys.ts";
import { readSandboxState } from "../../support/sandbox/sandbox-state.ts";

/** The fixtures of the trading day: two users of the second chain, two keys, and the contracts through ethers. */
const state = readSandboxState();
export const chain = present(state.chains[1], "a second chain");
const key = present(
  state.keys.find(({ chainId, access }) => chainId === chain.chainId && access === "WRITABLE"),
  "a WRITABLE key of the second chain",
);
/** Records what its users submit themselves. */
export const partner = createPartner(state.baseUrl, key);
export const control = createControl(state.controlUrl);
export const provider = new JsonRpcProvider(chain.rpcUrl, chain.chainId, {
  staticNetwork: true,
  pollingInterval: 50,
  cacheTimeout: -1,
});
export const users = state.users.slice(2, 4);
/** The user for whom the service sends, too. */
export const delegating = present(users[0], "a user");
export const random = seededRandom(SEED);
/** Traded by nobody else: one of them is split. */
export const stocks = ["METAx", "TSLAx"].map((wanted) =>
  present(
    chain.stockTokens.find(({ symbol }) => symbol === wanted),
    wanted,
  ),
);

/** Creates a key that is bound to the delegating user. */
export async function makeSender(): Promise<Partner> {
  const { chainId, productType } = chain;
  const bound = await makeSandboxKey({ chainId, productType }, { userAddress: delegating.address });
  return createPartner(state.baseUrl, bound);
}

export const cashier = new Contract(
  chain.contracts.cashier,
  [
    "function balanceWad(address) view returns (uint256)",
    "function lockedWad(address) view returns (uint256)",
    "event InstantDeposit(bytes32 indexed opId, address indexed user, address indexed token, uint96 amount, uint96 creditWad)",
    "event DepositRequested(bytes32 indexed opId, address indexed user, address indexed token, uint96 amount)",
    "event DepositSettled(bytes32 indexed opId, address indexed user, address indexed token, uint96 amount, uint96 creditWad)",
    "event InstantWithdrawal(bytes32 indexed opId, address indexed user, address indexed token, uint96 amountWad, uint96 amount)",
    "event WithdrawalRequested(bytes32 indexed opId, address indexed user, address indexed token, uint96 amountWad)",
    "event WithdrawalSettled(bytes32 indexed opId, address indexed user, address indexed token, uint96 amountWad, uint96 amount)",
  ],
  provider,
);
export const ledger = new Contract(
  chain.contracts.stock,
  [
    "function stockBalance(address,address) view returns (uint256)",
    "function lockedStock(address,address) view returns (uint256)",
    `function getOrder(bytes32) view returns (tuple(address user, uint32 deadline, uint16 feeBps, uint8 status, bool isLimit,
      bool isBuy, uint8 tif, address stockToken, uint96 size, uint96 price, uint96 filledQuantity, uint96 minFeeWad,
      uint96 feeChargedWad, uint128 filledNotionalWad, uint128 lockedAmount))`,
    "event MarketOrderPlaced(bytes32 indexed orderId, address indexed user, address indexed stockToken, int96 amount, uint32 deadline, uint256 lockedAmount)",
    "event LimitOrderPlaced(bytes32 indexed orderId, address indexed user, address indexed stockToken, int96 quantity, uint96 price, uint8 tif, uint32 deadline, uint256 lockedAmount)",
    "event MarketOrderSettled(bytes32 indexed orderId, address indexed settler, address stockToken, address user, int96 stockDelta, uint96 price, uint256 mintFee, uint256 protocolFee)",
    "event LimitOrderFilled(bytes32 indexed orderId, address indexed settler, address stockToken, address user, int96 stockDelta, uint96 price, uint256 mintFee, uint256 protocolFee, uint96 remaining)",
    "event StockDeposited(address indexed stockToken, address indexed user, uint256 amount)",
    "event StockWithdrawn(address indexed stockToken, address indexed user, uint256 amount)",
  ],
  provider,
);
export async function balanceOf(token: string, user: string, at: { blockTag: number }): Promise<bigint> {
  const contract = new Contract(token, ["function balanceOf(address) view returns (uint256)"], provider);
  return contract.balanceOf?.(user, at);
}

export const wad = (value: string) => parseUnits(value, 18);
export const soon = () => Math.floor(Date.now() / 1000) + 3600;

/** Returns the data of an answer, and the block that all of it belongs to. */
export async function answered<T>(answer: Promise<Answer<T>>): Promise<{ data: T; blockTag: number }> {
  const { headers } = await answer;
  return { data: await partner.must(answer), blockTag: Number(headers.get("x-indexed-block")) };
}
