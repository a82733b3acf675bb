import { type ChildProcess, fork } from "node:child_process";
import { z } from "zod";
import { ENV_NAMES } from "../../config/env.ts";

/** Wait for an answer while the program answers nothing at all, ms; a first login takes the longest. */
const LOGIN_MS = 15_000;
const ANSWER_MS = 5_000;

const answerSchema = z.union([
  z.object({ id: z.int(), error: z.string() }),
  z.object({ id: z.int(), value: z.string().nullable() }),
]);

interface Waiting {
  resolve: (value: string | null) => void;
  reject: (error: Error) => void;
}

/** The device answers with an error. */
export class DeviceError extends Error {
  override readonly name = "DeviceError";
}

/** One process of packages/pkcs11/src/device.mjs. A driver that hangs, or crashes, takes that process alone. */
export class DeviceProgram {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, Waiting>();
  private count = 0;
  private patienceMs = LOGIN_MS;
  private silence: NodeJS.Timeout | null = null;
  private ending: Error | null = null;
  private isReleased = false;

  constructor(script: string) {
    this.child = fork(script, { env: environment(), execArgv: [], stdio: "ignore" });
    this.child.on("message", (message) => this.settle(message));
    this.child.on("error", (error) => this.end(`the device's program does not run: ${error.message}`));
    this.child.on("exit", (code, signal) => this.end(`the device's program has ended (${signal ?? code})`));
  }

  /** True while requests can be made. */
  get isUsable(): boolean {
    return this.ending === null && !this.isReleased;
  }

  /** Makes one request. @throws DeviceError; Error where the program ends, or answers nothing in time, and is ended for it */
  ask(request: object): Promise<string | null> {
    if (this.ending) return Promise.reject(this.ending);
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      if (!this.silence) this.expectAnswer();
      this.child.send({ id, ...request }, (error) => {
        if (error) this.end("the device's program has ended");
      });
    });
  }

  /** Ends the program once its last request is answered. */
  release(): void {
    this.isReleased = true;
    if (this.waiting.size === 0) this.end("the device's program was released");
  }

  /** Ends the program now; requests that wait fail with the reason. */
  end(reason: string): void {
    if (this.ending) return;
    this.ending = new Error(reason);
    if (this.silence) clearTimeout(this.silence);
    this.child.kill("SIGKILL");
    for (const { reject } of this.waiting.values()) reject(this.ending);
    this.waiting.clear();
  }

  private settle(message: unknown): void {
    const answer = answerSchema.parse(message);
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    this.patienceMs = ANSWER_MS;
    this.expectAnswer();
    if ("error" in answer) waiting?.reject(new DeviceError(answer.error));
    else waiting?.resolve(answer.value);
    if (this.isReleased) this.release();
  }

  /** Begins the wait anew: a device that signs slowly still answers. */
  private expectAnswer(): void {
    if (this.silence) clearTimeout(this.silence);
    this.silence = null;
    if (this.waiting.size === 0) return;
    const reason = `the device does not answer within ${this.patienceMs / 1000} s`;
    this.silence = setTimeout(() => this.end(reason), this.patienceMs);
  }
}

/** Returns the environment of the program: drivers read variables of their own, and none of this service's. */
function environment(): NodeJS.ProcessEnv {
  const own = new Set(["NODE_OPTIONS", ...(ENV_NAMES.worker ?? [])]);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.has(name)));
}
