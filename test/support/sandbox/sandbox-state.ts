import { readFileSync } from "node:fs";
import { z } from "zod";

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const token = z.strictObject({ address, symbol: z.string().min(1), decimals: z.int() });

/** `.sandbox/state.json`, as its readers rely on it: nothing more, nothing less. */
export const stateSchema = z.strictObject({
  baseUrl: z.url(),
  operatorUrl: z.url(),
  graphqlUrl: z.url(),
  dashboardUrl: z.url(),
  controlUrl: z.url(),
  databaseUrl: z.string().startsWith("postgres"),
  dashboardToken: z.string().min(32),
  chains: z.array(
    z.strictObject({
      chainId: z.int(),
      rpcUrl: z.url(),
      productType: z.string().min(1),
      contracts: z.strictObject({
        stockRouter: address,
        cashier: address,
        stock: address,
        oneClickRouter: address,
      }),
      cashTokens: z.array(token).min(2),
      stockTokens: z.array(token).min(8),
    }),
  ),
  users: z.array(z.strictObject({ address, privateKey: z.string().regex(/^0x[0-9a-f]{64}$/) })).min(2),
  keys: z.array(
    z.strictObject({
      name: z.string().min(1),
      apiKey: z.string().min(1),
      apiSecret: z.string().min(16),
      access: z.enum(["READ_ONLY", "WRITABLE"]),
      chainId: z.int(),
      productType: z.string().min(1),
      userAddress: address.nullable(),
    }),
  ),
});

export type SandboxState = z.infer<typeof stateSchema>;

/** Reads the state of the sandbox that the e2e project's global setup started. */
export function readSandboxState(): SandboxState {
  const path = process.env.E2E_STATE_FILE;
  if (!path) throw new Error("E2E_STATE_FILE is not set: run these tests through the e2e project");
  return stateSchema.parse(JSON.parse(readFileSync(path, "utf8")));
}
