import { CommandError } from "../terminal.ts";
import type { ProgramKey } from "./program.ts";

/** A user of the sandbox, with the key that sends for them. */
export interface SandboxUser extends ProgramKey {
  baseUrl: string;
}

/** Calls of the sandbox's control (docs/SANDBOX.md#the-control). */
export interface Control {
  post(path: string, body: object): Promise<unknown>;
  get(path: string): Promise<unknown>;
}

/** Returns calls that Ctrl-C does not end: the last one gives the market back. */
export function controlAt(controlUrl: string): Control {
  const call = async (path: string, init: RequestInit): Promise<unknown> => {
    const response = await fetch(controlUrl + path, init).catch(() => {
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

/** Makes a user, so that a run neither sees nor changes what others do. @param chainId null for the sandbox's first chain */
export const makeUser = async (control: Control, chainId: number | null): Promise<SandboxUser> =>
  (await control.post("/users", chainId === null ? {} : { chainId })) as SandboxUser;
