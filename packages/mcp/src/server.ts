import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { PartnerTrading } from "../../client/src/index.ts";
import manifest from "../package.json" with { type: "json" };
import { callTool, type ToolAnswer } from "./call.ts";
import { isBuilding, isReading, type McpTool } from "./tool.ts";
import { TOOLS } from "./tools.ts";

const INSTRUCTIONS =
  "Trades tokenized stocks. Amounts are decimal strings in human units. A tool that sends takes an idempotencyKey, and returns the one that it " +
  "made: to repeat a send whose outcome is unknown, call it with that key. A failure says in whatToDo what helps.";

export interface McpOptions {
  /** False: tools that read alone. */
  isTrading: boolean;
  /** Is in no answer, whatever was between this server and the service. */
  apiSecret: string;
}

/** Returns a server of the Model Context Protocol whose tools are the operations of the API. */
export function createMcpServer(trading: PartnerTrading, { isTrading, apiSecret }: McpOptions): Server {
  const { name, version } = manifest;
  const server = new Server({ name, version }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  const offered = TOOLS.filter((tool) => isTrading || isReading(tool));
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: offered.map(listed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }): Promise<ToolAnswer> => {
    const tool = offered.find((each) => each.name === params.name);
    if (!tool) return withoutTool(params.name);
    return withoutSecret(await callTool(trading, tool, params.arguments ?? {}, signal), apiSecret);
  });
  return server;
}

function listed(tool: McpTool) {
  const { name, title, description, inputSchema, method, isSend } = tool;
  const readOnlyHint = isReading(tool) || isBuilding(tool);
  const annotations = {
    title,
    readOnlyHint,
    destructiveHint: !readOnlyHint && (method === "DELETE" || isSend || name === "delegationDisable"),
    idempotentHint: readOnlyHint,
    openWorldHint: true,
  };
  return { name, title, description, inputSchema, annotations };
}

function withoutTool(name: string): ToolAnswer {
  const isKnown = TOOLS.some((tool) => tool.name === name);
  const message = isKnown ? `${name} writes, and this server reads alone` : `there is no tool ${name}`;
  const whatToDo = isKnown ? "Ask whoever runs this server to start it with --trading." : "List the tools.";
  return { content: [{ type: "text", text: JSON.stringify({ message, whatToDo }) }], isError: true };
}

const withoutSecret = ({ content, ...answer }: ToolAnswer, apiSecret: string): ToolAnswer => ({
  ...answer,
  content: content.map(({ type, text }) => ({ type, text: text.replaceAll(apiSecret, "[secret]") })),
});
