import { randomUUID } from "node:crypto";
import {
  ApiError,
  AuthenticationError,
  type PartnerTrading,
  PartnerTradingError,
} from "../../client/src/index.ts";
import type { Arguments, McpTool } from "./tool.ts";

/** Answer of a tool, in the form of the protocol. */
export interface ToolAnswer {
  [field: string]: unknown;
  content: { type: "text"; text: string }[];
  isError?: boolean;
}

/**
 * Calls the operation of a tool. Failures are answers, too: with code, field, uuid and what to do.
 * @param signal ends the call
 */
export async function callTool(
  trading: PartnerTrading,
  tool: McpTool,
  args: Arguments,
  signal?: AbortSignal,
): Promise<ToolAnswer> {
  const wrong = wrongArgument(tool, args);
  if (wrong) return failed({ errCode: "VALIDATION_FAILED", ...wrong, whatToDo: `Change ${wrong.param}.` });
  const { idempotencyKey = tool.isSend ? randomUUID() : undefined, minBlock, ...fields } = args;
  const key = idempotencyKey === undefined ? {} : { idempotencyKey: String(idempotencyKey) };
  try {
    const answer = await trading.request(tool.method, pathOf(tool, fields), {
      ...partsOf(tool, fields),
      ...key,
      ...(minBlock === undefined ? {} : { headers: { "x-min-block": String(minBlock) } }),
      signal,
    });
    const { data, uuid, indexedBlock, eventCursor } = answer;
    return { content: [textOf({ data, uuid, indexedBlock, eventCursor, ...key })] };
  } catch (error) {
    return failed({ ...describe(error, tool), ...key });
  }
}

const failed = (failure: object): ToolAnswer => ({ content: [textOf(failure)], isError: true });

const textOf = (value: object) => ({ type: "text" as const, text: JSON.stringify(value) });

/** Returns the argument that would be lost or rounded on the way, or that the path needs; all else the service checks. */
function wrongArgument({ inputSchema, path }: McpTool, args: Arguments) {
  for (const [param, value] of Object.entries(args)) {
    const type = inputSchema.properties[param]?.type;
    if (type === "string" && typeof value !== "string")
      return { param, message: `${param} must be a string: amounts are decimal strings, such as "1.50"` };
  }
  const missing = namesIn(path).find((name) => typeof args[name] !== "string" || args[name] === "");
  return missing === undefined ? null : { param: missing, message: `${missing} is missing` };
}

const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

const pathOf = ({ path }: McpTool, args: Arguments): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(args[name])));

function partsOf({ method, path, query }: McpTool, args: Arguments) {
  const inPath = new Set(namesIn(path));
  const rest = Object.entries(args).filter(([name]) => !inPath.has(name));
  // Unknown arguments are sent, too: the service refuses them by name.
  const isQuery = ([name]: [string, unknown]) => method === "GET" || query.includes(name);
  const body = Object.fromEntries(rest.filter((pair) => !isQuery(pair)));
  return {
    query: Object.fromEntries(rest.filter(isQuery)),
    ...(Object.keys(body).length > 0 ? { body } : {}),
  };
}

/** Returns what a failed call was refused for, and what to do. */
function describe(error: unknown, tool: McpTool): object {
  if (error instanceof ApiError) {
    const {
      errCode,
      code,
      message,
      param,
      uuid,
      retryable,
      revert,
      docUrl,
      oldestCursor,
      retryAfterSeconds,
    } = error;
    const details = { param, retryable, uuid, revert, docUrl, oldestCursor, retryAfterSeconds };
    return { errCode, code, message, ...details, whatToDo: adviceOf(error, tool) };
  }
  if (error instanceof AuthenticationError) {
    const { code, message, uuid } = error;
    const whatToDo = "Ask whoever runs this server: the key, its scope or this machine's clock is wrong.";
    return { code, message, uuid, whatToDo };
  }
  const whatToDo = tool.isSend
    ? "The outcome is unknown. Call again with this idempotencyKey: nothing is sent twice."
    : "Call again later.";
  // Of other errors only the service's address is certain to be in no message.
  const message =
    error instanceof PartnerTradingError || error instanceof TypeError ? error.message : "failed";
  return { message, whatToDo };
}

function adviceOf({ retryable, param, docUrl, retryAfterSeconds }: ApiError, { isSend }: McpTool): string {
  if (retryable)
    return `Call again ${retryAfterSeconds ? `in ${retryAfterSeconds} s` : "later"}${isSend ? " with this idempotencyKey" : ""}.`;
  const page = docUrl ? ` docUrl explains it.` : "";
  return `The same call would fail again: change ${param ?? "it"}.${page}`;
}
