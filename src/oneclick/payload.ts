import { getAddress, type Hex } from "viem";

/** Content of a delegation; addresses lower case, the deadline in Unix seconds. */
export interface Delegate {
  chainId: number;
  oneClickRouter: Hex;
  user: Hex;
  delegatee: Hex;
  nonce: number;
  deadline: number;
}

/**
 * Returns the EIP-712 typed data (docs/api.md#one-click), as libraries sign it and the contract checks it. Libraries add the
 * domain's type.
 */
export function signPayload({ chainId, oneClickRouter, user, delegatee, nonce, deadline }: Delegate) {
  return {
    domain: { name: "OneClickRouter", version: "1", chainId, verifyingContract: getAddress(oneClickRouter) },
    types: {
      Delegate: [
        { name: "user", type: "address" },
        { name: "delegatee", type: "address" },
        { name: "nonce", type: "uint64" },
        { name: "deadline", type: "uint32" },
      ],
    },
    primaryType: "Delegate",
    message: { user: getAddress(user), delegatee: getAddress(delegatee), nonce, deadline },
  } as const;
}

/** Returns the same typed data with the type of its domain, as eth_signTypedData_v4 of a wallet requires it. */
export function typedData(delegate: Delegate) {
  const payload = signPayload(delegate);
  return { ...payload, types: { EIP712Domain: DOMAIN_TYPE, ...payload.types } };
}

const DOMAIN_TYPE = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;
