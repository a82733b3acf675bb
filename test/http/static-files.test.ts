import { request as send } from "node:http";
import { text } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createApp } from "../../src/http/app.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { createHttpServer, type HttpServer } from "../../src/http/server.ts";
import { compressed, serveFiles } from "../../src/http/static-files.ts";
import { createLog } from "../../src/telemetry/log.ts";

const content = Buffer.from(JSON.stringify({ words: "the same words again and again ".repeat(400) }));
const type = "application/json; charset=utf-8";
const cacheControl = "public, max-age=300";

let server: HttpServer;
let baseUrl = "";
/** Number of times that the content of /document was asked of its source. */
let made = 0;
beforeAll(async () => {
  const files = [
    {
      path: "/document",
      type,
      cacheControl,
      content: () => {
        made += 1;
        return compressed(content);
      },
    },
    { path: "/plain", type, cacheControl: "no-cache", content: () => ({ plain: content }) },
  ];
  server = createHttpServer({
    log: createLog("test", "info", { write: () => undefined }),
    metrics: createMetrics(() => new Map()),
    now: Date.now,
    prefix: "",
    timeouts: { shutdownDelay: 0 },
    app: createApp([serveFiles(files)], ["/document", "/plain"], Date.now),
  });
  baseUrl = await server.listen(0, "127.0.0.1");
});
afterAll(() => server?.stop());

/** Asks as it says: fetch would choose codings, and undo them, by itself. */
async function ask(path: string, headers: Record<string, string> = {}, method = "GET") {
  return await new Promise<{ status: number; headers: NodeJS.Dict<unknown>; body: Buffer }>((done, fail) => {
    const request = send(`${baseUrl}${path}`, { method, headers }, async (response) => {
      const body = Buffer.from(await text(response.setEncoding("latin1")), "latin1");
      done({ status: response.statusCode ?? 0, headers: response.headers, body });
    });
    request.on("error", fail).end();
  });
}

it("a file is made for the first request, and once", async () => {
  expect(made).toBe(0);
  await ask("/document");
  const { headers } = await ask("/document", { "accept-encoding": "gzip" });
  expect({ made, coding: headers["content-encoding"] }).toEqual({ made: 1, coding: "gzip" });
});

describe("a file in several codings", () => {
  it.each([
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["br;q=0, gzip;q=0.5", "gzip", gunzipSync],
    ["identity", undefined, (bytes: Buffer) => bytes],
    ["zstd", undefined, (bytes: Buffer) => bytes],
    ["", undefined, (bytes: Buffer) => bytes],
  ])(
    "is for `accept-encoding: %s` of coding %s, and decodes to the file",
    async (accepted, coding, decode) => {
      const { status, headers, body } = await ask("/document", { "accept-encoding": accepted });
      expect({
        status,
        "content-encoding": headers["content-encoding"],
        "content-type": headers["content-type"],
      }).toEqual({ status: 200, "content-encoding": coding, "content-type": type });
      expect(headers).toMatchObject({ vary: "accept-encoding", "cache-control": cacheControl });
      expect(headers["content-length"]).toBe(String(body.length));
      expect(decode(body).equals(content)).toBe(true);
    },
  );

  it("has a strong ETag for each coding, with which each is 304 alone", async () => {
    const tags = new Map<string, string>();
    for (const coding of ["br", "gzip", "identity"]) {
      const { headers } = await ask("/document", { "accept-encoding": coding });
      tags.set(coding, String(headers.etag));
    }
    expect([...new Set(tags.values())]).toHaveLength(3);
    for (const [coding, etag] of tags) {
      expect(etag).toMatch(/^"[\w-]+"$/);
      const known = { "accept-encoding": coding, "if-none-match": etag };
      const kept = await ask("/document", known);
      expect({ status: kept.status, bodyBytes: kept.body.length, etag: kept.headers.etag }).toEqual({
        status: 304,
        bodyBytes: 0,
        etag,
      });
      expect(kept.headers).toMatchObject({ vary: "accept-encoding", "cache-control": cacheControl });
      const other = coding === "br" ? "gzip" : "br";
      const { status } = await ask("/document", { ...known, "accept-encoding": other });
      expect({ kept: coding, accepted: other, status }).toEqual({
        kept: coding,
        accepted: other,
        status: 200,
      });
    }
  });
});

it("a file without codings is sent as it stands, whatever is accepted", async () => {
  const { headers, body } = await ask("/plain", { "accept-encoding": "br, gzip" });
  expect({
    "content-encoding": headers["content-encoding"],
    vary: headers.vary,
    "cache-control": headers["cache-control"],
  }).toEqual({ "content-encoding": undefined, vary: undefined, "cache-control": "no-cache" });
  expect(body.equals(content)).toBe(true);
});

it.each(["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])("is not there for %s", async (method) => {
  const { status, headers } = await ask("/document", {}, method);
  expect({ status, "cache-control": headers["cache-control"] }).toEqual({
    status: 404,
    "cache-control": "no-store",
  });
});

it.each(["/document/", "/Document", "/document.json", "/documen"])(
  "nothing else is there: %s",
  async (path) => {
    expect((await ask(path)).status).toBe(404);
  },
);
