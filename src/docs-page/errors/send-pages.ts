import type { SomePages } from "./page.ts";

const FAR = 1_924_992_000;
const MARKET_BUY = { symbol: "AAPL", side: "Buy", type: "Market", notional: "100", deadline: FAR };
const SEND = "POST /orders/send";

/** Refusals to send for a user: the delegation, funds, identifiers, policies and the chain itself. */
export const SEND_PAGES = {
  DELEGATION_NOT_ENABLED: {
    cause: [
      "The user has not enabled this key, has disabled sending (for all their keys) or delegated elsewhere, or the operator retired the wallet.",
      "As `errCode` of a failed request to send: the delegation ended before the transaction was signed.",
    ],
    example: { request: SEND, body: MARKET_BUY },
    steps: [
      "While `status` of `GET /1ct/status` is `pending`, wait.",
      "Call `POST /1ct/prepare` with `userAddress` of `GET /key` and a `deadline` some minutes ahead.",
      "Have the user sign `signPayload` with a library, or `typedData` with `eth_signTypedData_v4`.",
      "Call `POST /1ct/enable` with `signature` and the same `deadline` and `nonce`. At `enable`, or the event `delegation.enabled`, send again.",
      "Or use `/calldata` and the user's own wallet.",
    ],
    sandbox: "Send `POST /1ct/disable` with the bound key, then the example.",
  },
  USER_NOT_BOUND: {
    cause: [
      "`userAddress` of `GET /key` is null: the key can neither send nor use one click, nor be bound later.",
    ],
    example: { request: "GET /1ct/status", askedBy: "unbound key" },
    steps: [
      "Send with the user's key, or ask the operator for one that is bound to the user's address.",
      "Or use `/calldata` and the user's own wallet.",
    ],
    sandbox: "Send the example with the key `trader-31338`.",
  },
  SIGNER_MISMATCH: {
    cause: [
      "`signature` does not fit the bound user and exactly this `delegatee`, `nonce` and `deadline` on this chain. Prepare, sign and enable again.",
    ],
    example: {
      request: "POST /1ct/enable",
      body: { signature: `0x${"5f".repeat(64)}1b`, deadline: FAR },
      param: "signature",
      askedBy: "bound key",
    },
    steps: [
      "Sign with the account in `userAddress` of `GET /key`, not another account of the same wallet.",
      "Sign the payload of `POST /1ct/prepare` as it came, and send its `deadline` and `nonce`.",
      "Sign typed data (EIP-712), not a message: `signTypedData`, not `signMessage` or `personal_sign`.",
      "With `eth_signTypedData_v4`, sign `typedData`, which has the type `EIP712Domain` that libraries add to `signPayload`.",
      "Another delegation in between changes the nonce.",
    ],
  },
  DELEGATION_NONCE_USED: {
    cause: [
      "Another delegation spent the signature's `nonce` on the chain, or another key presents the signature. The same enable by the same key answers the state in force.",
    ],
    example: {
      request: "POST /1ct/enable",
      body: { signature: "0x…", deadline: FAR, nonce: 0 },
      param: "nonce",
    },
    steps: [
      "If `GET /1ct/status` is `enable`, nothing is left to do.",
      "Otherwise `POST /1ct/prepare` answers the present `nonce`: have the user sign again, and enable.",
      "Each key of a user needs a signature of its own.",
    ],
    sandbox: "Enable, disable with `POST /1ct/disable`, then repeat the first enable.",
  },
  ALLOWANCE_INSUFFICIENT: {
    cause: [
      "The user's wallet has not approved the router to take this much. `errMsg` names token, spender, and the amounts required and approved.",
    ],
    example: {
      request: "POST /cash/deposits/send",
      body: { tokenAddress: "0x…", tokenAmount: "100" },
      errMsg:
        "The allowance is too low: of token 0x5FbDB2315678afecb367f032d93F642f64180aa3, for the spender 0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512, 100 is required, 0 is there",
    },
    steps: [
      "Take the `fix` from `preflight.checks` of `/calldata`, called with `userAddress`, or build `approve(spender, amount)` with `cashSpender` or `stockSpender` of `GET /config`.",
      "The user's own wallet submits it. Wait until it is mined.",
      "Check `walletAllowance` in `GET /users/{userId}/balance?spenderAddress=`, then send again.",
    ],
    sandbox: "Approve 0 from the user's wallet, then send a deposit.",
  },
  BALANCE_INSUFFICIENT: {
    cause: [
      "The user has less than the call takes. `errMsg` says where (wallet or exchange), of what, how much is required and how much is there, without what open orders lock.",
    ],
    example: {
      request: SEND,
      body: { ...MARKET_BUY, notional: "900000000" },
      errMsg: "The balance is too low: of mUSD on the exchange, 900000000 is required, 49774.774805 is there",
    },
    steps: [
      "See `GET /users/{userId}/balance`: `mUsdBalance` and `exchangeBalance` are on the exchange, `walletBalance` is in the wallet, `…Locked` in open orders.",
      "A market buy needs its `notional`, fee included. A limit buy needs `quantity` times `price` and the highest fee (`exchangeFeeConfig` of `GET /config`).",
      "Deposit what is missing (`POST /cash/deposits/send`, `POST /stock/deposits/send`) and wait until it is `completed`, use `POST /orders/with-deposit/send`, cancel an open order, or send less.",
    ],
  },
  IDEMPOTENCY_KEY_REUSED: {
    cause: ["This API key has used the `Idempotency-Key` with another method, path or input."],
    example: { request: SEND, header: ["Idempotency-Key", "order-42"], body: MARKET_BUY },
    steps: [
      "Compare both bodies: mostly `deadline` was computed anew. Repeat the stored body, which answers the first call's state.",
      "Make one key for each operation, such as a UUID, and store it with the body before you send.",
      "Before you send under a new key, see in `GET /sends` what the first call became: a new key may trade twice.",
    ],
    sandbox: "Send the example with the bound key, then again with another `notional`.",
  },
  CLIENT_ORDER_ID_REUSED: {
    cause: [
      "This key has sent an order under this `clientOrderId` in this scope, which may have failed. A repeat under its `Idempotency-Key` answers its state instead.",
    ],
    example: { request: SEND, body: { ...MARKET_BUY, clientOrderId: "order-42" }, param: "clientOrderId" },
    steps: [
      "Read `GET /orders/client/{clientOrderId}`: if that is the order that you mean, it is done.",
      "Where it is `Failed`, read why from `GET /sends?clientOrderId=`, and use a new identifier.",
      "Where it is another order, mostly a counter restarted: correct how you make identifiers.",
    ],
    sandbox: "Send the example twice with the bound key, without an `Idempotency-Key`.",
  },
  POLICY_REFUSED: {
    cause: [
      "The operator's policy for this key refuses it. `param` is the rule: `killSwitch`, `expiry`, `allowedOperations`, `allowedSymbols` or `dailyNotionalCap`. It is null where the operator paused the webhook, or one of the key's with the same host.",
      "As `errCode` of a failed request to send: the key was revoked or stopped before signing, or the policy refused it then, with the quotes of that moment.",
    ],
    example: { request: SEND, body: MARKET_BUY, param: "dailyNotionalCap" },
    steps: [
      "`policy` of `GET /key` has every rule, and what is left of the daily cap.",
      "`dailyNotionalCap`: send less, or wait until the next day (UTC). Orders count for what they may fill at, cash deposits and withdrawals for their fee.",
      "`allowedOperations`, `allowedSymbols`: use what is listed, or ask the operator.",
      "`killSwitch`, `expiry` or null: stop, and ask the operator.",
      "Calldata is not bound by these rules: users may submit from their own wallets.",
    ],
    sandbox: "`npx partner-trading-admin policies set <apiKey> --daily-notional 50`, then the example.",
  },
  CHAIN_REVERT: {
    cause: [
      "The contracts refuse the call in a simulation; nothing was sent. As `errCode` of a failed request to send, the mined transaction reverted. `revert` is their error (`docs/contracts.md`).",
    ],
    example: { request: SEND, body: MARKET_BUY, revert: "InsufficientBalanceWad" },
    steps: [
      "`InsufficientBalanceWad`, `InsufficientStockBalance`, `ERC20InsufficientBalance`: see `BALANCE_INSUFFICIENT`.",
      "`ERC20InsufficientAllowance`: see `ALLOWANCE_INSUFFICIENT`.",
      "`DeadlineExpired`: see `DEADLINE_EXPIRED`. `InvalidStockToken`, `DepositPaused`, `WithdrawPaused`: see `TOKEN_PAUSED`.",
      "`OrderNotOpen`, `CancelAlreadyRequested`: the order ended, or is being canceled. Read `GET /orders/{orderId}`.",
      "`NotDelegatee`, `InvalidNonce`, `InvalidSigner`: read `GET /1ct/status`, and enable again.",
      "Any other: call `/calldata` with `userAddress`, and read `preflight.checks`. If all pass, report the `uuid`.",
    ],
    sandbox:
      "Submit the calldata of two orders that only together exceed the balance while `POST /mining` of the control has `on` false.",
  },
  OUT_OF_GAS: {
    cause: [
      "The call needs more gas than the operator allows one transaction; `errMsg` has both amounts. Nothing was sent.",
      "As `errCode` of a failed request to send: `gasLimit` was too low for the state in its block, or in a simulation before signing.",
    ],
    example: { request: "POST /1ct/enable", body: { signature: "0x…", deadline: FAR } },
    steps: [
      "Refused call: no `gasLimit` helps, only the operator. Report it with the `uuid`. For one click with a wallet contract, sign and enable again.",
      "Failed request: leave `gasLimit` out (1.5 times the estimate, or the operator's limit), or send twice `preflight.gasEstimate` of `/calldata`, which has no margin.",
      "From a user's own wallet, send 1.5 to 2 times the estimate.",
    ],
    sandbox: "Submit an order's calldata with two thirds of `preflight.gasEstimate`, and read its receipt.",
  },
} as const satisfies SomePages;
