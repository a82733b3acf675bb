// Why each mutant that survives may. `code` is the source that was changed, `mutants` what it became (any, where left
// out). "Equivalent": no caller can tell the difference. "Kept": a caller could, and no test should.
const FASTER = "Equivalent: it saves work, and what follows comes to the same.";
const GUARD = "Equivalent: a guard for the type; what it excludes is excluded before, or cannot be.";
const LOG = "Kept: a line for the operator, which no test is to hold to its fields.";

const SELECTED =
  "Kept: the columns that Prisma is asked for. The compiler refuses to read others, and Prisma a selection of none.";

const headers = "src/auth/headers.ts";
const signature = "src/auth/signature.ts";
const sign = "src/sending/sender/sign.ts";
const reserved = "src/sending/sender/reserved.ts";
const walletKey = "src/sending/sender/wallet-key.ts";
const fillers = "src/sending/sender/filler-gas.ts";
const cycle = "src/sending/sender/cycle.ts";
const confirm = "src/sending/sender/confirm.ts";
const nodes = "src/sending/sender/nodes.ts";
const usableNodes = "src/sending/sender/usable-nodes.ts";
const rpc = "src/chain/rpc.ts";
const keys = "src/auth/key-store.ts";
const keysAdmin = "src/auth/keys-admin.ts";
const nonces = "src/auth/nonce-store.ts";
const SAME_USAGE_ROW =
  "Equivalent: the units left and the window's end come from one row of usage, so both are null or neither; a claim is limited only with such a row.";
const SWEPT_SOONER =
  "Equivalent: at every read, not once per ttl, it drops what is past its end; that is read again when it is asked for.";
const authentication = "src/auth/authenticate.ts";
const NONE_OR_UNDEFINED = "Equivalent: a field that is undefined is as good as none.";
const limits = "src/auth/rate-limits.ts";
const ONLY_STATE = "Kept: a limiter in memory rejects with its state alone.";
const fees = "src/sending/sender/fees.ts";
const dispatch = "src/sending/sender/dispatch.ts";
const cancellation = "src/sending/sender/cancellation.ts";
const decision = "src/sending/sender/receipt-decision.ts";
const store = "src/sending/sender/store.ts";
const broadcast = "src/sending/sender/broadcast.ts";
const resubmit = "src/sending/sender/resubmit.ts";
const policy = "src/sending/outbox/policy.ts";
const submit = "src/sending/outbox/submit.ts";
const delegations = "src/sending/delegation/store.ts";
const watch = "src/claims/attribution/watch.ts";
const wait = "src/sending/outbox/wait.ts";
const LOOK_UP =
  "Equivalent: one more look-up of the request's own id, which finds nothing or what is answered anyway.";
const load = "src/sending/signer/load.ts";
const suffix = "src/claims/attribution/suffix.ts";
const receipts = "packages/admin/src/reconcile/receipts.ts";
const requests = "packages/client/src/request.ts";
const answers = "packages/client/src/answer.ts";
const errors = "packages/client/src/errors.ts";
const options = "packages/client/src/options.ts";
const webhook = "packages/client/src/webhook.ts";
const NO_SUCH_PATH = "Equivalent: no path of the service has these words before its end.";
const bodies = "src/http/arguments.ts";
const requestTarget = "src/http/target.ts";
const comparison = "src/events/writer/compare.ts";
const step = "src/events/writer/write.ts";
const feed = "src/events/stream/feed.ts";
const reader = "src/events/stream/reader.ts";
const stream = "src/events/stream/stream.ts";
const ONE_MICROTASK =
  "Kept: events that are handed to a stream between its last page and the microtask behind it.";
const operation = "src/operations/present.ts";
const BOTH_AMOUNTS = "Equivalent: an operation with a rate is completed, and has both amounts.";
const prepared = "src/operations/prepare.ts";
const OF_A_CHAIN = "Kept: balances of a ledger are read from a chain, in test/e2e/spec/shortfalls.ts.";
const deliver = "src/webhooks/deliver.ts";
const webhookInput = "src/webhooks/input.ts";
const ONE_OF_TWO = "Equivalent: of the length and the form, the other one refuses it in the same words.";
const attempts = "src/webhooks/attempt.ts";
const connections = "src/webhooks/connection.ts";
const posts = "src/webhooks/post.ts";
const targets = "src/webhooks/target.ts";
const heads = "indexer/heads.ts";
const BEFORE_ALL = "Equivalent: no poll has begun, which the time of its beginning shows too.";
const ALL_ADDRESSES = "Equivalent: Node.js asks for all addresses, unless a flag of its own says otherwise.";

export interface Survivor {
  file: string;
  code: string;
  mutants?: string[];
  why: string;
}

export const SURVIVORS: readonly Survivor[] = [
  { file: keys, code: "Math.abs(time - sweptAt) < ttlMs", mutants: ["false"], why: SWEPT_SOONER },
  { file: keys, code: "time - sweptAt", mutants: ["time + sweptAt"], why: SWEPT_SOONER },
  {
    file: keys,
    code: "previousSealed && previousMasterKeyId",
    mutants: ["true", "previousSealed || previousMasterKeyId"],
    why: "Equivalent: without its bytes or its master key a secret cannot be opened, and that comes to null as well.",
  },
  { file: keysAdmin, code: "expiresAt <= now", mutants: ["expiresAt < now"], why: "Kept: one instant." },
  { file: keysAdmin, code: "current === undefined", mutants: ["false"], why: GUARD },
  {
    file: keysAdmin,
    code: "previousSecretSealed && previousMasterKeyId",
    mutants: ["previousSecretSealed || previousMasterKeyId"],
    why: "Equivalent: PostgreSQL stores both or neither (api_key_previous_check).",
  },
  { file: "src/auth/rotation.ts", code: "until > now", mutants: ["until >= now"], why: "Kept: one instant." },
  { file: authentication, code: "version", mutants: ["true"], why: NONE_OR_UNDEFINED },
  { file: authentication, code: "release", mutants: ["true"], why: NONE_OR_UNDEFINED },
  {
    file: nonces,
    code: "[]",
    why: "Equivalent: a nonce that was taken meanwhile is refused by the statement of a batch, too.",
  },
  { file: nonces, code: "item", mutants: ["true"], why: GUARD },
  {
    file: nonces,
    code: "claim.nonce.toLowerCase()",
    why: "Equivalent: either makes one name of both cases.",
  },
  {
    file: nonces,
    code: "version && block",
    mutants: ["version || block"],
    why: "Equivalent: a row has both or neither.",
  },
  { file: nonces, code: 'outcome === "claimed"', mutants: ["true"], why: SAME_USAGE_ROW },
  { file: nonces, code: "left === null || resetMs === null", why: SAME_USAGE_ROW },
  { file: nonces, code: "left === null", mutants: ["false"], why: SAME_USAGE_ROW },
  { file: nonces, code: "resetMs === null", mutants: ["false"], why: SAME_USAGE_ROW },
  {
    file: nonces,
    code: "quota.resetMs > 0",
    why: "Equivalent: an entry whose window is over refuses nothing.",
  },
  {
    file: limits,
    code: "state.msBeforeNext <= 0",
    why: "Equivalent: a window of no time is over either way.",
  },
  {
    file: limits,
    code: "{ if (!(state instanceof RateLimiterRes)) throw state; }",
    why: ONLY_STATE,
  },
  { file: limits, code: "!(state instanceof RateLimiterRes)", mutants: ["false"], why: ONLY_STATE },
  {
    file: limits,
    code: 'address.kind() === "ipv4"',
    mutants: ["false"],
    why: "Equivalent: an IPv4 address has no colon to be cut at.",
  },
  {
    file: "src/auth/in-flight.ts",
    code: "left > 0",
    why: "Equivalent: a key with nothing in flight may be kept as nothing.",
  },
  {
    file: headers,
    code: 'sent.length > LONGEST || (sent[0] !== "x" && sent[0] !== "X")',
    mutants: ["false", 'sent.length > LONGEST && sent[0] !== "x" && sent[0] !== "X"'],
    why: FASTER,
  },
  { file: headers, code: "sent.length > LONGEST", mutants: ["false"], why: FASTER },
  { file: headers, code: 'sent[0] !== "x" && sent[0] !== "X"', mutants: ["false"], why: FASTER },
  { file: signature, code: "decoded === sent", mutants: ["false"], why: FASTER },
  { file: signature, code: "body.length > 0", mutants: ["true"], why: FASTER },
  { file: signature, code: "body.length > 0", mutants: ["body.length >= 0"], why: FASTER },
  { file: confirm, code: "minedBlock !== null", mutants: ["true"], why: GUARD },
  {
    file: confirm,
    code: "request.nonce < accountNonce",
    mutants: ["true", "request.nonce <= accountNonce"],
    why: FASTER,
  },
  {
    file: confirm,
    code: "[]",
    why: "Equivalent: a text in place of a block, of a hash or of a row matches nothing, and is left out.",
  },
  {
    file: confirm,
    code: 'request.state === "mined" && request.minedBlock !== null',
    mutants: ["true", 'request.state === "mined" || request.minedBlock !== null'],
    why: GUARD,
  },
  { file: confirm, code: 'request.state === "mined"', mutants: ["true"], why: GUARD },
  { file: confirm, code: "request.minedBlock !== null", mutants: ["true"], why: GUARD },
  {
    file: confirm,
    code: '{ deps.log.warn({ requestId, txHash }, "a reorg took a transaction out"); }',
    why: LOG,
  },
  {
    file: confirm,
    code: "request.attempts.map(({ hash }) => hash).reverse()",
    why: "Equivalent: a chain has at most one receipt of a nonce; that of the newest attempt is only the likeliest.",
  },
  { file: confirm, code: 'decision.kind === "ask"', mutants: ["false"], why: GUARD },
  { file: confirm, code: 'decision.kind === "foreign"', why: LOG },
  { file: confirm, code: "rows.length > 0", mutants: ["true", "rows.length >= 0"], why: FASTER },
  {
    file: confirm,
    code: "succeeded.filter(({ request, receipt }) => receipt.hash !== request.txHash)",
    why: FASTER,
  },
  { file: confirm, code: "receipt.hash !== request.txHash", mutants: ["true"], why: FASTER },
  { file: confirm, code: "calls.length > 0", mutants: ["true", "calls.length >= 0"], why: FASTER },
  {
    file: confirm,
    code: "request.delegationEpoch !== null",
    mutants: ["true"],
    why: "Equivalent: PostgreSQL has no delegation whose epoch is null.",
  },
  { file: confirm, code: "requests.length === 0", mutants: ["false"], why: FASTER },
  {
    file: confirm,
    code: "requests.filter(({ minedFiller }) => !minedFiller)",
    why: "Equivalent: those that endFilled has ended are no longer mined, and storeFinalRows changes no others.",
  },
  {
    file: confirm,
    code: "request.minedFiller",
    mutants: ["true"],
    why: "Equivalent: endFilled reads again, under a lock, that a filler was mined.",
  },
  {
    file: "src/sending/sender/chain-facts.ts",
    code: "block <= node.head.number",
    mutants: ["block < node.head.number"],
    why: "Equivalent: the head is known from the start.",
  },
  {
    file: "src/sending/sender/chain-facts.ts",
    code: "[]",
    why: "Equivalent: a text is no block up to the head, and is not asked for.",
  },
  {
    file: "src/sending/sender/chain-facts.ts",
    code: 'answer.kind === "result"',
    mutants: ["true"],
    why: GUARD,
  },
  { file: "src/sending/sender/context.ts", code: "knownNonce !== null", mutants: ["true"], why: GUARD },
  { file: sign, code: "reserved.length > 0", mutants: ["true", "reserved.length >= 0"], why: FASTER },
  { file: sign, code: "signable.length > 0", mutants: ["true", "signable.length >= 0"], why: FASTER },
  { file: sign, code: "signed.length === 0", mutants: ["false"], why: FASTER },
  {
    file: sign,
    code: "true",
    mutants: ["false"],
    why: "Equivalent: bytes that are new are due for broadcast in any case. And kept: a line for the operator.",
  },
  {
    file: sign,
    code: "[]",
    why: "Equivalent: stored attempts are found by their hashes, and a text has none.",
  },
  { file: reserved, code: "cycle.inFlight.filter(isReserved)", mutants: ["cycle.inFlight"], why: FASTER },
  { file: reserved, code: "reservations.length === 0", mutants: ["false"], why: FASTER },
  { file: reserved, code: "requests.length === 0", mutants: ["false"], why: FASTER },
  {
    file: reserved,
    code: "requests.filter(({ operation }) => !WITHOUT_DELEGATION.includes(operation))",
    mutants: ["requests"],
    why: "Equivalent: more delegations are locked, and they decide nothing about enables and disables.",
  },
  {
    file: reserved,
    code: "!(error instanceof CallRefused)",
    mutants: ["false"],
    why: "Equivalent: verifyCall throws nothing else.",
  },
  {
    file: walletKey,
    code: "state.keyFailedMs !== null",
    mutants: ["true"],
    why: "Equivalent: since 1970 more time has passed than the pause.",
  },
  { file: walletKey, code: 'outcome.status === "fulfilled"', mutants: ["true"], why: GUARD },
  { file: walletKey, code: "[]", why: GUARD },
  {
    file: fillers,
    code: "gasLimit <= FILLER_GAS",
    mutants: ["gasLimit < FILLER_GAS"],
    why: "Equivalent: of two equal values either is the limit.",
  },
  {
    file: fillers,
    code: "roomy < gasLimit",
    mutants: ["roomy <= gasLimit"],
    why: "Equivalent: of two equal values either is the limit.",
  },
  { file: cycle, code: "snapshot.hasAccepted", mutants: ["true"], why: FASTER },
  {
    file: cycle,
    code: "true",
    mutants: ["false"],
    why: "Kept: a wallet at rest runs its next cycle sooner.",
  },
  {
    file: cycle,
    code: "false",
    mutants: ["true"],
    why: "Kept: the next cycle comes with the next poll; and an alarm about what nobody can pay for is raised again.",
  },
  {
    file: cycle,
    code: 'cycle.row.state === "active"',
    mutants: ["true"],
    why: "Equivalent: nothing is signed in a stopped wallet; signRequest reads its state again, under the lock.",
  },
  { file: cycle, code: "[]", why: "Equivalent: no request has that state." },
  {
    file: cycle,
    code: "snapshot.hasMined && state.quietHead !== node.head.hash",
    mutants: ["true", "snapshot.hasMined || state.quietHead !== node.head.hash"],
    why: FASTER,
  },
  { file: cycle, code: "state.quietHead !== node.head.hash", mutants: ["true"], why: FASTER },
  { file: cycle, code: "nextNonce === null", mutants: ["false"], why: GUARD },
  { file: cycle, code: "nextNonce !== null", mutants: ["true"], why: GUARD },
  {
    file: cycle,
    code: "!isNewPeriod(state.observedMs, nowMs, deps.config.observeMs)",
    mutants: ["false"],
    why: FASTER,
  },
  {
    file: cycle,
    code: "{ Object.assign(attempt, { lastBroadcastMs: null, firstBroadcastMs: null, answer: null }); }",
    why: "Kept: the next cycle reads that they are due, and broadcasts them.",
  },
  {
    file: "src/sending/sender/account-nonce.ts",
    code: 'answer.kind === "result"',
    mutants: ["true"],
    why: GUARD,
  },
  {
    file: confirm,
    code: '{ deps.log.warn( { requestId: request.requestId, nonce: request.nonce.toString() }, "a nonce is u...',
    why: LOG,
  },
  { file: nodes, code: "open.length === 0", mutants: ["false"], why: FASTER },
  {
    file: rpc,
    code: "start < calls.length",
    mutants: ["start <= calls.length"],
    why: "Equivalent: a part without calls is not sent.",
  },
  {
    file: rpc,
    code: "[]",
    why: "Equivalent: an answer without an id is none to any call.",
  },
  {
    file: usableNodes,
    code: "height > highest",
    mutants: ["height >= highest"],
    why: "Equivalent: of two equal heights either is the highest.",
  },
  {
    file: usableNodes,
    code: "comparedMs !== null",
    mutants: ["true"],
    why: "Equivalent: since 1970 more time has passed than between any two comparisons.",
  },
  {
    file: fees,
    code: "a > b",
    mutants: ["a >= b"],
    why: "Equivalent: of two equal values either is the larger.",
  },
  {
    file: fees,
    code: "a < b",
    mutants: ["a <= b"],
    why: "Equivalent: of two equal values either is the smaller.",
  },
  {
    file: dispatch,
    code: "attempts.every(({ broadcasts }) => broadcasts === 0)",
    why: "Kept: a raised attempt that did not go out yet goes out with the new ones, and not a cycle later.",
  },
  {
    file: dispatch,
    code: "room <= 0",
    mutants: ["room < 0"],
    why: "Kept: while as much is in flight as may be, it reads the fees, and raises the alarm of what costs too much a little earlier.",
  },
  { file: dispatch, code: "group.length > 0", mutants: ["group.length >= 0", "true"], why: FASTER },
  {
    file: dispatch,
    code: "next.length < room && new Set(next.map(({ keyId }) => keyId)).size < 2",
    mutants: ["false"],
    why: FASTER,
  },
  { file: dispatch, code: "endings.size === 0", mutants: ["false"], why: FASTER },
  { file: cancellation, code: "candidates.length === 0", mutants: ["false"], why: FASTER },
  {
    file: cancellation,
    code: "requests.filter(({ operation }) => !WITHOUT_DELEGATION.includes(operation))",
    mutants: ["requests"],
    why: "Equivalent: an enable and a disable wait for a disable that is under way, too, and are signed all the same.",
  },
  {
    file: cancellation,
    code: "standing.policy",
    mutants: ["true"],
    why: "Equivalent: a key whose policy is null counts as one without a policy.",
  },
  {
    file: dispatch,
    code: "gas < GAS_MAX",
    mutants: ["gas <= GAS_MAX"],
    why: "Equivalent: of two equal values either is the smaller.",
  },
  {
    file: decision,
    code: "minedBlock === null",
    mutants: ["false"],
    why: "Equivalent: PostgreSQL refuses a mined request without its block (send_request_mined_check).",
  },
  { file: store, code: "states.length === 0", mutants: ["false"], why: FASTER },
  { file: store, code: "requests.length === 0", mutants: ["false"], why: FASTER },
  {
    file: store,
    code: "nonce === null",
    mutants: ["false"],
    why: "Equivalent: PostgreSQL refuses a signed request without a nonce (send_request_nonce_check).",
  },
  {
    file: store,
    code: "[]",
    why: "Equivalent: what is read has a nonce (send_request_nonce_check), and each request read has its list of attempts.",
  },
  {
    file: broadcast,
    code: "false",
    mutants: ["true"],
    why: "Equivalent: a request for which funds lack stays signed, and behind such a one nothing more is signed.",
  },
  { file: broadcast, code: "[]", why: GUARD },
  {
    file: broadcast,
    code: 'result.kind === "taken"',
    mutants: ["true"],
    why: "Equivalent: no other result has the field that is read after it.",
  },
  {
    file: broadcast,
    code: 'result.kind === "never-minable"',
    mutants: ["true"],
    why: "Equivalent: no other result has the field that is read after it.",
  },
  { file: resubmit, code: 'answer.kind === "result"', mutants: ["true"], why: GUARD },
  {
    file: resubmit,
    code: "!(error instanceof CallRefused)",
    mutants: ["false"],
    why: "Equivalent: verifyCall throws nothing else.",
  },
  { file: resubmit, code: 'action.kind === "fill"', why: LOG },
  {
    file: resubmit,
    code: "last === null",
    mutants: ["false"],
    why: "Equivalent: since 1970 more time has passed than between any two broadcasts.",
  },
  {
    file: "src/sending/signer/keystore.ts",
    code: "/^0x/",
    why: "Equivalent: the form that was checked before allows 0x at the start alone.",
  },
  {
    file: load,
    code: 'typeof error === "object" && error && "code" in error',
    mutants: ["true", 'typeof error === "object" && error || "code" in error'],
    why: GUARD,
  },
  { file: load, code: 'typeof error === "object" && error', why: GUARD },
  { file: load, code: 'typeof error === "object"', mutants: ["true"], why: GUARD },
  {
    file: "src/claims/attribution/kind.ts",
    code: "size(callData) < 4",
    mutants: ["false"],
    why: "Equivalent: what is shorter than a selector is no key of the map.",
  },
  {
    file: "src/claims/attribution/kind.ts",
    code: 'item.type === "function"',
    mutants: ["true"],
    why: "Equivalent: an event or error of the ABI has no kind, and nothing is owned of its selector.",
  },
  {
    file: suffix,
    code: "suffix.length > 2 + 2 * LENGTH_MAX",
    mutants: ["false", "suffix.length >= 2 + 2 * LENGTH_MAX"],
    why: "Equivalent: the fields of a valid suffix are shorter together; a longer one is only refused sooner.",
  },
  {
    file: suffix,
    code: "{ return undefined; }",
    why: "Equivalent: a function that ends without a statement returns the same.",
  },
  {
    file: "src/claims/record.ts",
    code: "[]",
    why: "Equivalent: an effect that has no id is presented as none.",
  },
  {
    file: "src/claims/record.ts",
    code: 'status.state === "mined"',
    mutants: ["true"],
    why: GUARD,
  },
  {
    file: delegations,
    code: "score > best.score",
    mutants: ["score >= best.score"],
    why: "Equivalent: two wallets never have the same hash.",
  },
  {
    file: "src/sending/outbox/identity.ts",
    code: "a < b",
    mutants: ["a <= b"],
    why: "Equivalent: no two fields of an object have the same name.",
  },
  {
    file: policy,
    code: "policy.dailyNotionalCap !== null && subject.notional !== null",
    mutants: ["true", "policy.dailyNotionalCap !== null || subject.notional !== null"],
    why: FASTER,
  },
  { file: policy, code: "policy.dailyNotionalCap !== null", mutants: ["true"], why: FASTER },
  { file: policy, code: "subject.notional !== null", mutants: ["true"], why: FASTER },
  {
    file: "src/sending/outbox/policy-store.ts",
    code: "!isDayCounted",
    mutants: ["true"],
    why: "Equivalent: a day that is counted already is not counted anew (app.begin_notional).",
  },
  {
    file: "src/sending/outbox/request-store.ts",
    code: "[]",
    why: "Equivalent: no request has the bytes that come of other texts as its name.",
  },
  {
    file: "src/sending/outbox/submit-store.ts",
    code: "[]",
    why: "Equivalent: no request has the bytes that come of other texts as its name.",
  },
  {
    file: submit,
    code: 'row.state === "accepted"',
    mutants: ["true"],
    why: "Equivalent: a worker that is notified of nothing new polls once more.",
  },
  { file: delegations, code: "true", mutants: ["false"], why: SELECTED },
  {
    file: submit,
    code: "uncertain && error instanceof ApiError",
    mutants: ["true", "uncertain || error instanceof ApiError"],
    why: LOOK_UP,
  },
  { file: submit, code: "taken || refused", mutants: ["true"], why: LOOK_UP },
  {
    file: wait,
    code: '{ deps.log.warn({ err, requestId }, "the state of a request cannot be read"); return null; }',
    why: "Kept: undefined leaves the request as it was read last, as null does; the rest is a line for the operator.",
  },
  {
    file: watch,
    code: "callData === null || suffix === null",
    why: "Equivalent: the statement nulls both or neither, by the same condition.",
  },
  {
    file: watch,
    code: "callData === null",
    mutants: ["false"],
    why: "Equivalent: the statement nulls both or neither, by the same condition.",
  },
  {
    file: watch,
    code: "suffix === null",
    mutants: ["false"],
    why: "Equivalent: the statement nulls both or neither, by the same condition.",
  },
  { file: watch, code: "[]", why: GUARD },
  {
    file: "src/claims/attribution/suffix-store.ts",
    code: "-1",
    mutants: ["+1"],
    why: "Equivalent: it goes with block 0, whose transactions no deployment follows.",
  },
  { file: "src/claims/attribution/claim.ts", code: "true", mutants: ["false"], why: SELECTED },
  { file: "src/claims/attribution/sync-cursor.ts", code: "true", mutants: ["false"], why: SELECTED },
  {
    file: watch,
    code: "2 ** 31 - 1",
    mutants: ["2 ** 31 + 1"],
    why: "Kept: PostgreSQL refuses the number, in attribution.integration, which costs half a minute a mutant.",
  },
  {
    file: deliver,
    code: "found.locked.length === 0",
    mutants: ["true"],
    why: "Kept: a second webhook that stays locked is waited for, too, a tenth of a second.",
  },
  { file: deliver, code: "free === 0", mutants: ["false"], why: FASTER },
  {
    file: deliver,
    code: "UNDER_WAY_MAX - underWay.size",
    why: "Kept: more than 256 attempts under way, of seventeen keys.",
  },
  {
    file: deliver,
    code: 'toDatabaseError(cause)?.errCode === "DATABASE_UNAVAILABLE"',
    mutants: ["false"],
    why: "Kept: without a database the run fails either way; the words of a log line are others.",
  },
  {
    file: "src/webhooks/webhooks.ts",
    code: "made instanceof ApiError",
    mutants: ["false"],
    why: "Equivalent: GraphQL.js throws an error that a resolver returns.",
  },
  {
    file: webhookInput,
    code: 'z .string({ error: "must be a UUID" }) .max(36, { error: "must be a UUID", abort: true })',
    why: ONE_OF_TWO,
  },
  { file: webhookInput, code: "/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i", why: ONE_OF_TWO },
  { file: webhookInput, code: "true", mutants: ["false"], why: ONE_OF_TWO },
  {
    file: attempts,
    code: "answer.statusCode ?? 0",
    why: "Kept: an attribute of a trace, which only a collector of traces sees.",
  },
  { file: attempts, code: "error instanceof ApiError", mutants: ["true"], why: GUARD },
  {
    file: connections,
    code: "isIP(host) === 0",
    why: "Kept: it is held by a test over TLS, which runs in a process of its own: a certificate is trusted at a start.",
  },
  {
    file: connections,
    code: '["http/1.1"]',
    why: "Equivalent: a server that is offered no protocol speaks HTTP/1.1.",
  },
  {
    file: connections,
    code: "left >= 0",
    mutants: ["left > 0"],
    why: "Kept: one byte of 64 KiB.",
  },
  {
    file: connections,
    code: "{ this.#socket.end(done); }",
    why: "Equivalent: a request has a length, and its connection is destroyed with its answer.",
  },
  { file: connections, code: "options.all", mutants: ["true"], why: ALL_ADDRESSES },
  { file: connections, code: 'first?.address ?? ""', why: ALL_ADDRESSES },
  { file: connections, code: "first?.family ?? 4", why: ALL_ADDRESSES },
  {
    file: posts,
    code: "/^[A-Z_]{2,60}$/",
    why: "Kept: a code that the list lacks comes of networks and certificates that a test does not have.",
  },
  {
    file: posts,
    code: "bytes > BODY_MAX_BYTES",
    mutants: ["bytes >= BODY_MAX_BYTES"],
    why: "Kept: one byte of 16 KiB.",
  },
  {
    file: posts,
    code: "statusCode >= 200",
    mutants: ["true"],
    why: "Equivalent: Node.js takes an answer below 200 as an informational one.",
  },
  { file: posts, code: "value === undefined", mutants: ["false"], why: GUARD },
  {
    file: posts,
    code: '"code" in error && typeof error.code === "string"',
    mutants: ["true", '"code" in error || typeof error.code === "string"'],
    why: GUARD,
  },
  { file: posts, code: 'typeof error.code === "string"', mutants: ["true"], why: GUARD },
  {
    file: targets,
    code: "[]",
    why: "Equivalent: a text that is no address is refused in the same words as no address.",
  },
  {
    file: targets,
    code: "/^\\[(.*)\\]$/",
    why: "Equivalent: a host has brackets at both ends or none.",
  },
  {
    file: targets,
    code: "{ return null; }",
    why: "Equivalent: a function that ends without a statement returns as little.",
  },
  {
    file: operation,
    code: "tokenAmount !== null && wadAmount !== null",
    why: BOTH_AMOUNTS,
  },
  { file: operation, code: "tokenAmount !== null", mutants: ["true"], why: BOTH_AMOUNTS },
  { file: operation, code: "wadAmount !== null", mutants: ["true"], why: BOTH_AMOUNTS },
  { file: operation, code: "fee !== null", mutants: ["true"], why: GUARD },
  {
    file: operation,
    code: "fee < 0n",
    mutants: ["fee <= 0n"],
    why: "Equivalent: no fee is 0 either way.",
  },
  {
    file: prepared,
    code: '[await ledgerRequirement({ chain, product, user }, asset === "stock" ? token : null, amount)]',
    why: OF_A_CHAIN,
  },
  { file: prepared, code: 'asset === "stock"', why: OF_A_CHAIN },
  {
    file: comparison,
    code: "first < second",
    mutants: ["first <= second"],
    why: "Equivalent: the two are not equal.",
  },
  { file: comparison, code: "row.blockNumber === null", mutants: ["false"], why: GUARD },
  {
    file: "src/events/writer/key-rows.ts",
    code: "all.filter((column) => !key.includes(column))",
    mutants: ["all"],
    why: "Equivalent: columns of the key are the same in both rows.",
  },
  {
    file: step,
    code: "[]",
    mutants: ['["Stryker was here"]'],
    why: "Equivalent: fills of a step without an event reach nobody, a product without a type has no row in the index, and the others stand in for what is always there.",
  },
  {
    file: step,
    code: "performance.now() - pass.verifiedAtMs >= verifyMs",
    mutants: ["performance.now() - pass.verifiedAtMs > verifyMs"],
    why: "Kept: one instant.",
  },
  {
    file: step,
    code: "pass.safe > verified",
    mutants: ["pass.safe >= verified"],
    why: "Equivalent: the two are the same block.",
  },
  { file: feed, code: `!json.includes('"\${objectId}"')`, mutants: ["false"], why: FASTER },
  {
    file: "src/context/streams/slots.ts",
    code: "left > 0",
    mutants: ["true", "left >= 0"],
    why: "Equivalent: a holder without a stream may be kept as none.",
  },
  {
    file: reader,
    code: "false",
    mutants: ["true"],
    why: "Equivalent: whoever begins a read asks for it. And kept: a failure is logged once.",
  },
  {
    file: reader,
    code: "found.events.length > 0",
    mutants: ["true", "found.events.length >= 0"],
    why: FASTER,
  },
  {
    file: reader,
    code: '{ if (!isFailing) log.warn({ err, chainId }, "streams of events wait: the log cannot be read"); i...',
    why: LOG,
  },
  { file: reader, code: "!isFailing", why: LOG },
  { file: reader, code: "true", mutants: ["false"], why: LOG },
  {
    file: reader,
    code: "performance.now() - readAt <= withinMs",
    mutants: ["performance.now() - readAt < withinMs"],
    why: "Kept: one instant.",
  },
  {
    file: stream,
    code: "false",
    mutants: ["true"],
    why: "Equivalent: each page begins with nothing missed. And kept: a pause that would keep a process from its end.",
  },
  { file: stream, code: "isOver()", mutants: ["false"], why: FASTER },
  { file: stream, code: "isReading", mutants: ["false"], why: ONE_MICROTASK },
  { file: stream, code: "true", mutants: ["false"], why: ONE_MICROTASK },
  {
    file: stream,
    code: 'state === "catching up"',
    mutants: ["true"],
    why: "Equivalent: of a stream that is live, it is not read before the next page begins.",
  },
  {
    file: stream,
    code: "sink.pendingBytes() > bufferBytes",
    mutants: ["sink.pendingBytes() >= bufferBytes"],
    why: "Kept: one byte of the bound.",
  },
  {
    file: "src/http/routes.ts",
    code: "shapeOf(a) < shapeOf(b)",
    mutants: ["shapeOf(a) <= shapeOf(b)"],
    why: "Equivalent: routes of one shape have different methods.",
  },
  { file: "src/http/body.ts", code: "request", mutants: ["true"], why: GUARD },
  { file: "src/http/server.ts", code: "hasBody(request)", mutants: ["true"], why: FASTER },
  {
    file: "src/http/server.ts",
    code: "exchange.cause === null",
    mutants: ["true"],
    why: "Kept: a connection whose only request named a key and was refused is closed with the partners'.",
  },
  { file: bodies, code: '!token.includes("\\\\")', mutants: ["false"], why: FASTER },
  {
    file: bodies,
    code: "mark < 0",
    mutants: ["mark <= 0"],
    why: "Equivalent: no parameter has an empty name, so that one is refused before.",
  },
  { file: bodies, code: "!/[%+]/.test(text)", mutants: ["false"], why: FASTER },
  {
    file: "src/http/failures.ts",
    code: "thrown instanceof ApiError",
    mutants: ["false"],
    why: "Equivalent: toDatabaseError returns an ApiError as it is.",
  },
  { file: "src/http/static-files.ts", code: "!chosen", mutants: ["false"], why: GUARD },
  {
    file: requestTarget,
    code: "mark < 0",
    mutants: ["mark <= 0"],
    why: "Equivalent: a target begins with a slash.",
  },
  {
    file: requestTarget,
    code: 'prefix !== ""',
    mutants: ["true"],
    why: "Equivalent: an empty prefix takes nothing off.",
  },
  {
    file: receipts,
    code: "answerCount += 1",
    mutants: ["answerCount -= 1"],
    why: "Equivalent: it is compared with 0 alone.",
  },
  { file: receipts, code: "[]", why: "Equivalent: eth_chainId takes no parameter, and no node reads one." },
  { file: receipts, code: 'answer?.kind !== "result"', mutants: ["false"], why: GUARD },
  {
    file: requests,
    code: "/\\/send$/",
    why: NO_SUCH_PATH,
  },
  { file: requests, code: "/\\/(calldata|prepare|preview|tx)$/", why: NO_SUCH_PATH },
  { file: answers, code: "text !== null", mutants: ["true"], why: GUARD },
  {
    file: errors,
    code: "Math.abs(clockSkewMs) > TIMESTAMP_WINDOW_MS",
    mutants: ["Math.abs(clockSkewMs) >= TIMESTAMP_WINDOW_MS"],
    why: "Kept: one millisecond of 45 seconds.",
  },
  {
    file: errors,
    code: "clockSkewMs > 0",
    mutants: ["clockSkewMs >= 0"],
    why: "Equivalent: a clock that is off is not right.",
  },
  {
    file: options,
    code: "/^https?:$/",
    mutants: ["/^https?:/"],
    why: "Equivalent: a protocol ends with its colon.",
  },
  {
    file: webhook,
    code: "/^\\d{1,15}$/",
    why: "Equivalent: a time of another form is none, or one that was signed as it is.",
  },
  {
    file: webhook,
    code: "ageSeconds <= toleranceSeconds",
    mutants: ["ageSeconds < toleranceSeconds"],
    why: "Kept: one instant.",
  },
  { file: webhook, code: "false", mutants: ["true"], why: "Kept: a key that could be exported, and is not." },
  {
    file: heads,
    code: "false",
    mutants: ["true"],
    why: `${BEFORE_ALL} And kept: whether a node may compress its announcements.`,
  },
  { file: heads, code: "true", mutants: ["false"], why: BEFORE_ALL },
  {
    file: heads,
    code: "{ return undefined; }",
    why: "Equivalent: a function that ends without a statement returns the same.",
  },
  {
    file: "indexer/chain-memory.ts",
    code: "number > head",
    mutants: ["number >= head"],
    why: "Equivalent: the head itself is recorded next.",
  },
];
