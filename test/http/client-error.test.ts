import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, it } from "@jest/globals";
import { answerClientError } from "../../src/http/client-error.ts";
import { openExchange } from "../../src/http/http-exchange.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { ApiError } from "../../src/protocol/errors.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { parseRaw } from "../support/http/raw-http.ts";

const lines: string[] = [];
const log = createLog("test", "info", { write: (line) => void lines.push(line) });
const parserError = (code?: string) => Object.assign(new Error("parser"), code === undefined ? {} : { code });

/** Returns an answer that is not out, and the uuid of its request. */
function unanswered(facts: { headersSent?: boolean; complete?: boolean } = {}) {
  const request = { socket: {}, complete: facts.complete ?? false } as IncomingMessage;
  const response = Object.assign(new EventEmitter(), {
    req: request,
    headersSent: facts.headersSent ?? false,
  });
  const answer = response as unknown as ServerResponse;
  const { uuid } = openExchange(request, answer, { log, metrics: createMetrics(() => new Map()) });
  return { answer, uuid };
}

/** Returns what a connection has after the error: the answer, and how often it was destroyed. */
function answered(error: Error, pending: ServerResponse[] = [], writable = true) {
  let sent = "";
  let destroyed = 0;
  const destroy = () => {
    destroyed += 1;
  };
  const end = (text: string, onSent: () => void) => {
    sent = text;
    onSent();
  };
  const socket = { writable, bytesRead: 0, remoteAddress: "192.0.2.1", destroy, end } as unknown as Socket;
  answerClientError(error as ApiError, socket, pending, { log, now: () => 5 });
  expect(destroyed).toBe(1);
  return sent === "" ? null : parseRaw(sent);
}

describe("a request that cannot be parsed", () => {
  it.each([
    ["HPE_HEADER_OVERFLOW", parserError("HPE_HEADER_OVERFLOW"), "The headers are too large"],
    ["HPE_INVALID_METHOD", parserError("HPE_INVALID_METHOD"), "The request is malformed"],
    ["Error", parserError(), "The request is malformed"],
    ["ApiError", new ApiError("ROUTE_NOT_FOUND", { message: "No such route" }), "No such route"],
  ])("is answered, and its cause is in the log: %s", (cause, error, errMsg) => {
    const answer = answered(error);
    expect(JSON.parse(answer?.body ?? "")).toMatchObject({
      errMsg,
      uuid: answer?.headers.get("x-request-id"),
    });
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      cause,
      ip: "192.0.2.1",
      msg: "malformed request",
    });
  });

  it("is answered under the uuid of the request that broke", () => {
    const { answer, uuid } = unanswered();
    expect(answered(parserError("HPE_INVALID_CHUNK_SIZE"), [answer])?.headers.get("x-request-id")).toBe(uuid);
  });

  it.each([
    ["the caller is gone", parserError("ECONNRESET"), [], true],
    ["the connection takes no answer", parserError("EPIPE"), [], false],
    ["its answer has begun", parserError(), [{ headersSent: true }], true],
    ["the request before it is being answered", parserError(), [{ complete: true }], true],
    ["others wait for their answers", parserError(), [{}, {}], true],
  ])("is cut off where %s", (_what, error, pending, writable) => {
    const answers = pending.map((facts) => unanswered(facts).answer);
    expect(answered(error, answers, writable)).toBeNull();
  });
});
