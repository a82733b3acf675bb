import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../packages/sandbox/src/ports.ts";
import { ROOT } from "../../../src/config/root.ts";
import { until } from "../assert/until.ts";
import { findProgram } from "../program/parts.mjs";

export interface ComposeProxy {
  url: string;
  stop(): Promise<void>;
}

/** Starts HAProxy with the compose file's configuration, except the addresses, in front of one api. */
export async function startComposeProxy(apiUrl: string, operatorUrl: string): Promise<ComposeProxy> {
  const directory = mkdtempSync(join(tmpdir(), "partner-haproxy-"));
  const file = join(directory, "haproxy.cfg");
  const port = await freePort();
  const config = readFileSync(join(ROOT, "deploy/compose/haproxy.cfg"), "utf8")
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replace("bind :8083", `bind 127.0.0.1:${await freePort()}`)
    .replaceAll(/api-[12]:8080/g, new URL(apiUrl).host)
    .replaceAll(/api-[12]:8083/g, new URL(operatorUrl).host);
  writeFileSync(file, config);
  const child = spawn(findProgram("haproxy") ?? "haproxy", ["-db", "-f", file], { stdio: "ignore" });
  const killAtExit = () => child.kill("SIGKILL");
  process.once("exit", killAtExit);
  const exited = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until("the proxy has found the api", answers);
  return {
    url,
    stop: async () => {
      killAtExit();
      await exited;
      process.removeListener("exit", killAtExit);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
