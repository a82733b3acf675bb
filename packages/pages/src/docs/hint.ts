import { TIMESTAMP_WINDOW_MS } from "../../../../src/protocol/signing.ts";

/** Only the sandbox sends it. */
const CAUSE = "x-sandbox-auth-cause";

/** Returns an explanation of an answer for the reader; null where it needs none. */
export async function hintFor(response: Response, nowMs: number): Promise<string | null> {
  const body: unknown = await response.json().catch(() => null);
  if (!isRecord(body) || body.code !== 401) return null;
  const cause = response.headers.get(CAUSE);
  if (cause !== null) return `401 Unauthorized. The sandbox says why: ${cause}`;
  const skewMs = typeof body.t === "number" ? Math.round(nowMs - body.t) : 0;
  return [
    "401 Unauthorized. The service does not say why. Check that",
    "- key and secret are whole and belong together, and the key is active",
    "- the key has this chain and product, in this exact case",
    "- your IP address is one that the key allows",
    `- your clock is right: it is ${skewMs} ms from the service's, and ${TIMESTAMP_WINDOW_MS} are allowed`,
  ].join("\n");
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
