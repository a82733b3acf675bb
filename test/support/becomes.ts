import { expect } from "@jest/globals";
import { until } from "./until.ts";

/** Waits until what `read` gives is what is expected, by the rules of toEqual. @throws Error that shows the difference */
export async function becomes<T>(read: () => Promise<T> | T, expected: unknown): Promise<void> {
  await until("what is expected", async () => {
    expect(await read()).toEqual(expected);
    return true;
  });
}
