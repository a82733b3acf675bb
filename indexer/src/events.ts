/**
 * Events of the contracts that change nothing in onchain.*, with the reason. Every other one has a handler; a test compares the
 * two with the ABIs, so that no event is missed.
 */
export const IGNORED_EVENTS: Readonly<Record<string, string>> = {
  "OneClickRouter:EIP712DomainChanged": "ERC-5267 leftover: the domain is fixed, and never emitted",
  "StockToken:Transfer": "wallet balances are read from the chain; the exchange ledger is told by Stock",
  "StockToken:Approval": "allowances are read from the chain",
};
