import { VARIABLES } from "./credentials.ts";
import { CommandError, createCommand, type Terminal } from "./terminal.ts";
import { VERSION } from "./version.ts";

/** Not installed with the client: its bundle is many times as large, and few need it. */
const SERVER = "partner-trading-mcp";
const EXAMPLES = `
The environment has the credentials: ${Object.values(VARIABLES).join(", ")}

Examples:
  $ partner-trading mcp
  $ partner-trading mcp --trading`;

/** Exports of that package that this command uses. */
interface McpServer {
  runMcp(args: readonly string[]): Promise<number>;
}

/** `partner-trading mcp`: serves the API to programs of models. */
export function mcpCommand(terminal: Terminal) {
  return createCommand("mcp", terminal)
    .description(`Serves the API as tools for models (Model Context Protocol), by the package ${SERVER}`)
    .option("--trading", "offer tools that write, too")
    .addHelpText("after", EXAMPLES)
    .action(async ({ trading }: { trading?: true }) => {
      const { runMcp } = await loadServer(terminal);
      if ((await runMcp(trading ? ["--trading"] : [])) !== 0) throw new CommandError("Nothing is served.");
    });
}

/** @throws CommandError saying how to install it */
async function loadServer({ env }: Terminal): Promise<McpServer> {
  try {
    // Not a literal, which a bundler would resolve.
    return await import(SERVER);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const url = env[VARIABLES.baseUrl] ?? "https://api.example.com";
    throw new CommandError(
      `${SERVER} is not installed. Install it beside this package:\n  npm install ${url}/docs/clients/${SERVER}-${VERSION}.tgz`,
    );
  }
}
