import { tmpdir } from "node:os";
import { runCommand } from "../../../packages/client/src/cli/run.ts";
import type { PartnerKey } from "../http/partner.ts";
import type { Outcome } from "./command.ts";

interface Surroundings {
  env?: Record<string, string>;
  /** Nowhere by default: no sandbox and no .env is found there. */
  cwd?: string;
  stdin?: string;
  /** Ends what goes on, as Ctrl-C does. */
  interrupted?: AbortSignal;
  /** Called with all that it has printed, on either output, whenever there is more. */
  onOutput?: (printed: string) => void;
}

/** Runs the partners' command in this process. */
export async function partnerCommand(
  args: readonly string[],
  { env = {}, cwd = tmpdir(), stdin = "", interrupted, onOutput }: Surroundings = {},
): Promise<Outcome> {
  const outcome = { out: "", err: "" };
  const writer = (output: "out" | "err") => ({
    write: (text: string) => {
      outcome[output] += text;
      onOutput?.(outcome.out + outcome.err);
    },
  });
  const input = (async function* () {
    yield stdin;
  })();
  const signal = interrupted ?? new AbortController().signal;
  const code = await runCommand(args, {
    env,
    cwd,
    stdin: input,
    stdout: writer("out"),
    stderr: writer("err"),
    interrupted: signal,
  });
  return { code, ...outcome };
}

/** Returns the environment in which the command uses a key. */
export const environmentOf = (baseUrl: string, key: PartnerKey): Record<string, string> => ({
  PARTNER_TRADING_BASE_URL: baseUrl,
  PARTNER_TRADING_API_KEY: key.apiKey,
  PARTNER_TRADING_API_SECRET: key.apiSecret,
  PARTNER_TRADING_CHAIN_ID: String(key.chainId),
  PARTNER_TRADING_PRODUCT: key.productType,
});
