/** A query of the page with the types of its variables and answer, which documents.ts names. */
export interface PageDocument<Result, Variables> {
  name: string;
  text: string;
  /** Never present: it carries the types. */
  readonly types?: (variables: Variables) => Result;
}

/** Thrown where the service does not accept the token, or no longer does. */
export class TokenRefused extends Error {}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export type Ask = <Result, Variables>(
  document: PageDocument<Result, Variables>,
  variables: Omit<Variables, "operator">,
  signal?: AbortSignal,
) => Promise<Result>;

/** Allowed characters of a header. */
const TOKEN = /^[!-~]+$/;

/**
 * Returns the headers that authenticate with a token.
 * @throws TokenRefused where no header can hold the text, so it cannot be a token
 */
export function authorization(token: string): { authorization: string } {
  if (!TOKEN.test(token)) throw new TokenRefused();
  return { authorization: `Bearer ${token}` };
}

/**
 * Creates the function that queries /graphql. The token stays in this closure: in no URL, storage, cookie or element. It throws
 * TokenRefused, or an Error whose text is for the reader.
 */
export function createAsk(token: string, role = "viewer"): Ask {
  return async (document, variables, signal) => {
    const response = await reach("graphql", {
      method: "POST",
      headers: { "content-type": "application/json", ...authorization(token) },
      body: JSON.stringify({
        query: document.text,
        variables: { ...variables, ...roleOf(document.text, role) },
      }),
      cache: "no-store",
      redirect: "error",
      ...(signal ? { signal } : {}),
    });
    const answer = await response.json().catch(() => null);
    if (answer?.code === 401) throw new TokenRefused();
    const problem = problemOf(answer, response);
    if (problem !== null) throw new Error(problem);
    return answer.data;
  };
}

/** Documents omit operators' fields where a viewer asks: the service refuses a whole query for one such field. */
const roleOf = (text: string, role: string) =>
  text.includes("$operator:") ? { operator: role === "operator" } : {};

async function reach(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new Error("The service does not answer.");
  }
}

interface Answered {
  data?: { dashboard?: unknown } | null;
  errors?: readonly { message: string; extensions?: { retryable?: boolean } }[];
  errMsg?: string;
}

function problemOf(answer: Answered | null, response: Response): string | null {
  if (answer?.data?.dashboard) return null;
  const messages = answer?.errors?.map(({ message }) => message).join("; ");
  const problem = messages || answer?.errMsg || `The service answered with status ${response.status}.`;
  // Shows a uuid for failures that the log explains alone: a passing one names its cause, and would fill the page with uuids.
  if (answer?.errors?.every(({ extensions }) => extensions?.retryable)) return problem;
  const requestId = response.headers.get("x-request-id");
  return requestId ? `${problem} (request ${requestId})` : problem;
}
