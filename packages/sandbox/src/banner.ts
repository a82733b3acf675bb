import { IS_PACKAGE, START, START_FRESH } from "./command.ts";
import type { SandboxState } from "./state.ts";

/** Returns the text that is printed once the sandbox is ready. */
export function banner(state: SandboxState, directory: string): string {
  const {
    baseUrl,
    operatorUrl,
    graphqlUrl,
    dashboardUrl,
    controlUrl,
    databaseUrl,
    dashboardToken,
    chains,
    users,
    keys,
  } = state;
  return [
    "",
    "The sandbox is ready to trade.",
    "",
    `  API        ${baseUrl}/api/v1`,
    `  Reference  ${baseUrl}/docs   (a web page; it signs test requests with a key that you type)`,
    `  Operator   ${operatorUrl}   (/metrics, and /readyz with what is missing)`,
    `  GraphQL    ${graphqlUrl}   (Authorization: Bearer ${dashboardToken})`,
    `  Dashboard  ${dashboardUrl}   (a web page; it asks for the same token)`,
    `  Control    ${controlUrl}   (GET / lists what it can do)`,
    `  Database   ${withoutPassword(databaseUrl)}   (its password is in state.json)`,
    ...chains.map(
      ({ chainId, rpcUrl, productType }) => `  Chain      ${chainId}   ${rpcUrl}   product ${productType}`,
    ),
    `  Logs       ${directory}/logs`,
    `  State      ${directory}/state.json`,
    "",
    "Keys",
    ...keys.flatMap(({ name, access, chainId, userAddress, apiKey, apiSecret }) => [
      `  ${name.padEnd(13)} ${access.padEnd(9)} chain ${chainId}${userAddress ? `   sends for ${userAddress}` : ""}`,
      `                key ${apiKey}   secret ${apiSecret}`,
    ]),
    "",
    "Users (well-known development keys: never send them anything of worth)",
    ...users.map(({ address, privateKey }) => `  ${address}   ${privateKey}`),
    "",
    "A 401 says why in its header x-sandbox-auth-cause, here and nowhere else.",
    "A first signed call, to paste into another terminal:",
    "",
    `  ${signedCall(state)}`,
    "",
    IS_PACKAGE
      ? "Events as they happen:"
      : "Events as they happen; `node examples/first-order.mjs` in a third terminal makes some:",
    "",
    `  ${watchCall(state)}`,
    "",
    "The partners' command does both by itself: `npx partner-trading call GET /config`, `npx partner-trading listen`.",
    "",
    `Ctrl-C ends the sandbox; \`${START}\` goes on from there, \`${START_FRESH}\` starts anew.`,
    "",
  ].join("\n");
}

function withoutPassword(url: string): string {
  const parsed = new URL(url);
  parsed.password = "";
  return parsed.href;
}

/**
 * Returns a shell command that signs when it runs, so it can be pasted at any time. It needs only curl and node, and works in sh,
 * bash and zsh: the headers hold neither blanks nor quotes.
 */
export function signedCall({ baseUrl, keys }: Pick<SandboxState, "baseUrl" | "keys">): string {
  return signedGet(baseUrl, "/api/v1/config", keys[0]);
}

/** Returns a command of the same kind that prints the events of the key with which examples/first-order.mjs trades. */
export function watchCall({ baseUrl, keys }: Pick<SandboxState, "baseUrl" | "keys">): string {
  const key = keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress);
  return signedGet(baseUrl, "/api/v1/events/stream", key, "-sSN");
}

function signedGet(
  baseUrl: string,
  uri: string,
  key: SandboxState["keys"][number] | undefined,
  flags = "-sS",
): string {
  if (!key) throw new Error("there is no key");
  const script = [
    `const c=require("crypto"),t=Date.now(),n=c.randomUUID()`,
    `s=c.createHmac("sha256","${key.apiSecret}").update(["GET","${uri}",t,n,""].join("\\n")).digest("hex")`,
    `h={key:"${key.apiKey}",ts:t,nonce:n,"chain-id":${key.chainId},p:"${key.productType}",sign:s}`,
  ].join(",");
  const print = `console.log(Object.entries(h).map(([k,v])=>"-H x-api-"+k+":"+v).join(" "))`;
  return `curl ${flags} ${baseUrl}${uri} $(node -e '${script};${print}')`;
}
