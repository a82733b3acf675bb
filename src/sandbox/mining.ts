import { z } from "zod";
import { rpc } from "./rpc.ts";

/** Whether a development chain mines, and the one place that mines by the clock: the two never cross. */
export interface Mining {
  readonly isOn: boolean;
  /** Off: transactions wait in the pool. On: what waits is mined at once. Nothing is mined any more once it is off. */
  set(on: boolean): Promise<void>;
  /** Mines a block, unless mining is switched off, here or at the node. */
  beat(): Promise<void>;
}

/** Seconds, where a chain of the caller's own mines by a clock of its own; else null or 0. */
const intervalSchema = z.number().nullable();

/** Creates the switch of a chain that mines from its start. */
export function createMining(rpcUrl: string): Mining {
  let isOn = true;
  let interval: number | null = null;
  let last: Promise<unknown> = Promise.resolve();

  function inTurn(work: () => Promise<void>): Promise<void> {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  }

  async function switchOff(): Promise<void> {
    interval = intervalSchema.parse(await rpc(rpcUrl, "anvil_getIntervalMining"));
    await rpc(rpcUrl, "evm_setAutomine", [false]);
    if (interval) await rpc(rpcUrl, "evm_setIntervalMining", [0]);
  }

  async function switchOn(): Promise<void> {
    if (interval) await rpc(rpcUrl, "evm_setIntervalMining", [interval]);
    else await rpc(rpcUrl, "evm_setAutomine", [true]);
    await rpc(rpcUrl, "evm_mine");
  }

  return {
    get isOn() {
      return isOn;
    },
    set: (on) =>
      inTurn(async () => {
        if (on === isOn) return;
        await (on ? switchOn() : switchOff());
        isOn = on;
      }),
    beat: () =>
      inTurn(async () => {
        if (isOn && (await rpc(rpcUrl, "anvil_getAutomine")) === true) await rpc(rpcUrl, "evm_mine");
      }),
  };
}
