// Creates a key of secp256k1 in a token, from which it cannot be taken out:
// node packages/pkcs11/src/create-key.mjs <driver> <token> <label> < pin-file
import { readFileSync } from "node:fs";
import pkcs11 from "pkcs11js";
import { findObjects, openToken, SECP256K1 } from "./token.mjs";

const [library, token, label] = process.argv.slice(2);
if (!library || !token || !label) {
  process.stderr.write("usage: create-key.mjs <driver> <token> <label>, with the token's PIN on stdin\n");
  process.exit(2);
}
const pin = readFileSync(0, "utf8").replace(/\r?\n$/, "");
const { driver, slot } = openToken(library, token);
const session = driver.C_OpenSession(slot, pkcs11.CKF_SERIAL_SESSION | pkcs11.CKF_RW_SESSION);
driver.C_Login(session, pkcs11.CKU_USER, pin);
if (findObjects(driver, session, [{ type: pkcs11.CKA_LABEL, value: label }]).length > 0)
  throw new Error(`the token has an object with the label ${label}`);
const named = [
  { type: pkcs11.CKA_TOKEN, value: true },
  { type: pkcs11.CKA_LABEL, value: label },
];
driver.C_GenerateKeyPair(
  session,
  { mechanism: pkcs11.CKM_EC_KEY_PAIR_GEN },
  [...named, { type: pkcs11.CKA_EC_PARAMS, value: SECP256K1 }, { type: pkcs11.CKA_VERIFY, value: true }],
  [
    ...named,
    { type: pkcs11.CKA_PRIVATE, value: true },
    { type: pkcs11.CKA_SENSITIVE, value: true },
    { type: pkcs11.CKA_EXTRACTABLE, value: false },
    { type: pkcs11.CKA_SIGN, value: true },
  ],
);
driver.C_Finalize();
process.stdout.write(`created the key ${label}\n`);
