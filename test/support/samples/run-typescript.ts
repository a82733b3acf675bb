import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { runProgram } from "../../../packages/client/test/examples.ts";
import { ROOT } from "../../../src/config/root.ts";
import type { Sample, SampleOutcome } from "./samples.ts";

const IMPORT = 'import { PartnerTrading } from "partner-trading";\n';
/** Runs the samples one after another; what a sample logs first is its outcome, and ends it. */
const RUN = `
class Logged { constructor(data) { this.data = data; } }
const console = { log(data) { throw new Logged(data); } };
for (const [id, sample] of Object.entries(samples)) {
  const outcome = await sample().then(
    () => ({ message: "it logged nothing" }),
    (error) => error instanceof Logged ? { data: error.data } : { errCode: error.errCode, message: String(error) },
  );
  process.stdout.write(JSON.stringify({ id, ...outcome }) + "\\n");
}`;

/** Runs samples as a program of a partner, in one process for all of them. */
export async function runTypescript(
  samples: readonly Sample[],
  env: NodeJS.ProcessEnv,
): Promise<SampleOutcome[]> {
  await mkdir(join(ROOT, "test-results"), { recursive: true });
  const directory = await mkdtemp(join(ROOT, "test-results/samples-"));
  const program = join(directory, "samples.mjs");
  const functions = samples.map(({ id, source }) => {
    if (!source.startsWith(IMPORT)) throw new Error(`the sample of ${id} does not import the client first`);
    return `${JSON.stringify(id)}: async () => {\n${source.slice(IMPORT.length)}}`;
  });
  await build({
    stdin: {
      contents: `${IMPORT}const samples = {\n${functions.join(",\n")}};\n${RUN}`,
      loader: "ts",
      resolveDir: ROOT,
    },
    bundle: true,
    format: "esm",
    platform: "node",
    outfile: program,
    logLevel: "error",
    alias: { "partner-trading": join(ROOT, "packages/client/src/index.ts") },
  });
  const printed = await runProgram(process.execPath, [program], env);
  await rm(directory, { recursive: true });
  return parseLines(printed);
}

export const parseLines = (printed: string): SampleOutcome[] =>
  printed
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
