import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { freePort } from "../../../packages/sandbox/src/ports.ts";
import { ROOT } from "../../../src/config/root.ts";

/** A Redis server of the bench's own, each write of which is on a disk before it is answered. */
export interface Redis {
  pid: number;
  /** Sends a command. @throws Error with the server's message */
  send(...command: string[]): Promise<Reply>;
  /** Bytes that the server has appended to its file. */
  appendedBytes(): Promise<number>;
  stop(): Promise<void>;
}

export type Reply = string | number | null | Reply[];

const START_MS = 10_000;

/** @returns null where no redis-server is installed */
export async function startRedis(): Promise<Redis | null> {
  const directory = mkdtempSync(join(ROOT, "test-results/redis-"));
  const port = await freePort();
  const flags = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", directory, "--save", ""];
  const onDisk = ["--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"];
  const child = spawn("redis-server", [...flags, ...onDisk], { stdio: "ignore" });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGTERM");
    if (child.pid !== undefined) await exited;
    rmSync(directory, { recursive: true, force: true });
  };
  if (!(await isStarted(child))) {
    await stop();
    return null;
  }
  try {
    const socket = await connectWithin(port, START_MS);
    const send = createSender(socket);
    return {
      pid: child.pid ?? 0,
      send,
      appendedBytes: async () => {
        const info = String(await send("INFO", "persistence"));
        return Number(/^aof_current_size:(\d+)/m.exec(info)?.[1] ?? 0);
      },
      stop: async () => {
        socket.destroy();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function isStarted(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
}

async function connectWithin(port: number, ms: number): Promise<Socket> {
  const deadline = performance.now() + ms;
  for (;;) {
    try {
      return await new Promise((resolve, reject) => {
        const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket));
        socket.once("error", reject);
      });
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Sends commands without waiting for the answers to those before. The few kinds of answer that the bench gets need no library. */
function createSender(socket: Socket): Redis["send"] {
  const waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void }[] = [];
  let received = "";
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => {
    received += text;
    for (let parsed = parse(received, 0); parsed; parsed = parse(received, 0)) {
      received = received.slice(parsed.end);
      const { value } = parsed;
      if (value instanceof Error) waiting.shift()?.reject(value);
      else waiting.shift()?.resolve(value);
    }
  });
  socket.on("close", () => {
    for (const { reject } of waiting.splice(0)) reject(new Error("the connection to Redis was closed"));
  });
  return (...command) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
      socket.write(`*${command.length}\r\n${parts.join("")}`);
    });
}

/** Returns the answer that begins at `from`; null where its end has not arrived. */
function parse(text: string, from: number): { value: Reply | Error; end: number } | null {
  const lineEnd = text.indexOf("\r\n", from);
  if (lineEnd < 0) return null;
  const [kind, rest, end] = [text[from], text.slice(from + 1, lineEnd), lineEnd + 2];
  if (kind === "-") return { value: new Error(`Redis: ${rest}`), end };
  if (kind === ":") return { value: Number(rest), end };
  if (kind === "+") return { value: rest, end };
  const count = Number(rest);
  if (count < 0) return { value: null, end };
  if (kind === "$") {
    const bulkEnd = end + count + 2;
    return text.length < bulkEnd ? null : { value: text.slice(end, end + count), end: bulkEnd };
  }
  return parseArray(text, count, end);
}

function parseArray(text: string, count: number, from: number): { value: Reply[]; end: number } | null {
  const items: Reply[] = [];
  let end = from;
  for (let index = 0; index < count; index++) {
    const item = parse(text, end);
    if (!item) return null;
    if (item.value instanceof Error) throw item.value;
    items.push(item.value);
    end = item.end;
  }
  return { value: items, end };
}
