import { formatDecimal, formatWad, WAD_DECIMALS } from "../../protocol/decimal.ts";
import { mappedStep } from "./claim-steps.ts";
import { FILLS_MAX, type FillRow, type OperationRow, type OrderRow } from "./index-store.ts";
import { mUsd, placeOfBlock, plural, type Step, step } from "./steps.ts";
import type { Story } from "./story.ts";

/** Returns the steps of an order on the chain: indexed, owned, placed, filled, canceled or ended. */
export function orderSteps(story: Story, order: OrderRow): Step[] {
  const { block_number: blockNumber, created_at: seconds, tx_hash: txHash } = order;
  const at = blockStep(story, blockNumber, seconds, txHash);
  return [
    step(
      {
        kind: "placed",
        title: `Placed: ${order.order_type} ${order.side} ${order.symbol ?? ""}`.trim(),
        ...at,
      },
      {
        orderId: order.order_id,
        Quantity: order.quantity === null ? null : formatWad(order.quantity),
        Notional: mUsd(order.notional),
        Price: mUsd(order.price),
      },
    ),
    indexedStep(story, order),
    mappedStep(story, order),
    ...order.fills.map((fill) => fillStep(story, fill)),
    ...hiddenFills(order),
    ...cancelStep(story, order),
    ...settledStep(story, order),
  ];
}

function blockStep(story: Story, blockNumber: bigint, seconds: number, txHash: string) {
  const placeMs = placeOfBlock(story, blockNumber, seconds);
  return { atMs: seconds * 1_000, placeMs, blockNumber, txHash };
}

/** The first event of a block is written once the block is indexed. */
function indexedStep(story: Story, { block_number, tx_hash: txHash }: OrderRow | OperationRow): Step {
  const told = story.events.find(({ block_number: block }) => block === block_number);
  return step({
    ...{ kind: "indexed", title: "Indexed", blockNumber: block_number, txHash },
    ...{ atMs: told?.created_ms ?? null, placeMs: null },
  });
}

const fillStep = (story: Story, fill: FillRow): Step =>
  step(
    {
      ...{ kind: "fill", title: `Filled ${formatWad(fill.quantity)} at ${formatWad(fill.price)} mUSD` },
      ...blockStep(story, fill.block_number, fill.timestamp, fill.tx_hash),
    },
    { Quantity: formatWad(fill.quantity), Price: mUsd(fill.price), Fee: mUsd(fill.fee) },
  );

function hiddenFills({ fill_count, fills }: OrderRow): Step[] {
  const hidden = fill_count - fills.length;
  if (hidden <= 0) return [];
  return [
    step({ kind: "fill", title: `${plural(hidden, "more fill")}, not shown: the first ${FILLS_MAX} are` }),
  ];
}

/** The index keeps the time of a cancellation's request only as that of the order's last change. */
function cancelStep(story: Story, order: OrderRow): Step[] {
  const { cancel_tx_hash: txHash, status, updated_at, updated_block } = order;
  if (txHash === null) return [];
  const title = "Cancellation asked for on the chain";
  const own = story.sends.find((send) => send.tx_hash === txHash);
  if (status === "canceling" && !own?.mined_block)
    return [
      step({ kind: "cancel_requested", title, ...blockStep(story, updated_block, updated_at, txHash) }),
    ];
  const { mined_ms: atMs = null, mined_block: blockNumber = null } = own ?? {};
  return [step({ kind: "cancel_requested", title, atMs, blockNumber, txHash })];
}

/** Returns why an order ended, for people. */
function endOf({ status, reject_reason }: OrderRow): string {
  switch (status) {
    case "rejected":
      return `Rejected by the broker${reject_reason === null ? "" : `, reason ${reject_reason}`}`;
    case "expired":
      return "Expired: the session ended";
    case "canceled":
      return "Canceled";
    default:
      return "Filled completely";
  }
}

function settledStep(story: Story, order: OrderRow): Step[] {
  const { settled_at: seconds, settle_tx_hash, updated_block, status } = order;
  if (seconds === null) return [];
  const state = status === "rejected" || status === "expired" ? "failed" : "done";
  const at = blockStep(story, updated_block, seconds, settle_tx_hash ?? order.tx_hash);
  return [
    step(
      { kind: "settled", title: endOf(order), state, ...at },
      { Filled: formatWad(order.filled_quantity), Fills: order.fill_count },
    ),
  ];
}

/** Returns the steps of an operation on the chain: indexed, owned, made, ended. */
export function operationSteps(story: Story, operation: OperationRow): Step[] {
  const { kind, block_number, created_at, tx_hash, order_id } = operation;
  return [
    step(
      {
        ...{ kind: "created", title: `Made: ${kind}${order_id ? " with an order" : ""}` },
        ...blockStep(story, block_number, created_at, tx_hash),
      },
      { operationId: operation.op_id, ...amountsOf(operation) },
    ),
    ...(order_id === null || story.orders.length === 0
      ? [indexedStep(story, operation), mappedStep(story, operation)]
      : []),
    ...operationEnd(story, operation),
  ];
}

function amountsOf({ kind, token_amount, wad_amount, decimals, symbol }: OperationRow) {
  const tokens = token_amount === null ? null : formatDecimal(token_amount, decimals ?? WAD_DECIMALS);
  const isStock = kind === "stock-deposit" || kind === "stock-withdraw";
  return isStock
    ? { Stock: symbol, Amount: tokens }
    : { Tokens: tokens, "On the exchange": mUsd(wad_amount) };
}

function operationEnd(story: Story, operation: OperationRow): Step[] {
  const { status, settled_at: seconds, reject_reason, settle_tx_hash, updated_block, tx_hash } = operation;
  if (status === "processing" || seconds === null) return [];
  const reason = reject_reason === null ? "" : `, reason ${reject_reason}`;
  const failed = status === "failed";
  const at = blockStep(story, updated_block, seconds, settle_tx_hash ?? tx_hash);
  const title = failed ? `Rejected by the cash desk${reason}` : "Completed";
  return [step({ kind: "settled", title, state: failed ? "failed" : "done", ...at }, amountsOf(operation))];
}
