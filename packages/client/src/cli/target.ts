import type { Command } from "commander";
import { API_PREFIX } from "../../../../src/protocol/signing.ts";
import { CommandError, readText, type Terminal } from "./terminal.ts";

/** One query parameter, decoded. */
export type Pair = readonly [name: string, value: string];

/** A request as typed. */
export interface Target {
  method: Method;
  /** Relative to /api/v1, with a slash first and without a query. */
  path: string;
  /** In the order as typed. */
  query: Pair[];
  /** Exactly as sent; empty where there is none. */
  body: string;
  /** Fields of the body typed as `name=value`, and so strings. */
  textFields: string[];
}

/** METHOD, PATH and the pairs after them, as typed. */
export type TypedTarget = readonly [method: string, path: string, pairs: readonly string[]];

/** Adds the arguments that name a request. */
export function withTarget(command: Command): Command {
  return command
    .argument("<method>", "GET, POST or DELETE")
    .argument("<path>", "path of the endpoint, such as /orders")
    .argument(
      "[pairs...]",
      "name=value: query of a GET, else a string in the body; name:=json; @file or - is a body",
    );
}

const METHODS = ["GET", "POST", "DELETE"] as const;
type Method = (typeof METHODS)[number];

/** `name=value`, or `name:=json`. */
const PAIR = /^([^=:@]+)(:?=)(.*)$/s;

/**
 * Parses METHOD, PATH and pairs as typed: `name=value` is a query parameter of a GET and a string in the body of anything else,
 * `name:=json` a value as JSON, `@file` and `-` a body.
 * @throws CommandError where one of them is malformed
 */
export async function readTarget(
  terminal: Terminal,
  [typedMethod, typedPath, items]: TypedTarget,
): Promise<Target> {
  const method = METHODS.find((known) => known === typedMethod.toUpperCase());
  if (!method) throw new CommandError(`The method is one of ${METHODS.join(", ")}, not "${typedMethod}".`);
  const [path, search] = splitPath(typedPath);
  const query = search === undefined ? [] : search.split("&").map(decodePair);
  const target: Target = { method, path, query, body: "", textFields: [] };
  const pairs = items.filter((item) => !isBody(item)).map(readPair);
  const bodies = items.filter(isBody);
  if (method === "GET") {
    if (bodies.length > 0) throw new CommandError("A GET has no body.");
    return withQuery(target, pairs);
  }
  if (query.length > 0) throw new CommandError(`A ${method} takes no query: give name=value pairs.`);
  if (bodies.length + (pairs.length > 0 ? 1 : 0) > 1)
    throw new CommandError("Give one body: pairs, @file or -.");
  const [file] = bodies;
  if (file !== undefined)
    return { ...target, body: await readText(terminal, file === "-" ? "-" : file.slice(1)) };
  return withBody(target, pairs);
}

const isBody = (item: string) => item === "-" || item.startsWith("@");

/** Splits a path with or without /api/v1, or a whole URL as copied from a log. */
function splitPath(typed: string): [path: string, query: string | undefined] {
  const relative = typed.replace(/^https?:\/\/[^/]+/, "").replace(new RegExp(`^${API_PREFIX}(?=/|$)`), "");
  const mark = relative.indexOf("?");
  const path = mark < 0 ? relative : relative.slice(0, mark);
  return [path.startsWith("/") ? path : `/${path}`, mark < 0 ? undefined : relative.slice(mark + 1)];
}

function decodePair(text: string): Pair {
  const mark = text.indexOf("=");
  const parts = mark < 0 ? [text, ""] : [text.slice(0, mark), text.slice(mark + 1)];
  try {
    const [name = "", value = ""] = parts.map(decodeURIComponent);
    return [name, value];
  } catch {
    throw new CommandError(`The query's "${text}" is not percent-encoded as UTF-8.`);
  }
}

interface TypedPair {
  name: string;
  isJson: boolean;
  text: string;
}

function readPair(item: string): TypedPair {
  const [, name, separator, text] = PAIR.exec(item) ?? [];
  if (name === undefined || text === undefined)
    throw new CommandError(`"${item}" is neither name=value, name:=json, @file nor -.`);
  return { name, isJson: separator === ":=", text };
}

function withQuery(target: Target, pairs: readonly TypedPair[]): Target {
  const query: Pair[] = [...target.query, ...pairs.map(({ name, text }): Pair => [name, text])];
  refuseRepeated(query.map(([name]) => name));
  return { ...target, query };
}

function withBody(target: Target, pairs: readonly TypedPair[]): Target {
  refuseRepeated(pairs.map(({ name }) => name));
  if (pairs.length === 0) return target;
  // Assembled as text: a number keeps the typed digits.
  const fields = pairs.map((pair) => `${JSON.stringify(pair.name)}:${jsonOf(pair)}`);
  const textFields = pairs.filter(({ isJson }) => !isJson).map(({ name }) => name);
  return { ...target, body: `{${fields.join(",")}}`, textFields };
}

function jsonOf({ name, isJson, text }: TypedPair): string {
  if (!isJson) return JSON.stringify(text);
  try {
    JSON.parse(text);
    return text.trim();
  } catch {
    throw new CommandError(`${name}:= is not followed by JSON: "${text}".`);
  }
}

function refuseRepeated(names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new CommandError(`${repeated} is given twice.`);
}
