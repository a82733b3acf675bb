import { CommandError } from "../terminal.ts";

/** Calls of the sandbox's control (docs/SANDBOX.md#the-control). */
export interface Control {
  post(path: string, body: object): Promise<unknown>;
  get(path: string): Promise<unknown>;
}

export function controlAt(controlUrl: string, signal: AbortSignal): Control {
  const call = async (path: string, init: RequestInit): Promise<unknown> => {
    const response = await fetch(controlUrl + path, { ...init, signal }).catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw new CommandError(`The sandbox's control at ${controlUrl} does not answer: is it running?`);
    });
    const answer = (await response.json()) as { error?: string };
    if (!response.ok) throw new CommandError(`The sandbox's control refuses ${path}: ${answer.error}`);
    return answer;
  };
  const headers = { "content-type": "application/json" };
  return {
    get: (path) => call(path, {}),
    post: (path, body) => call(path, { method: "POST", headers, body: JSON.stringify(body) }),
  };
}
