import type { Sample } from "./samples.ts";

/** The sandbox's values for the examples of the document. */
export interface Real {
  userAddress: string;
  /** Tokens of the operations below /cash and of those that deposit, and of those below /stock. */
  cashToken: string;
  stockToken: string;
  /** Ids and hashes, by the operations that take them. */
  ids: Readonly<Record<string, string>>;
  clientOrderId: string;
  requestId: string;
  hookUrl: string;
  webhookId: string;
  deliveryId: string;
  eventCursor: string;
  delegation: { signature: string; deadline: number; nonce: number };
}

const EXAMPLES = {
  token: /(tokenAddress\W+)0x[0-9a-fA-F]{40}/g,
  user: /0x70997970C51812dc3A010C7d01b50e0d17dc79C8/g,
  hash: /0x8a7d3f1c5b9e2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a2c4e6b8d0f/g,
  signature: /0x(5f){64}1b/g,
};
const DELEGATION = "oneClick.enable";

/** Returns a sample with real values in the place of the document's examples, and otherwise as it stands. */
export function realistic({ id, source }: Sample, real: Real): Sample {
  const token = id.startsWith("stock.") ? real.stockToken : real.cashToken;
  const replaced = source
    .replaceAll(EXAMPLES.token, `$1${token}`)
    .replaceAll(EXAMPLES.user, real.userAddress)
    .replaceAll(EXAMPLES.hash, () => idOf(id, real))
    .replaceAll("order-42", real.clientOrderId)
    .replaceAll("0f8b6f5e-3f0a-4c8e-9a43-6d6a1b1f2c3d", real.requestId)
    .replaceAll("https://partner.example/hooks/trading", real.hookUrl)
    .replaceAll("7c1f3b52-9d64-4b0e-9a7e-2f8d5c6b1a90", real.webhookId)
    .replaceAll("0b6e4a1d-53c7-4c0a-8f5e-9d2b7a6c3e18", real.deliveryId)
    .replaceAll("WzE3XQ", real.eventCursor)
    // No other test has orders for so long.
    .replace(/(seconds\W+)60\b/, "$186400")
    // Within what the sandbox's users have.
    .replaceAll('"250.5"', '"1"')
    .replaceAll('"400"', '"101"');
  return { id, source: id === DELEGATION ? delegated(replaced, real.delegation) : replaced };
}

function idOf(operation: string, { ids }: Real): string {
  const id = ids[operation];
  if (id === undefined) throw new Error(`the sample of ${operation} needs an id`);
  return id;
}

const delegated = (source: string, { signature, deadline, nonce }: Real["delegation"]): string =>
  source
    .replace(EXAMPLES.signature, signature)
    .replace("1924992000", String(deadline))
    .replace(/(nonce"?: ?)1\b/, `$1${nonce}`);
