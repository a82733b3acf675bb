import { z } from "zod";
import type { RpcCall } from "./rpc.ts";

/** Turns mining of a development chain on and off, and mines at intervals. Nothing else does, so the two never conflict. */
export interface Mining {
  readonly isOn: boolean;
  /** Off: transactions wait in the pool, and nothing more is mined. On: waiting ones are mined at once. */
  set(on: boolean): Promise<void>;
  /** Mines a block, unless mining is switched off, here or at the node. */
  beat(): Promise<void>;
}

/** Interval of a caller's own chain that mines at intervals itself, seconds; else null or 0. */
const intervalSchema = z.number().nullable();

/** Creates the switch of a chain that mines from its start. */
export function createMining(rpc: RpcCall): Mining {
  let isOn = true;
  let interval: number | null = null;
  let last: Promise<unknown> = Promise.resolve();

  function runSerially(work: () => Promise<void>): Promise<void> {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  }

  async function switchOff(): Promise<void> {
    interval = intervalSchema.parse(await rpc("anvil_getIntervalMining"));
    await rpc("evm_setAutomine", [false]);
    if (interval) await rpc("evm_setIntervalMining", [0]);
  }

  async function switchOn(): Promise<void> {
    if (interval) await rpc("evm_setIntervalMining", [interval]);
    else await rpc("evm_setAutomine", [true]);
    await rpc("evm_mine");
  }

  return {
    get isOn() {
      return isOn;
    },
    set: (on) =>
      runSerially(async () => {
        if (on === isOn) return;
        await (on ? switchOn() : switchOff());
        isOn = on;
      }),
    beat: () =>
      runSerially(async () => {
        if (isOn && (await rpc("anvil_getAutomine")) === true) await rpc("evm_mine");
      }),
  };
}
