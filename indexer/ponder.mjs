// Ponder's program: its command `start`, with the options that run.ts passes.
import { parseArgs } from "node:util";
import { start } from "ponder/start";
import { version } from "ponder/version";

const { values } = parseArgs({
  options: Object.fromEntries(
    ["root", "schema", "hostname", "port", "log-level"].map((name) => [name, { type: "string" }]),
  ),
});

await start({
  cliOptions: {
    command: "start",
    version,
    config: "ponder.config.ts",
    root: values.root,
    schema: values.schema,
    hostname: values.hostname,
    port: Number(values.port),
    logFormat: "json",
    logLevel: values["log-level"],
  },
});
