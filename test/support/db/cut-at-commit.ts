import type { TcpProxy } from "./tcp-proxy.ts";

const COMMIT = /Q.{4}commit\0/s;
/** Every order changes balances, each of which is a row of it. */
const WRITES = /(insert into|copy) "\w+"\."activity"/i;

/** Nobody listens there: a connection is accepted by the proxy, and ends before PostgreSQL answers. */
export const CLOSED = 1;
const OUTAGE_MS = 1_000;

/**
 * Cuts an indexer's connection at its first COMMIT of orders, before PostgreSQL gets it or after that; and in the first case
 * keeps the indexer from connecting again for a moment.
 * @returns how often it cut
 */
export function cutAtCommit(proxy: TcpProxy, when: "before" | "after"): () => number {
  let hasWritten = false;
  let cuts = 0;
  const { targetPort } = proxy;
  const outage = (): void => {
    proxy.targetPort = CLOSED;
    proxy.cut();
    setTimeout(() => {
      proxy.targetPort = targetPort;
    }, OUTAGE_MS);
  };
  proxy.cutAfter = (data) => {
    if (cuts > 0) return false;
    const text = data.toString("latin1");
    hasWritten ||= WRITES.test(text);
    if (!hasWritten || !COMMIT.test(text)) return false;
    cuts += 1;
    if (when === "before") outage();
    return when === "after";
  };
  return () => cuts;
}
