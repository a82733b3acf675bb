import { afterEach, describe, expect, it } from "@jest/globals";
import type { Authenticate, AuthResult } from "../../src/auth/authenticate.ts";
import type { Checkpoints } from "../../src/db/checkpoint-watch.ts";
import { watchCheckpoints } from "../../src/db/checkpoint-watch.ts";
import { ApiError } from "../../src/protocol/errors.ts";
import { until } from "../support/assert/until.ts";
import { CALLER, type SmallOptions, type SmallServer, startSmallServer } from "../support/http/http.ts";
import { openRaw } from "../support/http/raw-http.ts";

const running: SmallServer[] = [];
async function start(options: SmallOptions): Promise<SmallServer> {
  const small = await startSmallServer(options);
  running.push(small);
  return small;
}
afterEach(async () => {
  for (const small of running.splice(0)) {
    small.release();
    await small.server.stop();
  }
});

const block = (number: bigint) => ({ number, timestamp: 1_700_000_000n });
const at = (number: bigint): Checkpoints => ({
  last: () => block(number),
  reached: async () => undefined,
  stop: () => undefined,
});

describe("authentication", () => {
  const refuse = async (): Promise<AuthResult> => ({
    ok: false,
    cause: "signature wrong",
    keyId: "k-1",
    ip: "192.0.2.9",
  });

  it("is answered alike whatever the cause; only the log and a counter know it", async () => {
    const small = await start({ authenticate: refuse, checkpoints: at(7n) });
    const response = await fetch(`${small.baseUrl}/api/v1/echo`);
    const text = await response.text();
    const { uuid, t } = JSON.parse(text);
    expect(response.status).toBe(400);
    expect(text).toBe(`{"code":401,"errMsg":"Unauthorized","data":null,"uuid":"${uuid}","t":${t}}`);
    expect(response.headers.get("x-request-id")).toBe(uuid);
    expect(response.headers.get("x-indexed-block")).toBeNull();
    const line = await until("the log line", () => small.lines.find((entry) => entry.includes(uuid)));
    expect(JSON.parse(line)).toMatchObject({
      route: "/echo",
      status: 400,
      code: 401,
      errCode: null,
      cause: "signature wrong",
      keyId: "k-1",
      ip: "192.0.2.9",
      uuid,
    });
  });

  it("comes before every check of the request's content", async () => {
    const small = await start({ authenticate: refuse });
    for (const [method, path, body] of [
      ["GET", "/echo?unknown=1", undefined],
      ["POST", "/make?price=1", "{"],
      ["POST", "/make", '{"unknown":1}'],
    ] as const) {
      const response = await fetch(`${small.baseUrl}/api/v1${path}`, { method, body });
      expect({ method, path, json: await response.json() }).toMatchObject({
        method,
        path,
        json: { code: 401 },
      });
    }
  });

  it("that cannot be made is 503, never a skipped check", async () => {
    const authenticate = () => Promise.reject(Object.assign(new Error("x"), { code: "ECONNREFUSED" }));
    const small = await start({ authenticate });
    const response = await fetch(`${small.baseUrl}/api/v1/echo`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      code: 503,
      errCode: "DATABASE_UNAVAILABLE",
      retryable: true,
    });
  });
});

describe("a route that reads ahead", () => {
  /** Serves with a resolver that counts its runs, and tells how many there were when authentication answered. */
  async function serve(authenticate: Authenticate, resolve: (run: number) => unknown = (run) => ({ run })) {
    const seen = { runs: 0, beforeResult: 0 };
    const small = await start({
      checkpoints: at(7n),
      authenticate: async (request, onClaiming) => {
        const result = await authenticate(request, onClaiming);
        // The resolver has had its turn where it was called at all.
        await new Promise(setImmediate);
        seen.beforeResult = seen.runs;
        return result;
      },
      resolve: () => {
        seen.runs += 1;
        return resolve(seen.runs);
      },
    });
    const read = async (path: string, headers = {}) => {
      const response = await fetch(`${small.baseUrl}/api/v1${path}`, { headers });
      return { status: response.status, body: await response.json() };
    };
    return { seen, read };
  }
  const letIn: Authenticate = async (_request, onClaiming) => {
    onClaiming?.(CALLER);
    return { ok: true, caller: CALLER, ip: "127.0.0.1" };
  };

  it.each(["/ahead", "/ahead?word=a"])(
    "answers %s once, by what began beside the nonce's claim",
    async (path) => {
      const { seen, read } = await serve(letIn);
      expect(await read(path)).toMatchObject({ status: 200, body: { code: 200, data: { run: 1 } } });
      expect(seen).toEqual({ runs: 1, beforeResult: 1 });
    },
  );

  it.each(["data", "an error"])("shows nothing of %s where the claim fails", async (kind) => {
    const refuse: Authenticate = async (_request, onClaiming) => {
      onClaiming?.(CALLER);
      return { ok: false, cause: "nonce reused", keyId: CALLER.keyId, ip: "127.0.0.1" };
    };
    const { seen, read } = await serve(refuse, () => {
      if (kind === "data") return { secret: true };
      throw new ApiError("ORDER_NOT_FOUND");
    });
    const { status, body } = await read("/ahead");
    expect(seen.runs).toBe(1);
    expect(status).toBe(400);
    expect(body).toEqual({
      code: 401,
      errMsg: "Unauthorized",
      data: null,
      uuid: expect.any(String),
      t: expect.any(Number),
    });
  });

  it("is read anew where the key changed meanwhile: another caller's answer is discarded", async () => {
    const { seen, read } = await serve(async (_request, onClaiming) => {
      onClaiming?.({ ...CALLER, keyId: "22222222-2222-4222-8222-222222222222" });
      return { ok: true, caller: CALLER, ip: "127.0.0.1" };
    });
    expect((await read("/ahead")).body).toMatchObject({ data: { run: 2 } });
    expect(seen.runs).toBe(2);
  });

  it("waits for the claim with x-min-block or another parameter, and so does every other route", async () => {
    const { seen, read } = await serve(letIn);
    for (const [path, headers] of [
      ["/ahead", { "x-min-block": "1" }],
      ["/ahead?word=a&searched=b", {}],
      ["/echo", {}],
    ] as const) {
      expect({ path, body: (await read(path, headers)).body }).toMatchObject({ path, body: { code: 200 } });
      expect({ path, beforeResult: seen.beforeResult }).toEqual({ path, beforeResult: seen.runs - 1 });
    }
  });
});

describe("X-Indexed-Block", () => {
  const read = async (small: SmallServer, path: string, headers = {}) => {
    const response = await fetch(`${small.baseUrl}/api/v1${path}`, { headers });
    return {
      block: response.headers.get("x-indexed-block"),
      status: response.status,
      body: await response.json(),
    };
  };

  it("is the block that the indexer has reached, also with a refusal", async () => {
    const small = await start({ checkpoints: at(7n) });
    expect(await read(small, "/echo")).toMatchObject({ status: 200, block: "7" });
    expect(await read(small, "/echo?unknown=1")).toMatchObject({ status: 400, block: "7" });
    expect(await read(small, "/nothing")).toMatchObject({ status: 404, block: null });
  });

  it("is left out while nothing is known", async () => {
    const small = await start({});
    expect(await read(small, "/echo")).toMatchObject({ status: 200, block: null });
  });

  it.each(["-1", "1.5", "0x10", "1e3", "", "latest", "1, 2", "1".repeat(16)])(
    "is not waited for by a wrong x-min-block: %p",
    async (value) => {
      const small = await start({ checkpoints: at(7n) });
      const answer = await read(small, "/echo", { "x-min-block": value });
      expect(answer.body).toMatchObject({ errCode: "VALIDATION_FAILED", param: "x-min-block" });
    },
  );

  it("is waited for by x-min-block, and INDEXER_BEHIND when it does not come", async () => {
    let number = 7n;
    const checkpoints = watchCheckpoints(async () => new Map([[31337, block(number)]]));
    const small = await start({ checkpoints, minBlockWaitMs: 2_000 });
    const waiting = read(small, "/echo", { "x-min-block": "9" });
    const tooFar = read(small, "/echo", { "x-min-block": "99" });
    number = 9n;
    expect(await waiting).toMatchObject({ status: 200, block: "9" });
    expect(await tooFar).toMatchObject({
      status: 503,
      block: "9",
      body: { code: 503, errCode: "INDEXER_BEHIND", retryable: true, data: null },
    });
    checkpoints.stop();
  });

  it("is INDEXER_BEHIND where a reorg took the block away between the wait and the read", async () => {
    let readAt = 8n;
    const resolve: SmallOptions["resolve"] = (_field, args, context) => {
      context.indexedBlock = readAt;
      return args;
    };
    const small = await start({ checkpoints: at(9n), resolve });
    const headers = { "x-min-block": "9" };
    for (const path of ["/echo", "/ahead"])
      expect({ path, answer: await read(small, path, headers) }).toMatchObject({
        path,
        answer: {
          status: 503,
          block: "8",
          body: { errCode: "INDEXER_BEHIND", data: null },
        },
      });
    expect(await read(small, "/echo")).toMatchObject({ status: 200, block: "8" });
    readAt = 9n;
    expect(await read(small, "/echo", headers)).toMatchObject({ status: 200, block: "9" });
  });
});

describe("a failing resolver", () => {
  it("tells the ApiError's code, and of anything else nothing but the uuid", async () => {
    const canary = "canary-of-the-inside";
    const failures: Record<string, unknown> = {
      known: new ApiError("SYMBOL_NOT_FOUND", { param: "symbol", cause: new Error(canary) }),
      unknown: new Error(canary),
    };
    const small = await start({
      resolve: (_field, args) => {
        throw failures[String(args.word)];
      },
    });
    const known = await fetch(`${small.baseUrl}/api/v1/echo?word=known`);
    expect(known.status).toBe(400);
    expect(await known.json()).toMatchObject({ code: 10001, errCode: "SYMBOL_NOT_FOUND", param: "symbol" });
    const unknown = await fetch(`${small.baseUrl}/api/v1/echo?word=unknown`);
    expect(unknown.status).toBe(500);
    const text = await unknown.text();
    expect(text).not.toContain(canary);
    const { uuid } = JSON.parse(text);
    const line = await until("the stack in the log", () =>
      small.lines.find((entry) => entry.includes(uuid) && entry.includes(canary)),
    );
    expect(JSON.parse(line)).toMatchObject({
      level: "error",
      uuid,
      err: { stack: expect.stringContaining("api.test") },
    });
  });
});

it("a resolver that names a time has it sent as Retry-After", async () => {
  const small = await start({
    resolve: () => {
      throw new ApiError("RATE_LIMITED", { retryAfterSeconds: 60 });
    },
  });
  const response = await fetch(`${small.baseUrl}/api/v1/echo?word=any`);
  expect(response.status).toBe(429);
  expect(response.headers.get("retry-after")).toBe("60");
});

describe("stopping", () => {
  it("lets what is being answered finish, takes nothing new, and closes the connection", async () => {
    const small = await start({});
    const answer = fetch(`${small.baseUrl}/api/v1/hold`);
    await small.held;
    const stopped = small.server.stop();
    await until("no new connection", async () =>
      fetch(`${small.baseUrl}/api/v1/echo`).then(
        () => undefined,
        () => true,
      ),
    );
    small.release();
    const response = await answer;
    expect(await response.json()).toMatchObject({ code: 200, data: "released" });
    expect(response.headers.get("connection")).toBe("close");
    await stopped;
  });

  it("says shutdownDelay first: a connection that is kept alive is answered once more, and told to close", async () => {
    const small = await start({ timeouts: { shutdownDelay: 2_000, drain: 100 } });
    const connection = await openRaw(small.baseUrl);
    const request = "GET /api/v1/echo HTTP/1.1\r\nhost: x\r\n\r\n";
    connection.socket.write(request);
    await until("the first answer", () => connection.text().match(/"code":200/g) ?? undefined);
    expect(connection.text()).toContain("keep-alive");
    const stopped = small.server.stop();
    connection.socket.write(request);
    await connection.closed;
    expect(connection.text().match(/"code":200/g)).toHaveLength(2);
    expect((await fetch(`${small.baseUrl}/api/v1/echo`)).headers.get("connection")).toBe("close");
    await stopped;
  });

  it("does not wait longer than it may", async () => {
    const small = await start({ timeouts: { drain: 100 } });
    const answer = fetch(`${small.baseUrl}/api/v1/hold`);
    await small.held;
    await Promise.all([small.server.stop(), expect(answer).rejects.toThrow()]);
  });
});

it("logs no header, no body, no query and no signature", async () => {
  const small = await start({});
  const canaries = ["canary-key", "canary-sign", "canary-body", "canary-query", "canary-cookie"];
  await fetch(`${small.baseUrl}/api/v1/echo?word=canary-query`, {
    headers: { "x-api-key": "canary-key", "x-api-sign": "canary-sign", cookie: "a=canary-cookie" },
  });
  await fetch(`${small.baseUrl}/api/v1/make`, {
    method: "POST",
    body: '{"price":"canary-body","x":"canary-body"}',
  });
  await fetch(`${small.baseUrl}/api/v1/canary-query`);
  await until("three lines", () => (small.lines.length >= 3 ? true : undefined));
  const written = small.lines.join("");
  for (const canary of canaries) expect(written).not.toContain(canary);
});

it("keeps a deployment's prefix out of the routes", async () => {
  const small = await start({ prefix: "/trading" });
  const response = await fetch(`${small.baseUrl}/trading/api/v1/echo?word=hi`);
  expect(await response.json()).toMatchObject({ code: 200, data: { word: "hi" } });
});
