import pkcs11 from "pkcs11js";

// Opens tokens and finds their objects, for both programs of this package.

/** DER of the object identifier of secp256k1. */
export const SECP256K1 = Buffer.from("06052b8104000a", "hex");

/**
 * Opens a driver and finds its token.
 * @param {string} library path of the driver
 * @param {string} label of the token
 * @returns the driver, and the token's slot
 * @throws {Error} where the driver cannot be loaded, or no token, or more than one, has the label
 */
export function openToken(library, label) {
  const driver = new pkcs11.PKCS11();
  driver.load(library);
  driver.C_Initialize({ flags: pkcs11.CKF_OS_LOCKING_OK });
  const slots = driver
    .C_GetSlotList(true)
    .filter((slot) => driver.C_GetTokenInfo(slot).label.trim() === label);
  const [slot] = slots;
  if (slot === undefined || slots.length > 1)
    throw new Error(`${slots.length} tokens of the driver have the label ${label}`);
  return { driver, slot };
}

/** Returns the handles of objects. */
export function findObjects(driver, session, template) {
  driver.C_FindObjectsInit(session, template);
  try {
    return driver.C_FindObjects(session, 10);
  } finally {
    driver.C_FindObjectsFinal(session);
  }
}
