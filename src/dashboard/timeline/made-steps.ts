import { formatDecimal, formatWad, WAD_DECIMALS } from "../../protocol/decimal.ts";
import { OPERATIONS } from "../../protocol/operations.ts";
import { mappedStep } from "./claim-steps.ts";
import { FILLS_MAX, type FillRow, type OperationRow, type OrderRow } from "./index-store.ts";
import { mUsd, plural, type Step, sortTimeOfBlock, step } from "./steps.ts";
import type { Story } from "./story.ts";

/** Returns the steps of an order on the chain: indexed, owned, placed, filled, canceled or ended. */
export function orderSteps(story: Story, order: OrderRow): Step[] {
  const { blockNumber, createdAt: seconds, txHash } = order;
  const at = blockStep(story, blockNumber, seconds, txHash);
  return [
    step(
      {
        kind: "placed",
        title: `Placed: ${order.orderType} ${order.side} ${order.symbol ?? ""}`.trim(),
        ...at,
      },
      {
        "Order id": order.orderId,
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
  const sortMs = sortTimeOfBlock(story, blockNumber, seconds);
  return { atMs: seconds * 1_000, sortMs, blockNumber, txHash };
}

/** Returns the step "indexed", at the time of the first event of the block, which is written once the block is indexed. */
function indexedStep(story: Story, { blockNumber, txHash }: OrderRow | OperationRow): Step {
  const told = story.events.find(({ blockNumber: block }) => block === blockNumber);
  return step({
    kind: "indexed",
    title: "Indexed",
    blockNumber,
    txHash,
    atMs: told?.createdMs ?? null,
    sortMs: null,
  });
}

const fillStep = (story: Story, fill: FillRow): Step =>
  step(
    {
      kind: "fill",
      title: `Filled ${formatWad(fill.quantity)} at ${formatWad(fill.price)} mUSD`,
      ...blockStep(story, fill.blockNumber, fill.timestamp, fill.txHash),
    },
    { Quantity: formatWad(fill.quantity), Price: mUsd(fill.price), Fee: mUsd(fill.fee) },
  );

function hiddenFills({ fillCount, fills }: OrderRow): Step[] {
  const hidden = fillCount - fills.length;
  if (hidden <= 0) return [];
  return [
    step({ kind: "fill", title: `${plural(hidden, "more fill")}, not shown: the first ${FILLS_MAX} are` }),
  ];
}

/** Returns the step of a cancellation's request, whose time the index has only as that of the order's last change. */
function cancelStep(story: Story, order: OrderRow): Step[] {
  const { cancelTxHash: txHash, status, updatedAt, updatedBlock } = order;
  if (txHash === null) return [];
  const title = "Cancellation asked for on the chain";
  const own = story.sends.find((send) => send.txHash === txHash);
  if (status === "canceling" && !own?.minedBlock)
    return [step({ kind: "cancel_requested", title, ...blockStep(story, updatedBlock, updatedAt, txHash) })];
  const { minedMs: atMs = null, minedBlock: blockNumber = null } = own ?? {};
  return [step({ kind: "cancel_requested", title, atMs, blockNumber, txHash })];
}

/** Returns why an order ended, for people. */
function endOf({ status, rejectReason }: OrderRow): string {
  switch (status) {
    case "rejected":
      return `Rejected by the broker${rejectReason === null ? "" : `, reason ${rejectReason}`}`;
    case "expired":
      return "Expired: the session ended";
    case "canceled":
      return "Canceled";
    default:
      return "Filled completely";
  }
}

function settledStep(story: Story, order: OrderRow): Step[] {
  const { settledAt: seconds, settleTxHash, updatedBlock, status } = order;
  if (seconds === null) return [];
  const state = status === "rejected" || status === "expired" ? "failed" : "done";
  const at = blockStep(story, updatedBlock, seconds, settleTxHash ?? order.txHash);
  return [
    step(
      { kind: "settled", title: endOf(order), state, ...at },
      { Filled: formatWad(order.filledQuantity), Fills: order.fillCount },
    ),
  ];
}

/** Returns the steps of an operation on the chain: indexed, owned, made, ended. */
export function operationSteps(story: Story, operation: OperationRow): Step[] {
  const { kind, blockNumber, createdAt, txHash, orderId } = operation;
  return [
    step(
      {
        kind: "created",
        title: `Made: ${kind}${orderId ? " with an order" : ""}`,
        ...blockStep(story, blockNumber, createdAt, txHash),
      },
      { "Operation id": operation.opId, ...amountsOf(operation) },
    ),
    ...(orderId === null || story.orders.length === 0
      ? [indexedStep(story, operation), mappedStep(story, operation)]
      : []),
    ...operationEnd(story, operation),
  ];
}

function amountsOf({ kind, tokenAmount, wadAmount, decimals, symbol }: OperationRow) {
  const tokens = tokenAmount === null ? null : formatDecimal(tokenAmount, decimals ?? WAD_DECIMALS);
  const isStock = OPERATIONS[kind].asset === "stock";
  return isStock ? { Stock: symbol, Amount: tokens } : { Tokens: tokens, "On the exchange": mUsd(wadAmount) };
}

function operationEnd(story: Story, operation: OperationRow): Step[] {
  const { status, settledAt: seconds, rejectReason, settleTxHash, updatedBlock, txHash } = operation;
  if (status === "processing" || seconds === null) return [];
  const reason = rejectReason === null ? "" : `, reason ${rejectReason}`;
  const failed = status === "failed";
  const at = blockStep(story, updatedBlock, seconds, settleTxHash ?? txHash);
  const title = failed ? `Rejected by the cash desk${reason}` : "Completed";
  return [step({ kind: "settled", title, state: failed ? "failed" : "done", ...at }, amountsOf(operation))];
}
