import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ROOT } from "../../../src/config/root.ts";

/** A client of a server that runs as a program of its own. */
export interface StdioClient {
  /** Names of the tools that it offers. */
  toolNames(): Promise<string[]>;
  call(name: string, args?: Record<string, unknown>): Promise<{ isError: boolean; text: string }>;
  /** Standard error of the server. */
  errors(): string;
  close(): Promise<void>;
}

/** Starts a server by its arguments for node, and connects the SDK's client to it. */
export async function connectStdio(args: string[], env: Record<string, string>): Promise<StdioClient> {
  const command = process.execPath;
  const transport = new StdioClientTransport({ command, args, env, cwd: ROOT, stderr: "pipe" });
  let errors = "";
  transport.stderr?.on("data", (data) => (errors += data));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  return {
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const [{ text }] = content as [{ text: string }];
      return { isError: isError === true, text };
    },
    errors: () => errors,
    close: () => client.close(),
  };
}
