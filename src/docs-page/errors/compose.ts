import { failure, unauthorized } from "../../http/envelope.ts";
import { STAMP } from "../../http/openapi/failures.ts";
import {
  ApiError,
  ERROR_CATALOGUE,
  type ErrCode,
  EVERYWHERE,
  RETRYABLE_AT_TIMES,
  UNAUTHORIZED,
} from "../../protocol/errors.ts";
import { API_PREFIX } from "../../protocol/signing.ts";
import { type Block, type PageDocument, type Section, text } from "./document.ts";
import type { ErrorPage, Example } from "./page.ts";
import { ERROR_PAGES } from "./pages.ts";
import { CAUSE_ROWS, UNAUTHORIZED_CAUSE, UNAUTHORIZED_RETRY, UNAUTHORIZED_STEPS } from "./unauthorized.ts";

/** Part of an endpoint that a page shows. */
export interface Refusing {
  method: string;
  /** `:name` is a path parameter. */
  path: string;
  refusals: readonly ErrCode[];
}

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
export function composePages(endpoints: readonly Refusing[], docsUrl = EXAMPLE_DOCS_URL): PageDocument[] {
  return [composeUnauthorized(), ...ERR_CODES.map((errCode) => composeError(errCode, endpoints, docsUrl))];
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
          "Every failure is `{code, errMsg, data: null, uuid, t, errCode, param, retryable}`. Programs decide by `errCode`, which never changes its meaning, and by `retryable` of the answer. `param` names the offending field. Quote `uuid` to support.",
          "A `code` is a family of errors: handle an `errCode` that you do not know as its family.",
        ),
      },
      { heading: "Code 401", blocks: text(`Authentication and permission: see \`${UNAUTHORIZED_NAME}\`.`) },
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
  const rows = members.map((errCode) => [
    `\`${errCode}\``,
    retryableOf(errCode),
    ERROR_CATALOGUE[errCode].message,
  ]);
  return {
    heading: `Code ${code}: ${FAMILIES[code] ?? ""}`,
    blocks: [{ kind: "table", head: ["errCode", "retryable", "Meaning"], rows }],
  };
}

function composeError(errCode: ErrCode, endpoints: readonly Refusing[], docsUrl: string): PageDocument {
  const page = ERROR_PAGES[errCode];
  const { code, status, message } = ERROR_CATALOGUE[errCode];
  return {
    name: errCode,
    title: errCode,
    sections: [
      {
        heading: null,
        blocks: [
          ...text(`${message}.`),
          {
            kind: "table",
            head: ["code", "HTTP status", "retryable"],
            rows: [[`${code}`, `${status}`, retryableOf(errCode)]],
          },
        ],
      },
      { heading: "Cause", blocks: text(...page.cause) },
      { heading: "Example", blocks: example(errCode, page.example, docsUrl) },
      { heading: "What to do", blocks: [{ kind: "steps", items: page.steps }] },
      { heading: "Whether to retry", blocks: text(page.retry) },
      { heading: "In the sandbox", blocks: text(page.sandbox) },
      { heading: "Which endpoints answer it", blocks: answeredBy(errCode, endpoints) },
      { heading: "Related", blocks: [related(page)] },
    ],
  };
}

function composeUnauthorized(): PageDocument {
  const { status, body } = unauthorized(STAMP);
  return {
    name: UNAUTHORIZED_NAME,
    title: "Code 401: Unauthorized",
    sections: [
      { heading: "Cause", blocks: text(...UNAUTHORIZED_CAUSE) },
      { heading: "Example", blocks: [answerBlock(status, body, [])] },
      { heading: "What to do", blocks: [{ kind: "steps", items: UNAUTHORIZED_STEPS }] },
      { heading: "Whether to retry", blocks: text(UNAUTHORIZED_RETRY) },
      {
        heading: "In the sandbox",
        blocks: [
          ...text("`x-sandbox-auth-cause` is one of these:"),
          { kind: "table", head: ["x-sandbox-auth-cause", "Check"], rows: CAUSE_ROWS },
        ],
      },
      {
        heading: "Which endpoints answer it",
        blocks: text(
          `Every endpoint below \`${API_PREFIX}\`. ${UNAUTHORIZED.message} is the answer whatever it is asked.`,
        ),
      },
    ],
  };
}

function retryableOf(errCode: ErrCode): string {
  const word = ERROR_CATALOGUE[errCode].retryable ? "yes" : "no";
  return RETRYABLE_AT_TIMES.has(errCode) ? `${word}, with exceptions` : word;
}

function example(errCode: ErrCode, given: Example, docsUrl: string): Block[] {
  const { status, body, retryAfter } = exampleAnswer(errCode, given, docsUrl);
  const retry = retryAfter === null ? [] : [`Retry-After: ${retryAfter}`];
  return [
    { kind: "code", language: "http", text: requestText(given) },
    ...text("The answer:"),
    answerBlock(status, body, retry),
  ];
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

function requestText({ request, header, body }: Example): string {
  const [method = "", path = ""] = request.split(" ");
  const head = [`${method} ${API_PREFIX}${path}`, ...(header ? [`${header[0]}: ${header[1]}`] : [])];
  return [...head, ...(body ? ["", JSON.stringify(body, null, 2)] : [])].join("\n");
}

function answerBlock(status: number, body: string, headers: readonly string[]): Block {
  const lines = [`HTTP/1.1 ${status}`, ...headers, "", JSON.stringify(JSON.parse(body), null, 2)];
  return { kind: "code", language: "http", text: lines.join("\n") };
}

/** Errors that end a request to send after it was accepted (docs/sending.md#states). */
const ENDS_SENDS: ReadonlySet<ErrCode> = new Set([
  "CHAIN_REVERT",
  "DEADLINE_EXPIRED",
  "DELEGATION_NOT_ENABLED",
  "OUT_OF_GAS",
  "POLICY_REFUSED",
]);
const OF_SENDS =
  "It is also the `errCode` of a request to send that failed after it was accepted: in `GET /sends/{requestId}`, in the repeated `/send`, and in the event `send.failed`.";

function answeredBy(errCode: ErrCode, endpoints: readonly Refusing[]): Block[] {
  if (EVERYWHERE.includes(errCode)) return text("Every endpoint.");
  const items = endpoints
    .filter(({ refusals }) => refusals.includes(errCode))
    .map(({ method, path }) => `\`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}\``);
  return [{ kind: "list", items }, ...(ENDS_SENDS.has(errCode) ? text(OF_SENDS) : [])];
}

const related = ({ related: names }: ErrorPage): Block => ({
  kind: "list",
  items: names.map((errCode) => `\`${errCode}\`: ${ERROR_CATALOGUE[errCode].message}`),
});
