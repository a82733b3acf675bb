import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Contract, Interface, JsonRpcProvider, NonceManager, parseUnits, Wallet } from "ethers";
import { present, until } from "../support/assert/until.ts";
import type {
  Balance,
  Calldata,
  CashCalldata,
  Config,
  ListedSymbol,
  Mapping,
  OperationDetail,
  OperationList,
  Order,
  OrderList,
  Position,
} from "../support/http/answers.ts";
import { createControl } from "../support/http/control.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { readSandboxState, type SandboxState } from "../support/sandbox/sandbox-state.ts";
import { submitCall } from "../support/sender/submit.ts";

/**
 * The story of the first hour: a partner deposits cash, buys at market and at a limit, watches the fills and sees
 * balances and positions move. The wallet is plain ethers and the HMAC is the test's own, so nothing of ours checks
 * itself. At every stop the API must agree with the contracts to the last digit.
 */

const ledgerAbi = new Interface([
  "function balanceWad(address) view returns (uint256)",
  "function lockedWad(address) view returns (uint256)",
  "function stockBalance(address,address) view returns (uint256)",
  "function lockedStock(address,address) view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
]);

const soon = () => Math.floor(Date.now() / 1000) + 3600;
const state: SandboxState = readSandboxState();
const control = createControl(state.controlUrl);

describe.each(state.chains.map((chain) => [chain.chainId, chain] as const))(
  "the story on %i",
  (_id, chain) => {
    const provider = new JsonRpcProvider(chain.rpcUrl, chain.chainId, {
      staticNetwork: true,
      pollingInterval: 50,
    });
    const key = present(
      state.keys.find((k) => k.chainId === chain.chainId && k.access === "WRITABLE"),
      "a WRITABLE key of this chain",
    );
    const partner: Partner = createPartner(state.baseUrl, key);
    // A key that is bound to a user owns that user's orders only.
    const user = present(
      state.users.find(({ address }) => address === (key.userAddress ?? state.users[1]?.address)),
      "the key's user",
    );
    const wallet = new NonceManager(new Wallet(user.privateKey, provider));
    const stock = present(chain.stockTokens[0], "a stock token");
    const cash = present(chain.cashTokens[0], "a cash token");
    beforeAll(() => control.quiet(partner));
    afterAll(() => provider.destroy());

    /** Sends the API's calldata unchanged. */
    const submit = (call: Calldata) => submitCall(wallet, call);

    const balance = () => partner.must(partner.get<Balance>(`/users/${user.address}/balance`));

    const orderWhen = (txHash: string, what: string, holds: (order: Order) => boolean) =>
      until(`order of ${txHash} ${what}`, async () => {
        const order = await partner.must(partner.get<Order>(`/orders/tx/${txHash}`));
        return holds(order) ? order : undefined;
      });

    /** Holds the API's ledger against the contracts, at the very block that the answer names. */
    async function expectLedgerToAgree(): Promise<void> {
      const shown = await balance();
      const at = { blockTag: shown.blockNumber };
      const cashier = new Contract(chain.contracts.cashier, ledgerAbi, provider);
      const ledger = new Contract(chain.contracts.stock, ledgerAbi, provider);
      expect(parseUnits(shown.mUsdBalance, 18)).toBe(
        await cashier.getFunction("balanceWad")(user.address, at),
      );
      expect(parseUnits(shown.mUsdLocked, 18)).toBe(await cashier.getFunction("lockedWad")(user.address, at));
      expect(shown.tokenBalances).toHaveLength(chain.cashTokens.length + chain.stockTokens.length);
      for (const token of shown.tokenBalances) {
        const erc20 = new Contract(token.address, ledgerAbi, provider);
        expect(parseUnits(token.walletBalance, token.decimals)).toBe(
          await erc20.getFunction("balanceOf")(user.address, at),
        );
        if (!token.isStock) continue;
        expect(parseUnits(token.exchangeBalance ?? "", 18)).toBe(
          await ledger.getFunction("stockBalance")(user.address, token.address, at),
        );
        expect(parseUnits(token.exchangeLocked ?? "", 18)).toBe(
          await ledger.getFunction("lockedStock")(user.address, token.address, at),
        );
      }
    }

    it("tells the configuration and the symbols of this chain", async () => {
      const config = await partner.must(partner.get<Config>("/config"));
      expect(config.chainId).toBe(chain.chainId);
      expect(config.contracts.stockRouter.toLowerCase()).toBe(chain.contracts.stockRouter.toLowerCase());
      expect(config.cashierTokenConfig).toHaveLength(chain.cashTokens.length);
      const symbols = await partner.must(partner.get<ListedSymbol[]>("/symbols"));
      expect(symbols.map((s) => s.contractAddress.toLowerCase()).sort()).toEqual(
        chain.stockTokens.map((s) => s.address.toLowerCase()).sort(),
      );
    });

    it("deposits cash, and the credit is the one that was forecast", async () => {
      const before = await balance();
      const call = await partner.must(
        partner.post<CashCalldata>("/cash/deposits/calldata", {
          userAddress: user.address,
          tokenAddress: cash.address,
          tokenAmount: "250.5",
        }),
      );
      expect(call.preflight).toMatchObject({ ok: true });
      expect(call.forecast).toMatchObject({ isInstant: true });
      const txHash = await submit(call);
      const mapping = await partner.must(partner.post<Mapping>("/cash/deposits/tx", { txHash }));
      expect(mapping).toMatchObject({ operationType: "deposit", txHash });

      const deposit = await until("the deposit completed", async () => {
        const { rows } = await partner.must(
          partner.get<OperationList>("/cash/deposits", {
            txHash,
          }),
        );
        return rows.find((row) => row.operationStatus === "completed");
      });
      const detail = await partner.must(
        partner.get<OperationDetail>(`/cash/deposits/${deposit.operationId}`),
      );
      expect(detail.operationStatus).toBe("completed");
      expect(detail.depositOperation?.amount).toBe("250.5");
      expect(detail.depositOperation?.creditAmount).toBe(call.forecast.creditAmount);

      const after = await balance();
      expect(parseUnits(after.mUsdBalance, 18) - parseUnits(before.mUsdBalance, 18)).toBe(
        parseUnits(call.forecast.creditAmount, 18),
      );
      await expectLedgerToAgree();
    });

    it("buys at market: visible within a second of mining and recording, then Filled", async () => {
      const call = await partner.must(
        partner.post<Calldata>("/orders/calldata", {
          stockAddress: stock.address,
          side: "Buy",
          type: "Market",
          notional: "100",
          deadline: soon(),
          userAddress: user.address,
        }),
      );
      expect(call).toMatchObject({ value: "0", preflight: { ok: true } });
      const txHash = await submit(call);
      await partner.must(partner.post<Mapping>("/orders/tx", { txHash }));
      const recordedMs = Date.now();
      const seen = await until("the order shown by its transaction, indexed", async () => {
        const order = await partner.must(partner.get<Order>(`/orders/tx/${txHash}`));
        return order.orderId ? order : undefined;
      });
      process.stdout.write(`shown ${Date.now() - recordedMs} ms after it was mined and recorded\n`);
      expect(seen).toMatchObject({ txHash, mapping: { mappingStatus: "indexed" } });
      expect(["Pending", "Filled"]).toContain(seen.status);

      const filled = await orderWhen(txHash, "Filled", (order) => order.status === "Filled");
      expect(filled).toMatchObject({ onChainStatus: "history", openOrder: null });
      expect(filled.historyOrder?.fills.length).toBeGreaterThan(0);
      const byId = await partner.must(partner.get<Order>(`/orders/${filled.orderId}`));
      expect(byId).toEqual(filled);
      await expectLedgerToAgree();

      const positions = await partner.must(partner.get<Position[]>(`/users/${user.address}/positions`));
      const position = positions.find((p) => p.stockAddress.toLowerCase() === stock.address.toLowerCase());
      const shown = (await balance()).tokenBalances.find(
        (token) => token.address.toLowerCase() === stock.address.toLowerCase(),
      );
      expect(position?.exchangeBalance).toBe(shown?.exchangeBalance);
    });

    it("rests a limit order below the market, and it fills when the market comes to it", async () => {
      const symbols = await partner.must(partner.get<ListedSymbol[]>("/symbols"));
      const listed = symbols.find((s) => s.contractAddress.toLowerCase() === stock.address.toLowerCase());
      if (!listed) throw new Error(`${stock.symbol} is not among the symbols`);
      const limit = (Number(listed.price) * 0.9).toFixed(2);
      const call = await partner.must(
        partner.post<Calldata>("/orders/calldata", {
          symbol: listed.symbol,
          side: "Buy",
          type: "Limit",
          quantity: "2",
          price: limit,
          timeInForce: "DAY",
          deadline: soon(),
          userAddress: user.address,
        }),
      );
      const txHash = await submit(call);
      await partner.must(partner.post<Mapping>("/orders/tx", { txHash }));
      const resting = await orderWhen(txHash, "resting", (order) => order.status === "New");
      expect(resting).toMatchObject({
        onChainStatus: "open",
        historyOrder: null,
        openOrder: { status: "open", filledQuantity: "0", quantity: "2", timeInForce: "DAY", side: "Buy" },
      });
      await expectLedgerToAgree();

      try {
        await control.post("/price", { symbol: listed.symbol, price: limit });
        const filled = await orderWhen(txHash, "Filled", (order) => order.status === "Filled");
        expect(filled.historyOrder).toMatchObject({ filledQuantity: "2", failReason: null });
      } finally {
        await control.post("/price", { symbol: listed.symbol, price: null });
      }
      await expectLedgerToAgree();

      const list = await partner.must(
        partner.get<OrderList>("/orders", {
          status: "Filled",
          userAddress: user.address,
        }),
      );
      expect(list.rows.map((row) => row.txHash)).toContain(txHash);
    });
  },
);
