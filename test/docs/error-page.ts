import { readFileSync } from "node:fs";
import { ROOT } from "../../src/config/root.ts";

/** A page of docs/errors, with the request and the answer of its example. */
export interface ErrorPage {
  text: string;
  /** Method, path below /api/v1 with its query. */
  method: string;
  uri: string;
  /** Headers beside those of the signature. */
  headers: Record<string, string>;
  /** Undefined where the request has none. */
  body: unknown;
  /** Status line, headers and body of the answer, as they stand. */
  answer: string;
  /** Parsed body of the answer. */
  failure: Record<string, unknown>;
}

/** Reads a page. @throws Error where it has no example of a request with its answer */
export function readErrorPage(name: string): ErrorPage {
  const text = readFileSync(`${ROOT}docs/errors/${name}.md`, "utf8");
  const example = /```http\n(\w+) \/api\/v1(\S+)\n(.*?)\n(HTTP\/1\.1 .*?)\n```/s.exec(text);
  if (!example) throw new Error(`${name} has no example`);
  const [, method = "", uri = "", sent = "", answer = ""] = example;
  const [head = "", body] = `\n${sent}`.split("\n\n");
  const headers = head
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(": "));
  return {
    text,
    method,
    uri,
    answer,
    headers: Object.fromEntries(headers),
    body: body ? JSON.parse(body) : undefined,
    failure: JSON.parse(answer.split("\n\n")[1] ?? ""),
  };
}
