/** Columns of a request that is accepted and not signed. */
export const UNSENT = {
  clientOrderId: null,
  delegationEpoch: null,
  claimId: null,
  traceparent: null,
  state: "accepted",
  nonce: null,
  txHash: null,
  fillReason: null,
  minedBlock: null,
  minedBlockHash: null,
  minedSuccess: null,
  minedFiller: null,
  outcome: null,
  errCode: null,
  revert: null,
  reason: null,
} as const;
