import { failure, unauthorized } from "../../http/envelope.ts";
import { STAMP } from "../../http/openapi/failures.ts";
import { ApiError, ERROR_CATALOGUE, type ErrCode, RETRYABLE_AT_TIMES } from "../../protocol/errors.ts";
import { API_PREFIX } from "../../protocol/signing.ts";
import { type Block, type PageDocument, type Section, text } from "./document.ts";
import type { Example } from "./page.ts";
import { ERROR_PAGES } from "./pages.ts";
import { CAUSE_ROWS, UNAUTHORIZED_CAUSE, UNAUTHORIZED_RETRY, UNAUTHORIZED_STEPS } from "./unauthorized.ts";

/** Stands in for a deployment's DOCS_URL where there is none. */
const EXAMPLE_DOCS_URL = "https://api.example.com/docs";

export const INDEX_NAME = "README";
export const UNAUTHORIZED_NAME = "UNAUTHORIZED";
const ERR_CODES = Object.keys(ERROR_CATALOGUE) as ErrCode[];

/** Names of all pages but the index. */
export const PAGE_NAMES: ReadonlySet<string> = new Set<string>([...ERR_CODES, UNAUTHORIZED_NAME]);

/**
 * Returns the page of every errCode, and that of a 401.
 * @param docsUrl the deployment's DOCS_URL, for examples
 */
export function composePages(docsUrl = EXAMPLE_DOCS_URL): PageDocument[] {
  return [composeUnauthorized(), ...ERR_CODES.map((errCode) => composeError(errCode, docsUrl))];
}

/** Returns the index: every errCode, by the code of its envelope. */
export function composeIndex(): PageDocument {
  const codes = [...new Set(ERR_CODES.map((errCode) => ERROR_CATALOGUE[errCode].code))];
  return {
    name: INDEX_NAME,
    title: "Errors",
    sections: [
      {
        heading: null,
        blocks: text(
          "Every failure is `{code, errMsg, data: null, uuid, t, errCode, param, retryable}`. Decide by `errCode`, which never changes its meaning, and by `retryable` of the answer. Handle an `errCode` that you do not know by its `code`. `param` names the offending field. Quote `uuid` to support.",
          "Sign each try anew, a `/send` under the same `Idempotency-Key`. What is not retryable is refused again until you have followed the steps of its page. A refused `/send` leaves its `Idempotency-Key` and `clientOrderId` free: repeat it under both.",
          "A request to send that failed after it was accepted has an `errCode`, too: in `GET /sends/{requestId}`, the repeated `/send` and the event `send.failed`. It is over: make a new one, with a new `Idempotency-Key` and `clientOrderId`.",
          "In the sandbox, send the example of a page with the key that is bound to a user, or do what it says under Sandbox. What cannot be caused there, such as RPC_UNAVAILABLE, test with a stub.",
        ),
      },
      { heading: "Code 401: authentication or permission", blocks: text(`See \`${UNAUTHORIZED_NAME}\`.`) },
      ...codes.map((code) => family(code)),
    ],
  };
}

const FAMILIES: Readonly<Record<number, string>> = {
  404: "No such route",
  413: "The body is too large",
  429: "Too many requests or streams",
  500: "A fault of the service",
  503: "A dependency is down or late",
  10000: "The request is wrong",
  10001: "It does not exist in this key's scope",
  10002: "It is not allowed in the present state",
  10003: "The chain refuses the call",
};

function family(code: number): Section {
  const members = ERR_CODES.filter((errCode) => ERROR_CATALOGUE[errCode].code === code);
  const items = members.map((errCode) => {
    const { message, retryable } = ERROR_CATALOGUE[errCode];
    return `\`${errCode}\`: ${message}${retryable ? ` (${retryableOf(errCode)})` : ""}`;
  });
  return { heading: `Code ${code}: ${FAMILIES[code] ?? ""}`, blocks: [{ kind: "list", items }] };
}

function composeError(errCode: ErrCode, docsUrl: string): PageDocument {
  const { cause, steps, retry, example, sandbox } = ERROR_PAGES[errCode];
  const { code, status } = ERROR_CATALOGUE[errCode];
  const answer = `Code ${code}, HTTP ${status}, ${retryableOf(errCode)}.`;
  return {
    name: errCode,
    title: errCode,
    sections: [
      { heading: null, blocks: text(answer, ...cause) },
      { heading: "Steps", blocks: [{ kind: "steps", items: steps }] },
      ...(retry === undefined ? [] : [{ heading: "Retry", blocks: text(retry) }]),
      { heading: "Example", blocks: [exampleBlock(errCode, example, docsUrl)] },
      ...(sandbox === undefined ? [] : [{ heading: "Sandbox", blocks: text(sandbox) }]),
    ],
  };
}

function composeUnauthorized(): PageDocument {
  const { status, body } = unauthorized(STAMP);
  return {
    name: UNAUTHORIZED_NAME,
    title: "Code 401: Unauthorized",
    sections: [
      { heading: null, blocks: text(...UNAUTHORIZED_CAUSE) },
      { heading: "Steps", blocks: [{ kind: "steps", items: UNAUTHORIZED_STEPS }] },
      { heading: "Retry", blocks: text(UNAUTHORIZED_RETRY) },
      { heading: "Example", blocks: [codeBlock(answerLines(status, body))] },
      {
        heading: "Sandbox",
        blocks: [{ kind: "table", head: ["`x-sandbox-auth-cause`", "Check"], rows: CAUSE_ROWS }],
      },
    ],
  };
}

function retryableOf(errCode: ErrCode): string {
  const word = ERROR_CATALOGUE[errCode].retryable ? "retryable" : "not retryable";
  return RETRYABLE_AT_TIMES.has(errCode) ? `${word} with exceptions` : word;
}

function exampleBlock(errCode: ErrCode, given: Example, docsUrl: string): Block {
  const { status, body, retryAfter } = exampleAnswer(errCode, given, docsUrl);
  const headers = retryAfter === null ? [] : [`Retry-After: ${retryAfter}`];
  return codeBlock([...requestLines(given), "", ...answerLines(status, body, headers)]);
}

/** Returns the answer of an example, built by the server's code. */
export function exampleAnswer(errCode: ErrCode, given: Example, docsUrl: string) {
  const { errMsg, param = null, ...more } = given;
  const error = new ApiError(errCode, {
    ...more,
    param,
    ...(errMsg === undefined ? {} : { message: errMsg }),
  });
  return failure(error, { ...STAMP, docsUrl });
}

function requestLines({ request, header, body }: Example): string[] {
  const [method = "", path = ""] = request.split(" ");
  const head = [`${method} ${API_PREFIX}${path}`, ...(header ? [`${header[0]}: ${header[1]}`] : [])];
  return [...head, ...(body ? ["", JSON.stringify(body)] : [])];
}

const answerLines = (status: number, body: string, headers: readonly string[] = []): string[] => [
  `HTTP/1.1 ${status}`,
  ...headers,
  "",
  body,
];

const codeBlock = (lines: readonly string[]): Block => ({
  kind: "code",
  language: "http",
  text: lines.join("\n"),
});
