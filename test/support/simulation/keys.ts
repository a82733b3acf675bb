import { type Hex, keccak256 } from "viem";
import type { Signer, UnsignedTransaction } from "../../../src/sending/signer/signer.ts";
import type { SimulatedChain } from "./chain.ts";
import { walletsOfWorld } from "./partners.ts";
import type { KeyFault } from "./scenario.ts";
import type { Process, Scheduler } from "./scheduler.ts";

/** Sees every transaction before its signature leaves the key. */
export interface SigningObserver {
  signing(wallet: Hex, nonce: bigint, data: Hex): void;
}

/** Longest time that a key takes for one answer, ms. */
const TIMEOUT_MS = 5_000;

/**
 * Keys of the wallets, each of which signs in an event of its own. The last wallet's is in a device: it signs the same transaction
 * differently each time.
 */
export class Keys {
  private readonly faults = new Map<Hex, { fault: KeyFault; untilMs: number }>();
  private readonly scheduler: Scheduler;
  private readonly chain: SimulatedChain;
  private readonly observer: SigningObserver;
  private signatures = 0;

  constructor(scheduler: Scheduler, chain: SimulatedChain, observer: SigningObserver) {
    this.scheduler = scheduler;
    this.chain = chain;
    this.observer = observer;
  }

  signerFor(address: Hex, process: Process): Signer {
    return {
      address,
      check: () => Promise.resolve(),
      sign: (transaction) =>
        new Promise((resolve, reject) => {
          const { scheduler } = this;
          const fault = this.faultOf(address);
          const ms = fault === null ? 2 : scheduler.random.chance(0.3) ? 1 : TIMEOUT_MS;
          scheduler.after(scheduler.random.below(ms), process, () => {
            if (this.faultOf(address) === "gone") reject(new Error("the device does not answer"));
            else resolve(this.sign(address, transaction));
          });
        }),
    };
  }

  suffer(address: Hex, fault: KeyFault, untilMs: number): void {
    this.faults.set(address, { fault, untilMs });
  }

  recover(): void {
    this.faults.clear();
  }

  private faultOf(address: Hex): KeyFault | null {
    const found = this.faults.get(address);
    return found && found.untilMs > this.scheduler.nowMs ? found.fault : null;
  }

  /** Returns bytes that tell the chain what they are. */
  private sign(wallet: Hex, transaction: UnsignedTransaction): Hex {
    const { nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
    const { signed } = this.chain;
    this.observer.signing(wallet, BigInt(nonce), data);
    const signature = wallet === walletsOfWorld.at(-1) ? ++this.signatures : 0;
    const text = [wallet, nonce, to, gas, maxFeePerGas, maxPriorityFeePerGas, data, signature].join();
    const bytes: Hex = `0x02${Buffer.from(text).toString("hex")}`;
    if (!signed.has(bytes)) {
      const fees = { gas, maxFeePerGas, maxPriorityFeePerGas };
      signed.set(bytes, { bytes, hash: keccak256(bytes), wallet, nonce: BigInt(nonce), to, data, ...fees });
    }
    return bytes;
  }
}
