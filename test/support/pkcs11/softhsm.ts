import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../../src/config/root.ts";
import type { DeviceSettings } from "../../../src/sending/signer/device.ts";
import { canary } from "../assert/logs.ts";
import { SOFTHSM } from "../program/parts.mjs";

const PACKAGE = join(ROOT, "packages/pkcs11");
const TOKEN = "wallets";

/** A token of SoftHSM, a device in software, in a directory of its own, behind a driver that fails on request. */
export interface SoftHsm extends Omit<DeviceSettings, "keys"> {
  /** Environment of programs that use the device. */
  env: Record<string, string>;
  /** Creates a key by the command of the package. */
  createKey(label: string): void;
  /** Gives a key's public half another label. */
  relabelPublicKey(from: string, to: string): void;
  /** Begins a fault of signatures (faulty-driver.c), or ends it. */
  setFault(fault: string | null): void;
  /** Replaces the token by an empty one with the same label and PIN. */
  replaceToken(): void;
  stop(): void;
}

/** Returns the process ids of the device's programs that a process has started. */
export function devicePrograms(parent: number | undefined): number[] {
  const children = readdirSync(`/proc/${parent}/task`).flatMap((task) =>
    readIfThere(`/proc/${parent}/task/${task}/children`).trim().split(" ").filter(Boolean),
  );
  return children
    .filter((pid) => readIfThere(`/proc/${pid}/cmdline`).includes("pkcs11/src/device.mjs"))
    .map(Number);
}

/** Returns a file of a process; nothing where that, or one of its threads, has ended meanwhile. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Starts an empty token. Installs the package where that is missing. */
export function startSoftHsm(): SoftHsm {
  if (!existsSync(join(PACKAGE, "node_modules/pkcs11js")))
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: PACKAGE, stdio: "ignore" });
  const directory = mkdtempSync(join(tmpdir(), "partner-softhsm-"));
  const [conf, tokens, fault, library] = ["softhsm2.conf", "tokens", "fault", "faulty.so"].map((name) =>
    join(directory, name),
  ) as [string, string, string, string];
  const pin = canary("PIN of a device", randomBytes(16).toString("hex"));
  const env = { SOFTHSM2_CONF: conf, FAULTY_DRIVER_OF: SOFTHSM ?? "", FAULTY_DRIVER_FAULT: fault };
  const run = (command: string, args: string[], input = "") =>
    execFileSync(command, args, {
      cwd: PACKAGE,
      input,
      stdio: ["pipe", "ignore", "pipe"],
      env: { ...process.env, NODE_OPTIONS: "", ...env },
    });
  const includes = join(PACKAGE, "node_modules/pkcs11js/includes/pkcs11");
  const source = join(ROOT, "test/support/pkcs11/faulty-driver.c");
  run("cc", ["-shared", "-fPIC", `-I${includes}`, "-o", library, source, "-ldl"]);
  writeFileSync(conf, `directories.tokendir = ${tokens}\nlog.level = ERROR\n`);
  const startToken = () => {
    rmSync(tokens, { recursive: true, force: true });
    mkdirSync(tokens);
    const pins = ["--pin", pin, "--so-pin", pin];
    run("softhsm2-util", ["--init-token", "--free", "--label", TOKEN, ...pins]);
  };
  startToken();
  return {
    library,
    token: TOKEN,
    pin,
    env,
    createKey: (label) =>
      void run(process.execPath, [join(PACKAGE, "src/create-key.mjs"), library, TOKEN, label], `${pin}\n`),
    relabelPublicKey: (from, to) => {
      const args = [library, TOKEN, pin, from, to];
      run(process.execPath, ["--input-type=module", "--eval", RELABEL, "--", ...args]);
    },
    setFault: (text) => (text === null ? rmSync(fault, { force: true }) : writeFileSync(fault, text)),
    replaceToken: startToken,
    stop: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const RELABEL = `
  import pkcs11 from "pkcs11js";
  import { findObjects, openToken } from "./src/token.mjs";
  const [library, token, pin, from, to] = process.argv.slice(1);
  const { driver, slot } = openToken(library, token);
  const session = driver.C_OpenSession(slot, pkcs11.CKF_SERIAL_SESSION | pkcs11.CKF_RW_SESSION);
  driver.C_Login(session, pkcs11.CKU_USER, pin);
  const [key] = findObjects(driver, session, [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PUBLIC_KEY },
    { type: pkcs11.CKA_LABEL, value: from },
  ]);
  driver.C_SetAttributeValue(session, key, [{ type: pkcs11.CKA_LABEL, value: to }]);`;
