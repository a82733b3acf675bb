/** How a client is made. What is left out of the first five is read from the environment, where there is one. */
export interface ClientOptions {
  /** Where the service is, with or without `/api/v1`: `https://api.example.com`. `PARTNER_TRADING_BASE_URL`. */
  baseUrl?: string | undefined;
  /** `PARTNER_TRADING_API_KEY`. */
  apiKey?: string | undefined;
  /** Signs requests, and is never sent. Keep it on a server: whoever has it can trade. `PARTNER_TRADING_API_SECRET`. */
  apiSecret?: string | undefined;
  /** The chain that the key is used on. `PARTNER_TRADING_CHAIN_ID`. */
  chainId?: number | undefined;
  /** The product that the key is used for, exactly as the key has it. `PARTNER_TRADING_PRODUCT`. */
  productType?: string | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** How long one try may take, milliseconds; 30,000 by default. */
  timeoutMs?: number | undefined;
  /** How often a call is repeated that may succeed later; 2 by default. */
  retries?: number | undefined;
  /** Returns the time that is signed, Unix milliseconds; `Date.now` by default. See `clockSkewMs` of the client. */
  clock?: (() => number) | undefined;
}

/** Options of every call. */
export interface RequestOptions {
  /** Ends the call; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  retries?: number | undefined;
  /** Answers from this block or a later one: read your own writes with the block of a receipt. */
  minBlock?: number | undefined;
}

/** Options of calls that send a transaction. */
export interface SendOptions extends RequestOptions {
  /** Names this request, so that no repetition sends twice; generated where it is left out. */
  idempotencyKey?: string | undefined;
}

export interface Settings {
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  chainId: string;
  productType: string;
  fetch: typeof globalThis.fetch;
  timeoutMs: number;
  retries: number;
  clock: () => number;
}

const VARIABLES = {
  baseUrl: "PARTNER_TRADING_BASE_URL",
  apiKey: "PARTNER_TRADING_API_KEY",
  apiSecret: "PARTNER_TRADING_API_SECRET",
  chainId: "PARTNER_TRADING_CHAIN_ID",
  productType: "PARTNER_TRADING_PRODUCT",
} as const;
const TIMEOUT_MS = 30_000;
const RETRIES = 2;

/**
 * Checks the options of a client, and fills in defaults.
 * @throws TypeError naming the option, and never showing its value: it may be the secret
 */
export function readOptions(options: ClientOptions): Settings {
  const chainId = readText(options, "chainId");
  if (!/^[1-9]\d{0,14}$/.test(chainId)) throw new TypeError("chainId must be the number of a chain");
  return {
    apiKey: readText(options, "apiKey"),
    apiSecret: readText(options, "apiSecret"),
    productType: readText(options, "productType"),
    baseUrl: readBaseUrl(readText(options, "baseUrl")),
    chainId,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    retries: options.retries ?? RETRIES,
    // Browsers refuse a `fetch` that is called as a method of something else.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    clock: options.clock ?? Date.now,
  };
}

function readText(options: ClientOptions, name: keyof typeof VARIABLES): string {
  const variable = VARIABLES[name];
  // Browsers have no environment.
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const value = options[name] ?? process?.env?.[variable];
  if (value !== undefined && value !== null && value !== "") return String(value);
  throw new TypeError(`${name} is missing: new PartnerTrading({ ${name} }), or the variable ${variable}`);
}

/** Returns the URL that the API's own path is appended to. What is signed begins behind it. */
function readBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError('baseUrl is no URL: it looks like "https://api.example.com"');
  }
  if (!/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new TypeError("baseUrl must be http(s), without credentials, query and fragment");
  }
  return withoutPrefix(url.origin + url.pathname);
}

/** Returns a base URL without slashes at its end, and without /api/v1, which every path gets. */
export function withoutPrefix(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end -= 1;
  return url.slice(0, end).replace(/\/api\/v1$/, "");
}
