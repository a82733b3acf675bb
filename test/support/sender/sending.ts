import type { Hex, LocalAccount, TypedDataDefinition } from "viem";
import { generatePrivateKey } from "viem/accounts";
import type { DeploymentsInput } from "../../../src/config/deployments.ts";
import { createLocalSigner } from "../../../src/sending/signer/signer.ts";
import { canary } from "../assert/logs.ts";
import { until } from "../assert/until.ts";
import type { Product } from "../chain/product.ts";
import type { Delegation, DelegationChange, DelegationPayload } from "../http/answers.ts";
import { makeEnvOf, type TestEnv } from "../http/api.ts";
import { PRODUCT } from "../http/features.ts";
import {
  type Answer,
  createPartner,
  type Partner,
  type PartnerKey,
  type PartnerOptions,
} from "../http/partner.ts";
import { chainClient } from "./chain-fixture.ts";

type ChainInput = DeploymentsInput["chains"][number];

/** A product that api and worker serve, with wallets that send for its users. */
export interface Sending extends TestEnv {
  product: Product;
  wallets: Hex[];
  /** `env` with the wallets' keys. */
  workerEnv: NodeJS.ProcessEnv;
  /** Creates a key that is bound to a user. */
  bind(user: LocalAccount): Promise<PartnerKey & { keyId: string }>;
}

export interface SendingOptions {
  /** The nodes in the deployments file; the product's own node by default. */
  rpcUrls?: string[];
  sending?: ChainInput["sending"];
  /** Interval between polls of nodes, milliseconds; 100 by default. */
  pollingIntervalMs?: number;
  wallets?: number;
  /** Address of a wallet whose key the worker has from elsewhere. */
  sender?: Hex;
  env?: NodeJS.ProcessEnv;
}

/** Quick to notice and to take over, so that a fault and its cure fit in a test. */
const QUICK = { leaseSeconds: 3, bumpAfterSeconds: 60 };
/** Blocks on top of a transaction until it is final. */
export const CONFIRMATIONS = 3;

export async function createSending(
  databaseUrl: string,
  product: Product,
  options: SendingOptions = {},
): Promise<Sending> {
  const { chainId, startBlock, stockRouter, cashier, stock, oneClickRouter } = product.deployment;
  const contracts = { stockRouter, cashier, stock, oneClickRouter };
  const chain: ChainInput = {
    chainId,
    rpcUrls: options.rpcUrls ?? [product.rpcUrl],
    confirmations: CONFIRMATIONS,
    pollingIntervalMs: options.pollingIntervalMs ?? 100,
    ephemeral: true,
    sending: { ...QUICK, ...options.sending },
    products: [{ productType: PRODUCT, startBlock, contracts }],
  };
  const env = makeEnvOf(databaseUrl, { chains: [chain] }, options.env);
  const keys = Array.from({ length: options.wallets ?? 1 }, () => canary("wallet key", generatePrivateKey()));
  const wallets = options.sender ? [options.sender] : keys.map((key) => createLocalSigner(key).address);
  const node = chainClient(product.rpcUrl);
  for (const address of wallets) await node.setBalance({ address, value: 10n ** 21n });
  return {
    ...env,
    product,
    wallets,
    workerEnv: { ...env.env, SENDER_KEYS: keys.join(",") },
    bind: (user) => env.makeKey({ userAddress: user.address }),
  };
}

export const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3_600;

/**
 * Signs what POST /1ct/prepare asks for, and posts it to /1ct/enable.
 * @param user who is bound; a wallet contract's owner may sign in its place
 */
export async function enable(
  partner: Partner,
  user: Hex,
  signer: LocalAccount,
): Promise<Answer<DelegationChange> & { signature: Hex; sent: object }> {
  const request = { userAddress: user, deadline: inAnHour() };
  const prepared = await partner.must(partner.post<DelegationPayload>("/1ct/prepare", request));
  const signature = canary(
    "user's signature",
    await signer.signTypedData(prepared.signPayload as TypedDataDefinition),
  );
  const { deadline, nonce } = prepared;
  const sent = { signature, deadline, nonce };
  const answer = await partner.post<DelegationChange>("/1ct/enable", sent);
  return { ...answer, signature, sent };
}

/** Binds a user's key and enables sending, once there are wallets and a worker. */
export async function enableUser(
  sending: Sending,
  url: string,
  user: LocalAccount,
  options?: PartnerOptions,
): Promise<Partner> {
  const partner = createPartner(url, await sending.bind(user), options);
  await until(
    `${user.address} can be sent for`,
    async () => {
      // A pending enable is not repeated: that would be a second transaction.
      const { body } = await partner.get<Delegation>("/1ct/status");
      if (body.code !== 200) return undefined;
      if (body.data.status === "disabled") await enable(partner, user.address, user);
      return body.data.status === "enable" || undefined;
    },
    120_000,
  );
  return partner;
}

/** Makes a market buy that no other notional makes. */
export const marketBuy = (sending: Sending, notional: string) => ({
  stockAddress: sending.product.deployment.stockTokens[0]?.address,
  side: "Buy",
  type: "Market",
  notional,
  deadline: inAnHour(),
});

export const withKey = (idempotencyKey: string) => ({ headers: { "idempotency-key": idempotencyKey } });
