import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { generatePrivateKey } from "viem/accounts";
import { createLocalSigner, type Signer } from "../../src/sending/signer/signer.ts";
import { canary } from "../support/assert/logs.ts";
import { until } from "../support/assert/until.ts";
import {
  type ChainFixture,
  confirm,
  type DrivenWallet,
  driveWallet,
  minedFrom,
  startChainFixture,
} from "../support/sender/chain-fixture.ts";

/** A signer outside the process, as a KMS is one: it fails, it is slow, and whoever asked it dies meanwhile. */
let fixture: ChainFixture;
let driven: DrivenWallet | null = null;

beforeAll(async () => {
  fixture = await startChainFixture();
});
afterAll(() => fixture?.close());
afterEach(async () => {
  await driven?.stop();
  driven = null;
});

interface Kms extends Signer {
  down: boolean;
  /** Nonces that it was asked to sign. */
  asked: number[];
}

function createKms(): Kms {
  const local = createLocalSigner(canary("wallet key", generatePrivateKey()));
  const kms: Kms = {
    address: local.address,
    remote: true,
    down: false,
    asked: [],
    sign: async (transaction) => {
      kms.asked.push(transaction.nonce);
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (kms.down) throw new Error("the KMS does not answer");
      return local.sign(transaction);
    },
  };
  return kms;
}

async function endsOnce(one: DrivenWallet, ids: string[]): Promise<void> {
  for (const id of ids) await one.reaches(id, ["mined", "final"]);
  await confirm(fixture);
  const rows = await Promise.all(ids.map((id) => one.reaches(id, "final")));
  const mined = await minedFrom(fixture.chain, one.signer.address);
  expect(mined.map(({ nonce }) => nonce)).toEqual(ids.map((_, index) => index));
  expect(mined.map(({ input }) => input)).toEqual(rows.map(({ data }) => data));
}

/** Payloads that are stored and have no signature yet. */
async function unsigned(one: DrivenWallet): Promise<{ nonce: string; broadcasts: number }[]> {
  const { rows } = await fixture.pool.query<{ nonce: string; broadcasts: number }>(
    "SELECT nonce, broadcasts FROM app.send_attempt WHERE wallet = $1 AND signed_bytes IS NULL ORDER BY nonce",
    [one.signer.address],
  );
  return rows;
}

it("signs what is stored, in the order of nonces", async () => {
  driven = await driveWallet(fixture, { signer: createKms() });
  await endsOnce(driven, [await driven.send(), await driven.send(), await driven.send()]);
});

it("while it is away, payload and nonce wait stored and nothing is broadcast; then all goes out once", async () => {
  const kms = createKms();
  driven = await driveWallet(fixture, { signer: kms });
  kms.down = true;
  const one = driven;
  const first = await one.send();
  await until("it was asked in vain", () => (kms.asked.length > 1 ? true : undefined));
  expect(await unsigned(one)).toEqual([{ nonce: "0", broadcasts: 0 }]);
  const second = await one.send();
  expect((await one.row(first)).state).toBe("signed");
  expect(await minedFrom(fixture.chain, kms.address)).toEqual([]);
  kms.down = false;
  await endsOnce(one, [first, second]);
});

it("a worker that dies while it waits for a signature leaves its nonce to the next, under the same number", async () => {
  const kms = createKms();
  kms.down = true;
  driven = await driveWallet(fixture, { signer: kms });
  const one = driven;
  const id = await one.send();
  await until("its payload is stored", async () => ((await unsigned(one)).length === 1 ? true : undefined));
  await one.stop();
  kms.down = false;
  await one.start();
  await endsOnce(one, [id, await one.send()]);
  expect(new Set(kms.asked)).toEqual(new Set([0, 1]));
});
