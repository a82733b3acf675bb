import { TIMESTAMP_WINDOW_MS } from "../../../../../src/protocol/signing.ts";
import type { HttpExchange } from "./proxy.ts";
import { type Findings, finding } from "./rules.ts";
import { describe } from "./scenario.ts";

/** Fields of requests that hold an amount. */
const AMOUNTS = ["notional", "quantity", "price", "tokenAmount", "amount"];
const EXAMPLES_MAX = 5;

/** All that a program showed, over all scenarios. */
export interface Shown {
  exchanges: readonly HttpExchange[];
  /** All that it printed. */
  output: string;
  /** Secrets that it was given, or that the service gave it. */
  secrets: readonly string[];
}

/** Judges what every request of a program shows. */
export function judgeAll({ exchanges, output, secrets }: Shown): Findings {
  if (exchanges.length === 0) return {};
  const unsigned = exchanges.filter(({ envelope }) => envelope?.code === 401);
  const late = exchanges.filter(
    ({ atMs, headers }) => !(Math.abs(atMs - Number(headers["x-api-ts"])) <= TIMESTAMP_WINDOW_MS),
  );
  const showing = exchanges.filter(({ uri, headers, body }) =>
    secrets.some((secret) => [uri, body, ...Object.values(headers)].some((text) => text.includes(secret))),
  );
  const isPrinted = secrets.some((secret) => output.includes(secret));
  const withNumbers = exchanges.filter(hasNumberAmount);
  const writes = exchanges.filter(({ body }) => body !== "");
  const count = `${exchanges.length} requests`;
  return {
    signed: finding(unsigned.length === 0, count, ...examples(unsigned)),
    nonce: judgeNonces(exchanges),
    timestamp: finding(late.length === 0, count, ...examples(late)),
    "secret-private": finding(
      showing.length === 0 && !isPrinted,
      `${count}, ${output.length} characters of output`,
      ...(isPrinted ? ["the output has a secret"] : []),
      ...examples(showing),
    ),
    ...(writes.length > 0 && {
      "string-amounts": finding(
        withNumbers.length === 0,
        `${writes.length} requests with a body`,
        ...examples(withNumbers).flatMap((text, index) => [text, withNumbers[index]?.body ?? ""]),
      ),
    }),
  };
}

function judgeNonces(exchanges: readonly HttpExchange[]) {
  const seen = new Set<string | undefined>();
  const again = exchanges.filter(({ headers }) => {
    const nonce = headers["x-api-nonce"];
    const isAgain = nonce === undefined || seen.has(nonce);
    seen.add(nonce);
    return isAgain;
  });
  return finding(
    again.length === 0,
    `${seen.size} nonces of ${exchanges.length} requests`,
    ...examples(again),
  );
}

const examples = (exchanges: readonly HttpExchange[]): string[] =>
  exchanges.slice(0, EXAMPLES_MAX).map(describe);

function hasNumberAmount({ body }: HttpExchange): boolean {
  try {
    const fields = Object(JSON.parse(body)) as Record<string, unknown>;
    return AMOUNTS.some((name) => typeof fields[name] === "number");
  } catch {
    return false;
  }
}
