import type { TcpProxy } from "./tcp-proxy.ts";

const COMMIT = /Q.{4}commit\0/s;
/** Every order changes balances, each of which is a row of it. */
const WRITES = /(insert into|copy) "\w+"\."activity"/i;

/** No server listens there: a connection is accepted by the proxy, and ends before PostgreSQL answers. */
export const CLOSED = 1;
const OUTAGE_MS = 1_000;

/**
 * Cuts an indexer's connection at its first COMMIT of orders, before PostgreSQL gets it or after that; and in the first case
 * keeps the indexer from connecting again for a moment.
 * @returns how often it cut
 */
export function cutAtCommit(proxy: TcpProxy, when: "before" | "after"): () => number {
  // An indexer commits what it fetched on another connection meanwhile, and tries that again.
  const writers = new WeakSet<object>();
  let cuts = 0;
  const { targetPort } = proxy;
  const outage = (): void => {
    proxy.targetPort = CLOSED;
    proxy.cut();
    setTimeout(() => {
      proxy.targetPort = targetPort;
    }, OUTAGE_MS);
  };
  proxy.cutAfter = (data, connection) => {
    if (cuts > 0) return false;
    const text = data.toString("latin1");
    if (WRITES.test(text)) writers.add(connection);
    if (!writers.has(connection) || !COMMIT.test(text)) return false;
    cuts += 1;
    if (when === "before") outage();
    return when === "after";
  };
  return () => cuts;
}
