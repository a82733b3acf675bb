import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A node that knows its newest block alone. */
export interface HeadNode {
  url: string;
  stop(): void;
}

/** Starts such a node. @param headOf returns its newest block, or "silent" where it answers nothing */
export async function startHeadNode(headOf: () => number | "silent"): Promise<HeadNode> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const asked: { id: number } | { id: number }[] = JSON.parse(Buffer.concat(chunks).toString());
    const head = headOf();
    if (head === "silent") return;
    const answer = ({ id }: { id: number }) => ({ jsonrpc: "2.0", id, result: `0x${head.toString(16)}` });
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
