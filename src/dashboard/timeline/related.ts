import { namedIn } from "../search/on-chain.ts";
import { type SearchHit, titleOfOperation, titleOfOrder, titleOfSend } from "../titles.ts";
import type { Story } from "./story.ts";

/** Returns the objects that a timeline's object belongs with, itself left out. */
export function relatedOf(story: Story): SearchHit[] {
  const { subject, sends, orders, operations } = story;
  const { chainId, txHash } = subject;
  const made = [...orders, ...operations];
  const hits: SearchHit[] = [
    ...sends.map(
      (send): SearchHit => ({
        kind: "send",
        id: send.requestId,
        chainId,
        productType: send.productType,
        title: titleOfSend(send),
      }),
    ),
    ...(txHash === null ? [] : [transactionHit(story, txHash)]),
    ...orders.map(
      (order): SearchHit => ({
        kind: "order",
        id: order.orderId,
        chainId,
        productType: order.productType,
        title: titleOfOrder(order),
      }),
    ),
    ...operations.map(
      (operation): SearchHit => ({
        kind: "operation",
        id: operation.opId,
        chainId,
        productType: operation.productType,
        title: titleOfOperation(operation),
      }),
    ),
    ...story.canceled.slice(0, 1).map(
      ({ orderId: id, productType }): SearchHit => ({
        kind: "order",
        id,
        chainId,
        productType,
        title: "The order that it cancels",
      }),
    ),
    ...(made.length === 0 ? named(story) : []),
  ];
  return hits.filter(({ kind, id }) => kind !== subject.kind || id !== subject.id);
}

const transactionHit = ({ subject }: Story, id: string): SearchHit => ({
  kind: "transaction",
  id,
  chainId: subject.chainId,
  productType: subject.productType,
  title: "Transaction",
});

/** Returns the orders that a foreign transaction is about, such as a fill; some may not be indexed. */
function named({ chain, node, subject }: Story): SearchHit[] {
  if (node?.state !== "mined") return [];
  return namedIn(node.logs, chain).map(({ kind, id }) => ({
    kind,
    id,
    chainId: subject.chainId,
    productType: null,
    title: kind,
  }));
}

/** Returns a timeline's object in a few words. */
export function titleOf({ subject, orders, operations, sends, claims, node }: Story): string {
  const [order] = orders;
  const [operation] = operations;
  const send = sends.find(({ requestId }) => requestId === subject.requestId) ?? sends[0];
  const own = {
    order: order && titleOfOrder(order),
    operation: operation && titleOfOperation(operation),
    send: send && titleOfSend(send),
    transaction: undefined,
  }[subject.kind];
  if (own !== undefined) return own;
  const what = send?.operation ?? claims[0]?.operationType ?? (order && "trade") ?? operation?.kind;
  const state = node?.state === "waiting" ? ", not mined" : "";
  return `${subject.kind === "transaction" ? "Transaction" : subject.kind}${what ? ` of ${what}` : ""}${state}`;
}
