import type { SomePages } from "./page.ts";

const FAR = 1_924_992_000;
const MARKET_BUY = { symbol: "AAPL", side: "Buy", type: "Market", notional: "100", deadline: FAR };
const SEND = "POST /orders/send";
const KEYS_ARE_FREE =
  "The refused call consumed neither `Idempotency-Key` nor `clientOrderId`: send it again under both.";

/** Refusals to send for a user: the delegation, funds, identifiers, policies and the chain itself. */
export const SEND_PAGES = {
  DELEGATION_NOT_ENABLED: {
    cause: [
      "This key may not send for its user: the user has not enabled it, has disabled it, or delegated elsewhere, or the operator retired the wallet that they delegated to. An enable counts for the key that sent it, a disable for all keys of the user.",
      "As `errCode` of a failed request to send: the delegation ended before the transaction was signed.",
    ],
    example: { request: SEND, body: MARKET_BUY },
    steps: [
      "Read `status` of `GET /1ct/status`. While it is `pending`, wait for it.",
      "Call `POST /1ct/prepare` with `userAddress` (the address in `GET /key`) and a `deadline` some minutes ahead.",
      "Have the user's wallet sign it as EIP-712 typed data: `signPayload` with a library, `typedData` with `eth_signTypedData_v4`.",
      "Call `POST /1ct/enable` with `signature` and the same `deadline` and `nonce`.",
      "Send the call again when the answer is `enable`. The event `delegation.enabled` says so too.",
      "Without a delegation, use the `/calldata` endpoint of the same operation and the user's own wallet.",
    ],
    retry: `After the steps. ${KEYS_ARE_FREE}`,
    sandbox: "Send `POST /1ct/disable` with the key that is bound to a user, then the example.",
    related: ["USER_NOT_BOUND", "SIGNER_MISMATCH", "DELEGATION_NONCE_USED", "OPERATOR_UNAVAILABLE"],
  },
  USER_NOT_BOUND: {
    cause: ["The API key is bound to no user, so it can neither send nor use one click."],
    example: { request: "GET /1ct/status", askedBy: "unbound key" },
    steps: [
      "Read `userAddress` of `GET /key`: it is null for this key.",
      "Send with the key of that user, if you have one: one key is bound to one user.",
      "Ask the operator for a key that is bound to the user's address. A key cannot be bound later.",
      "Without one, use the `/calldata` endpoints, and the user's own wallet.",
    ],
    retry: "No. The same key is always refused.",
    sandbox: "Send the example with the key `trader-31338`, which is bound to no user.",
    related: ["DELEGATION_NOT_ENABLED", "SIGNER_MISMATCH"],
  },
  SIGNER_MISMATCH: {
    cause: [
      "`signature` does not fit the key's bound user and exactly this `delegatee`, `nonce` and `deadline` on this chain.",
    ],
    example: {
      request: "POST /1ct/enable",
      body: { signature: `0x${"5f".repeat(64)}1b`, deadline: FAR },
      param: "signature",
      askedBy: "bound key",
    },
    steps: [
      "Compare the signing wallet with `userAddress` of `GET /key`: it must be that account, and not another one of the same wallet.",
      "Send the `deadline` and `nonce` of the very `POST /1ct/prepare` whose `signPayload` was signed.",
      "Sign typed data (EIP-712), not a message: `signTypedData`, not `signMessage` or `personal_sign`.",
      "With `eth_signTypedData_v4`, sign `typedData`: its `types` have `EIP712Domain`, which libraries add to `signPayload` themselves.",
      "Keep the `signPayload` as it came: chainId and `verifyingContract` are part of what is signed.",
      "Another delegation in between changes the nonce: prepare and sign again.",
    ],
    retry: "Not with this signature. Prepare, sign and enable again.",
    sandbox: "Send the example with the key that is bound to a user.",
    related: ["DELEGATION_NONCE_USED", "DEADLINE_EXPIRED", "USER_NOT_BOUND"],
  },
  DELEGATION_NONCE_USED: {
    cause: [
      "The signature's `nonce` was spent on the chain by another delegation, or another key presents the same signature.",
      "The same enable again by the same key is no error: it answers the state that is in force.",
    ],
    example: {
      request: "POST /1ct/enable",
      body: { signature: "0x…", deadline: FAR, nonce: 0 },
      param: "nonce",
    },
    steps: [
      "Read `GET /1ct/status`: where `status` is `enable`, nothing is left to do.",
      "Else call `POST /1ct/prepare` again: it answers the present `nonce`.",
      "Have the user sign the new payload, and send it to `POST /1ct/enable`.",
      "Each key of a user needs a signature of its own.",
    ],
    retry: "Not with this signature. Prepare, sign and enable again.",
    sandbox: "Enable, disable with `POST /1ct/disable`, then send the first enable again.",
    related: ["SIGNER_MISMATCH", "DELEGATION_NOT_ENABLED"],
  },
  ALLOWANCE_INSUFFICIENT: {
    cause: [
      "The user's wallet has not approved the router to take this much of the token. `errMsg` names token, spender, what is required and what is there.",
    ],
    example: {
      request: "POST /cash/deposits/send",
      body: { tokenAddress: "0x…", tokenAmount: "100" },
      errMsg:
        "The allowance is too low: of token 0x5FbDB2315678afecb367f032d93F642f64180aa3, for the spender 0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512, 100 is required, 0 is there",
    },
    steps: [
      "Call the `/calldata` endpoint of the same operation with `userAddress`. Its `preflight.checks` has the missing approval, and `fix` is the call that makes it.",
      "Have the user's own wallet submit `fix`, and wait until it is mined. This service cannot approve for the user.",
      "Or build it yourself: `approve(spender, amount)` of the token, with `cashSpender` or `stockSpender` of `GET /config`.",
      "Check with `GET /users/{userId}/balance?spenderAddress=`: `walletAllowance` of the token.",
      "Send the call again.",
    ],
    retry: `After the approval is mined. ${KEYS_ARE_FREE}`,
    sandbox: "Approve 0 from the user's wallet, then send a deposit. All users there begin with an approval.",
    related: ["BALANCE_INSUFFICIENT", "CHAIN_REVERT"],
  },
  BALANCE_INSUFFICIENT: {
    cause: [
      "The user has less than the call takes, in the wallet or on the exchange. `errMsg` says where, of what, how much is required and how much is there. What open orders lock is not available.",
    ],
    example: {
      request: SEND,
      body: { ...MARKET_BUY, notional: "900000000" },
      errMsg: "The balance is too low: of mUSD on the exchange, 900000000 is required, 49774.774805 is there",
    },
    steps: [
      "Read `GET /users/{userId}/balance`: `mUsdBalance` and `exchangeBalance` are on the exchange, `walletBalance` is in the wallet, the `…Locked` fields are in open orders.",
      "A market buy needs its `notional`, fee included. A limit buy needs `quantity` times `price` and the highest fee (`exchangeFeeConfig` of `GET /config`).",
      "Deposit what is missing (`POST /cash/deposits/send`, `POST /stock/deposits/send`), use `POST /orders/with-deposit/send`, or cancel an open order to release its lock.",
      "Wait until the deposit is `completed`, then send the call again. Or send a smaller amount.",
    ],
    retry: `When the balance is there. ${KEYS_ARE_FREE}`,
    sandbox: "Send the example with the key that is bound to a user.",
    related: ["ALLOWANCE_INSUFFICIENT", "DEPOSIT_NOT_INSTANT", "CHAIN_REVERT"],
  },
  IDEMPOTENCY_KEY_REUSED: {
    cause: [
      "This API key has used the `Idempotency-Key` with another method, path or input. The same call under it would answer the first call's state.",
    ],
    example: { request: SEND, header: ["Idempotency-Key", "order-42"], body: MARKET_BUY },
    steps: [
      "Compare the bodies of both calls. A `deadline` that is computed anew for a retry is the usual difference: store the body with the key, and repeat both.",
      "Make one key for each intended operation, such as a UUID, and store it before you send.",
      "Find out what the first call became, by `GET /sends` with its time or `clientOrderId`, before you send under a new key.",
    ],
    retry:
      "The first call's exact body under this key answers its state. Another operation needs a new key. Do not make up a new key to get past this error: that may trade twice.",
    sandbox: "Send the example with the key that is bound to a user, then again with another `notional`.",
    related: ["CLIENT_ORDER_ID_REUSED", "DATABASE_UNAVAILABLE", "SEND_NOT_FOUND"],
  },
  CLIENT_ORDER_ID_REUSED: {
    cause: [
      "This key has sent an order under this `clientOrderId` in this scope. Identifiers are taken when a request is accepted, and stay taken, also where the order failed.",
    ],
    example: { request: SEND, body: { ...MARKET_BUY, clientOrderId: "order-42" }, param: "clientOrderId" },
    steps: [
      "Call `GET /orders/client/{clientOrderId}`: is the first order the one that you mean to place? Then it is done.",
      "Where its status is `Failed`, read why from `GET /sends?clientOrderId=`, and place a new order under a new identifier.",
      "Where it is another order, correct how you make identifiers: a counter that restarts is the usual cause.",
    ],
    retry:
      "No. For safe retries send an `Idempotency-Key` too: the same call under it answers the first one's state in place of this error.",
    sandbox: "Send the example twice without an `Idempotency-Key`, with the key that is bound to a user.",
    related: ["IDEMPOTENCY_KEY_REUSED", "ORDER_NOT_FOUND"],
  },
  POLICY_REFUSED: {
    cause: [
      "The operator's policy for this key does not allow it. `param` says which rule: `killSwitch`, `expiry`, `allowedOperations`, `allowedSymbols` or `dailyNotionalCap`; null where the operator has paused the webhook, or one of the key's with the same host.",
      "As `errCode` of a failed request to send: the key was revoked or stopped before the transaction was signed, or the policy refused it there. Policies are evaluated again where a request is signed, with the quotes of that moment.",
    ],
    example: { request: SEND, body: MARKET_BUY, param: "dailyNotionalCap" },
    steps: [
      "Read `policy` of `GET /key`: it has every rule, and what is left of the daily cap.",
      "`dailyNotionalCap`: orders count for what they may fill at, deposits and withdrawals of cash for their fee. Send a smaller order, or wait until the next day (UTC).",
      "`allowedOperations`, `allowedSymbols`: use what is listed, or ask the operator to add it.",
      "`killSwitch`, `expiry` or null: stop, and ask the operator. They did it on purpose.",
      "Calldata is not bound by these rules: users may submit from their own wallets.",
    ],
    retry: "Not before the policy or the day has changed.",
    sandbox:
      "Run `npx partner-trading-admin policies set <apiKey> --daily-notional 50`, then send the example.",
    related: ["MARKET_DATA_UNAVAILABLE", "DELEGATION_NOT_ENABLED"],
  },
  CHAIN_REVERT: {
    cause: [
      "The contracts refuse the call. It was simulated, and nothing was sent; as `errCode` of a failed request to send, the mined transaction reverted.",
      "`revert` is the name of the contracts' error. `docs/contracts.md` lists all.",
    ],
    example: { request: SEND, body: MARKET_BUY, revert: "InsufficientBalanceWad" },
    steps: [
      "`InsufficientBalanceWad`, `InsufficientStockBalance`, `ERC20InsufficientBalance`: see `BALANCE_INSUFFICIENT`.",
      "`ERC20InsufficientAllowance`: see `ALLOWANCE_INSUFFICIENT`.",
      "`DeadlineExpired`: see `DEADLINE_EXPIRED`. `InvalidStockToken`, `DepositPaused`, `WithdrawPaused`: see `TOKEN_PAUSED`.",
      "`OrderNotOpen`, `CancelAlreadyRequested`: the order ended, or is being canceled. Read it with `GET /orders/{orderId}`.",
      "`NotDelegatee`, `InvalidNonce`, `InvalidSigner`: read `GET /1ct/status`, and enable again.",
      "Any other name: call the `/calldata` endpoint with `userAddress` and read `preflight.checks`. Report it with the `uuid` if all pass.",
    ],
    retry: `Only after you removed the cause. ${KEYS_ARE_FREE} A request to send that failed is over: make a new one, with new identifiers.`,
    sandbox:
      "Ask for the calldata of two orders that only together are more than the balance, and submit both while `POST /mining` of the control has `on` false.",
    related: ["BALANCE_INSUFFICIENT", "ALLOWANCE_INSUFFICIENT", "TX_REVERTED", "OUT_OF_GAS"],
  },
  OUT_OF_GAS: {
    cause: [
      "Of a call: the contracts need more gas for it than the operator allows one transaction. It was estimated, and nothing was sent; `errMsg` has both amounts.",
      "As `errCode` of a failed request to send: `gasLimit` was too low for the state that it met, in its block or in a simulation before it was signed.",
    ],
    example: { request: "POST /1ct/enable", body: { signature: "0x…", deadline: FAR } },
    steps: [
      "A refused call: no `gasLimit` helps, since the operator's limit is below what the call needs. Report it with the `uuid`.",
      "A failed request: leave `gasLimit` out. The limit is then 1.5 times the estimate, or the operator's.",
      "If you set it, use twice `preflight.gasEstimate` of the `/calldata` endpoint. The estimate itself has no margin.",
      "From a user's own wallet, send 1.5 to 2 times the estimate.",
      "For one click with a wallet contract, have the user sign again, and enable again.",
    ],
    retry: `A refused call: only after the operator raised the limit. ${KEYS_ARE_FREE} A failed request stays failed: make a new one, with a new \`Idempotency-Key\` and \`clientOrderId\`, and more gas.`,
    sandbox:
      "Submit an order's calldata from a wallet with two thirds of `preflight.gasEstimate`, and read its receipt.",
    related: ["CHAIN_REVERT", "TX_REVERTED"],
  },
} as const satisfies SomePages;
