// Signs for a worker, which starts this program and talks to it by messages (src/sending/signer/device-program.ts). Requests:
// { id, login: { library, token, pin } }, once and first; { id, key }, for its public point; { id, key, digest }, for a signature. Answers:
// { id, value } or { id, error }.
import pkcs11 from "pkcs11js";
import { findObjects, openToken, SECP256K1 } from "./token.mjs";

/** Signatures that the device makes at once: as many threads does Node.js give to drivers. */
const SESSIONS = 4;
/** r and s, each of a curve's order. */
const SIGNATURE_BYTES = 64;

let driver = null;
const privateKeys = new Map();
const free = [];
const waiting = [];

function logIn({ library, token, pin }) {
  const opened = openToken(library, token);
  driver = opened.driver;
  for (let count = 0; count < SESSIONS; count++)
    free.push(driver.C_OpenSession(opened.slot, pkcs11.CKF_SERIAL_SESSION));
  // A login is the token's: all sessions have it.
  driver.C_Login(free[0], pkcs11.CKU_USER, pin);
}

/** Runs some work with a session that nothing else uses meanwhile. */
async function inSession(work) {
  const session = free.pop() ?? (await new Promise((resolve) => waiting.push(resolve)));
  try {
    return await work(session);
  } finally {
    const next = waiting.shift();
    if (next) next(session);
    else free.push(session);
  }
}

function findKey(session, kind, label) {
  const found = findObjects(driver, session, [
    { type: pkcs11.CKA_CLASS, value: kind },
    { type: pkcs11.CKA_KEY_TYPE, value: pkcs11.CKK_EC },
    { type: pkcs11.CKA_LABEL, value: label },
  ]);
  if (found.length === 1) return found[0];
  const what = kind === pkcs11.CKO_PRIVATE_KEY ? "private" : "public";
  throw new Error(`${found.length} ${what} EC keys of the token have the label ${label}`);
}

/** @returns {string} the public point of a key, uncompressed, hex */
function readPoint(session, label) {
  const key = findKey(session, pkcs11.CKO_PUBLIC_KEY, label);
  const [params, point] = driver.C_GetAttributeValue(session, key, [
    { type: pkcs11.CKA_EC_PARAMS },
    { type: pkcs11.CKA_EC_POINT },
  ]);
  if (!Buffer.from(params.value).equals(SECP256K1)) throw new Error(`the key ${label} is not of secp256k1`);
  // An octet string in DER; some drivers give the point as it is.
  const bytes = Buffer.from(point.value);
  const bare = bytes.length === 67 ? bytes.subarray(2) : bytes;
  if (bare.length !== 65 || bare[0] !== 4)
    throw new Error(`the public key ${label} is no uncompressed point`);
  return bare.toString("hex");
}

/** @returns {Promise<string>} r and s, hex */
async function sign(session, label, digest) {
  const key = privateKeys.get(label) ?? findKey(session, pkcs11.CKO_PRIVATE_KEY, label);
  privateKeys.set(label, key);
  driver.C_SignInit(session, { mechanism: pkcs11.CKM_ECDSA }, key);
  const signed = await driver.C_SignAsync(session, Buffer.from(digest, "hex"), Buffer.alloc(SIGNATURE_BYTES));
  return signed.toString("hex");
}

function answer({ login, key, digest }) {
  if (login) return logIn(login);
  return inSession((session) =>
    digest === undefined ? readPoint(session, key) : sign(session, key, digest),
  );
}

process.on("message", async ({ id, ...request }) => {
  try {
    process.send({ id, value: (await answer(request)) ?? null });
  } catch (error) {
    process.send({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
// An orderly exit waits for threads of the driver, which may hang.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
