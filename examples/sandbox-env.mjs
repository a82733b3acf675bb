// Prints a sandbox's key as shell variables, which the clients and examples of all languages read:
//   eval "$(node examples/sandbox-env.mjs)"
// In production, set the same variables from your secret store.
import { readFileSync } from "node:fs";

const { baseUrl, keys } = JSON.parse(
  readFileSync(`${process.env.SANDBOX_DIR ?? ".sandbox"}/state.json`, "utf8"),
);
// Chooses the key that may send for a user.
const key = keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress);
const variables = {
  BASE_URL: baseUrl,
  API_KEY: key.apiKey,
  API_SECRET: key.apiSecret,
  CHAIN_ID: key.chainId,
  PRODUCT: key.productType,
};
const quoted = (value) => `'${String(value).replaceAll("'", "'\\''")}'`;
for (const [name, value] of Object.entries(variables))
  console.log(`export PARTNER_TRADING_${name}=${quoted(value)}`);
