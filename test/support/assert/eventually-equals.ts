import { expect } from "@jest/globals";
import { NotYetError, until } from "./until.ts";

/**
 * Waits until what `read` returns equals `expected`, by the rules of toEqual.
 * @throws Error showing the difference that was left; whatever `read` throws, at once.
 */
export async function eventuallyEquals<T>(read: () => Promise<T> | T, expected: unknown): Promise<void> {
  await until("the expected value", async () => {
    const value = await read();
    try {
      expect(value).toEqual(expected);
    } catch (difference) {
      throw new NotYetError(String(difference));
    }
    return true;
  });
}
