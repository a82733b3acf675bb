import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  BaseError,
  ContractFunctionRevertedError,
  encodeErrorResult,
  type Hex,
  parseAbi,
  RawContractError,
  toFunctionSelector,
} from "viem";
import { protocolErrorsAbi, stockAbi } from "../../src/contracts/abi/index.ts";
import { decodeRevert } from "../../src/contracts/reverts.ts";

const SOLIDITY = parseAbi(["error Error(string)", "error Panic(uint256)"]);
const expired = encodeErrorResult({ abi: protocolErrorsAbi, errorName: "DeadlineExpired" });
const account: Hex = "0x00000000000000000000000000000000000000AA";

describe("decodeRevert", () => {
  it("knows every error of the protocol, and no two share a selector", () => {
    const selectors = protocolErrorsAbi.map(({ name, inputs }) =>
      toFunctionSelector(`${name}(${inputs.map(({ type }) => type).join(",")})`),
    );
    expect(new Set(selectors).size).toBe(selectors.length);
    for (const { name, inputs } of protocolErrorsAbi) {
      if (inputs.length > 0) continue;
      const data = encodeErrorResult({ abi: protocolErrorsAbi, errorName: name });
      expect(decodeRevert(data)).toEqual({ name, args: [] });
    }
  });

  it("gives the arguments of errors that have some", () => {
    const data = encodeErrorResult({
      abi: protocolErrorsAbi,
      errorName: "ERC20InsufficientAllowance",
      args: [account, 1n, 2n],
    });
    expect(decodeRevert(data)).toEqual({ name: "ERC20InsufficientAllowance", args: [account, 1n, 2n] });
  });

  it("knows Solidity's own Error and Panic", () => {
    const reason = encodeErrorResult({ abi: SOLIDITY, errorName: "Error", args: ["no way"] });
    expect(decodeRevert(reason)).toEqual({ name: "Error", args: ["no way"] });
    const panic = encodeErrorResult({ abi: SOLIDITY, errorName: "Panic", args: [0x11n] });
    expect(decodeRevert(panic)).toEqual({ name: "Panic", args: [0x11n] });
  });

  it.each<[string, unknown]>([
    ["viem's error of a contract call", contractError(expired)],
    ["viem's raw error, data as a string", new RawContractError({ data: expired })],
    ["viem's raw error, data as an object", new RawContractError({ data: { data: expired } })],
    [
      "a cause deep inside",
      new BaseError("a", { cause: new BaseError("b", { cause: contractError(expired) }) }),
    ],
    ["a JSON-RPC error", { code: 3, message: "execution reverted", data: expired }],
    ["a JSON-RPC error in data", { code: -32000, data: { data: expired } }],
    ["an error that a library wrapped", new Error("outer", { cause: { error: { code: 3, data: expired } } })],
  ])("finds the data in %s", (_where, error) => {
    expect(decodeRevert(error)).toEqual({ name: "DeadlineExpired", args: [] });
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a text", "execution reverted"],
    ["an error without data", new Error("connection refused")],
    ["empty data", "0x"],
    ["an unknown error", "0xdeadbeef"],
    [
      "a known error cut short",
      encodeErrorResult({ abi: SOLIDITY, errorName: "Error", args: ["x"] }).slice(0, 40),
    ],
  ])("answers null to %s", (_what, error) => {
    expect(decodeRevert(error)).toBeNull();
  });

  it("ends on cycles", () => {
    const error: { cause?: unknown; data?: unknown } = {};
    error.cause = error;
    error.data = error;
    expect(decodeRevert(error)).toBeNull();
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.anything(), (error) => {
        const revert = decodeRevert(error);
        return revert === null || typeof revert.name === "string";
      }),
    );
  });
});

function contractError(data: Hex): ContractFunctionRevertedError {
  return new ContractFunctionRevertedError({ abi: stockAbi, functionName: "getOrder", data });
}
