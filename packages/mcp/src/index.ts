import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { PartnerTrading } from "../../client/src/index.ts";
import { createMcpServer } from "./server.ts";

const HELP = `Usage: partner-trading-mcp [--trading]

Serves the partner trading API to programs of models, on standard input and output (Model Context Protocol). Its tools read; with
--trading there are also those that write.

The environment has the credentials: PARTNER_TRADING_BASE_URL, PARTNER_TRADING_API_KEY, PARTNER_TRADING_API_SECRET,
PARTNER_TRADING_CHAIN_ID, PARTNER_TRADING_PRODUCT.
`;

/**
 * Runs the command line `partner-trading-mcp`, until standard input ends.
 * @returns 0: served; 1: a variable is missing or wrong; 2: the command line is wrong
 */
export async function runMcp(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(HELP);
    return 0;
  }
  const unknown = args.find((argument) => argument !== "--trading");
  if (unknown !== undefined) {
    process.stderr.write(`There is no ${unknown}.\n${HELP}`);
    return 2;
  }
  try {
    await serve(args.includes("--trading"));
    return 0;
  } catch (error) {
    // The client names a variable without its value.
    process.stderr.write(`${error instanceof Error ? error.message : "failed"}\n`);
    return 1;
  }
}

async function serve(isTrading: boolean): Promise<void> {
  const trading = new PartnerTrading();
  const apiSecret = process.env.PARTNER_TRADING_API_SECRET ?? "";
  const server = createMcpServer(trading, { isTrading, apiSecret });
  const transport = new StdioServerTransport();
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once("end", () => void server.close());
  });
  await server.connect(transport);
  await ended;
}
