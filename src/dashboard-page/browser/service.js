/** The token is not one that the service knows. */
export class TokenRefused extends Error {}

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/**
 * @typedef {(query: string, variables: Record<string, unknown>, signal?: AbortSignal) => Promise<any>} Ask
 */

/**
 * Asks /graphql. The token lives in this closure alone: in no URL, no storage, no cookie, no element.
 * @param {string} token
 * @returns {Ask} what the field `dashboard` answers; throws TokenRefused, or an Error whose text is for the reader
 */
export function connect(token) {
  return async (query, variables, signal) => {
    // What no header may hold cannot be a token; fetch would speak of headers.
    if (!/^[!-~]+$/.test(token)) throw new TokenRefused();
    const response = await reach("graphql", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
      cache: "no-store",
      redirect: "error",
      signal,
    });
    const answer = await response.json().catch(() => null);
    if (answer?.code === 401) throw new TokenRefused();
    const problem = problemOf(answer, response);
    if (problem) throw new Error(problem);
    return answer.data.dashboard;
  };
}

/**
 * What /readyz misses; null where it does not answer.
 * @param {AbortSignal} [signal]
 * @returns {Promise<string[] | null>}
 */
export async function readMissing(signal) {
  try {
    const response = await fetch("readyz", { cache: "no-store", redirect: "error", signal });
    const { status, missing } = await response.json();
    if (Array.isArray(missing)) return missing.map(String);
    return status === "ready" ? [] : null;
  } catch {
    return null;
  }
}

/** @param {string} path @param {RequestInit} request */
async function reach(path, request) {
  try {
    return await fetch(path, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new Error("The service does not answer.");
  }
}

/** @param {any} answer @param {Response} response */
function problemOf(answer, response) {
  if (answer?.data?.dashboard) return null;
  const said =
    answer?.errors?.map((/** @type {any} */ { message }) => message).join("; ") ||
    answer?.errMsg ||
    `The service answered with status ${response.status}`;
  const requestId = response.headers.get("x-request-id");
  return requestId ? `${said} (request ${requestId})` : said;
}
