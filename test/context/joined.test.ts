import { describe, expect, it } from "@jest/globals";
import type { Deps } from "../../src/context/deps.ts";
import { joined } from "../../src/context/joined.ts";

const SCOPE = { chainId: 31337, productType: "Sandbox" };

/** Returns a read whose runs the test ends; `runs` are those that have begun. */
function makeRead() {
  const runs: { input: string; end: (value: string) => void; fail: (error: Error) => void }[] = [];
  const read = joined(
    (_deps: Deps, _scope, input: string) =>
      new Promise<{ value: string }>((resolve, reject) => {
        runs.push({ input, end: (value) => resolve({ value }), fail: reject });
      }),
  );
  const deps = {} as Deps;
  const ask = (input: string, scope = SCOPE, of = deps) => read(of, scope, input);
  const settled = () => new Promise(setImmediate);
  return { ask, runs, settled };
}

describe("a joined read", () => {
  it("begins at once where none is under way", () => {
    const { ask, runs } = makeRead();
    void ask("a");
    expect(runs).toHaveLength(1);
  });

  it("never joins a run that has begun, and shares the next one, which begins when that has ended", async () => {
    const { ask, runs, settled } = makeRead();
    const first = ask("a");
    const later = [ask("a"), ask("a")];
    await settled();
    expect(runs).toHaveLength(1);
    runs[0]?.end("before the write");
    expect(await first).toEqual({ value: "before the write" });
    await settled();
    expect(runs).toHaveLength(2);
    runs[1]?.end("after it");
    const [one, other] = await Promise.all(later);
    expect(one).toEqual({ value: "after it" });
    expect(other).toBe(one);
  });

  it("begins anew once nothing is under way any more", async () => {
    const { ask, runs, settled } = makeRead();
    const first = ask("a");
    runs[0]?.end("1");
    await first;
    await settled();
    const second = ask("a");
    runs[1]?.end("2");
    expect(await second).toEqual({ value: "2" });
  });

  it("does not fail with the run before it, and those that share a run fail alike", async () => {
    const { ask, runs, settled } = makeRead();
    const first = ask("a");
    const later = [ask("a"), ask("a")];
    const failed = expect(first).rejects.toThrow("down");
    runs[0]?.fail(new Error("down"));
    await failed;
    await settled();
    const all = Promise.all(later.map((one) => expect(one).rejects.toThrow("still down")));
    runs[1]?.fail(new Error("still down"));
    await all;
    void ask("a");
    expect(runs).toHaveLength(3);
  });

  it("is not joined by another input, scope or program", () => {
    const { ask, runs } = makeRead();
    void ask("a");
    void ask("b");
    void ask("a", { ...SCOPE, chainId: 1 });
    void ask("a", { ...SCOPE, productType: "sandbox" });
    void ask("a", SCOPE, {} as Deps);
    expect(runs).toHaveLength(5);
  });
});
