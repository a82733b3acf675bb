import { describe, expect, it } from "@jest/globals";
import { createProductLookup } from "../../indexer/products.ts";
import type { Deployments } from "../../src/config/deployments.ts";
import { chain, product } from "./deployments.ts";

const deployments: Deployments = {
  chains: [chain(1, [product("Alpha", 0x10), product("Beta", 0x20)]), chain(2, [product("Alpha", 0x10)])],
};

describe("products", () => {
  const scopes = createProductLookup(deployments);
  const { stock, stockRouter } = product("Alpha", 0x10).contracts;

  it("tell the product by chain and address, whatever the address's case", () => {
    expect(scopes.of(1, "stock", stock)).toEqual({ chainId: 1, productType: "Alpha" });
    expect(scopes.of(2, "stock", stock)).toEqual({ chainId: 2, productType: "Alpha" });
    const upper = `0x${product("Beta", 0x20).contracts.cashier.slice(2).toUpperCase()}` as const;
    expect(scopes.of(1, "cashier", upper)).toEqual({ chainId: 1, productType: "Beta" });
  });

  it("refuse another contract's address", () => {
    expect(() => scopes.of(1, "cashier", stock)).toThrow("no product has its cashier");
    expect(() => scopes.of(3, "stock", stock)).toThrow("on chain 3");
  });

  it("know the products of a chain and each one's router", () => {
    expect(scopes.on(1).map(({ productType }) => productType)).toEqual(["Alpha", "Beta"]);
    expect(scopes.isRouter({ chainId: 1, productType: "Alpha" }, stockRouter)).toBe(true);
    expect(scopes.isRouter({ chainId: 1, productType: "Beta" }, stockRouter)).toBe(false);
    expect(scopes.isRouter({ chainId: 1, productType: "Alpha" }, stock)).toBe(false);
    expect(scopes.isRouter({ chainId: 1, productType: "Alpha" }, null)).toBe(false);
  });

  it("cannot be told apart where two products share an address", () => {
    const twice = { chains: [chain(1, [product("Alpha", 0x10), product("Beta", 0x11)])] };
    expect(() => createProductLookup(twice)).toThrow("named twice, by Alpha and Beta");
  });
});
