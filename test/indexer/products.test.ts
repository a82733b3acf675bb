import { describe, expect, it } from "@jest/globals";
import { createProductLookup } from "../../indexer/products.ts";
import { chain, product } from "./deployments.ts";

describe("products of a chain", () => {
  const scopes = createProductLookup(chain(1, [product("Alpha", 0x10), product("Beta", 0x20)]));
  const { stock, stockRouter } = product("Alpha", 0x10).contracts;
  const [alpha, beta] = [
    { chainId: 1, productType: "Alpha" },
    { chainId: 1, productType: "Beta" },
  ];

  it("are told by address, whatever its case", () => {
    expect(scopes.of("stock", stock)).toEqual(alpha);
    const upper = `0x${product("Beta", 0x20).contracts.cashier.slice(2).toUpperCase()}` as const;
    expect(scopes.of("cashier", upper)).toEqual(beta);
  });

  it("refuse another contract's address, and one that is nobody's", () => {
    expect(() => scopes.of("cashier", stock)).toThrow("no product has its cashier");
    const nobodys = product("Gamma", 0x30).contracts.stock;
    expect(() => scopes.of("stock", nobodys)).toThrow(`no product has its stock at ${nobodys} on chain 1`);
  });

  it("are known, and each one's router", () => {
    expect(scopes.all).toEqual([alpha, beta]);
    const routers = [alpha, beta].map((one) => [one.productType, scopes.isRouter(one, stockRouter)]);
    expect(routers).toEqual([
      ["Alpha", true],
      ["Beta", false],
    ]);
    expect({ stock: scopes.isRouter(alpha, stock), creation: scopes.isRouter(alpha, null) }).toEqual({
      stock: false,
      creation: false,
    });
  });

  it("cannot be told apart where two of them share an address", () => {
    const twice = chain(1, [product("Alpha", 0x10), product("Beta", 0x11)]);
    expect(() => createProductLookup(twice)).toThrow("named twice, by Alpha and Beta");
  });
});
