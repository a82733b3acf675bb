import { createHmac, timingSafeEqual } from "node:crypto";
import express from "express";
import pg from "pg";

const { DATABASE_URL, PORT, API_KEYS = "{}" } = process.env;
/** Secrets by key. */
const secrets = new Map(Object.entries<string>(JSON.parse(API_KEYS)));

export const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 16 });

/** Request with a valid signature. */
export interface SignedRequest {
  apiKey: string;
  nonce: string;
  /** Path parameters and query. */
  parameters: Record<string, string>;
}

/**
 * Serves paths to callers that sign their requests, in Express, without GraphQL, Prisma and batches.
 * @param answers by path, each claims the nonce and reads; undefined where there is nothing
 */
export function serveSigned(answers: Record<string, (request: SignedRequest) => Promise<unknown>>): void {
  const app = express();
  app.disable("x-powered-by");
  for (const [path, answer] of Object.entries(answers)) app.get(path, signedHandler(answer));
  app.listen(Number(PORT), "127.0.0.1");
}

const signedHandler =
  (answer: (request: SignedRequest) => Promise<unknown>): express.RequestHandler =>
  async (request, response) => {
    const ts = request.get("x-api-ts") ?? "";
    const nonce = request.get("x-api-nonce") ?? "";
    const apiKey = request.get("x-api-key") ?? "";
    const secret = secrets.get(apiKey);
    const payload = ["GET", request.originalUrl, ts, nonce, ""].join("\n");
    const expected = createHmac("sha256", secret ?? "")
      .update(payload)
      .digest();
    const given = Buffer.from(request.get("x-api-sign") ?? "", "hex");
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
    const isTimely = Math.abs(Date.now() - Number(ts)) <= 45_000;
    if (!isSigned || !isTimely || secret === undefined) {
      response.status(400).json({ code: 401 });
      return;
    }
    const parameters = { ...request.query, ...request.params } as Record<string, string>;
    const data = await answer({ apiKey, nonce, parameters });
    if (data === undefined) response.status(400).json({ code: 10001 });
    else response.json({ code: 200, errMsg: "", data, t: Date.now() });
  };
