import { expect, it } from "@jest/globals";
import type { Deps } from "../../src/context/deps.ts";
import { createReplicas } from "../../src/context/replicas.ts";
import { createReplicaState } from "../../src/db/replica-state.ts";
import { createLog } from "../../src/telemetry/log.ts";

const log = createLog("test", "silent");
const replica = (name: string) => {
  const state = createReplicaState({ name, log, now: () => 0 });
  return { name, state, deps: { name } as unknown as Deps };
};

it("replicas are taken round-robin, without those that are passed over", () => {
  const outcomes: string[] = [];
  const replicas = createReplicas([replica("one"), replica("two"), replica("three")], (name, outcome) =>
    outcomes.push(`${name} ${outcome}`),
  );
  const next = (): unknown => replicas.take()?.deps;
  expect([next(), next(), next(), next()]).toEqual(["one", "two", "three", "one"].map((name) => ({ name })));
  replicas.take()?.report("failed");
  expect([next(), next(), next()]).toEqual(["three", "one", "three"].map((name) => ({ name })));
  for (const _each of [1, 2]) replicas.take()?.report("failed");
  expect(next()).toBeUndefined();
  expect(outcomes).toEqual(["two failed", "one failed", "three failed"]);
});

it("a version is current where it is the claim's own, or that of a claim that was sent no earlier, of the same", () => {
  const replicas = createReplicas([replica("one")], () => undefined);
  const claimed = { version: "b/0x1/5", askedAt: 100 };
  const isCurrent = (version: string, of = "1") => replicas.isCurrent(of, version, claimed);
  expect({ sameBlock: isCurrent("b/0x1/5"), laterBlock: isCurrent("b/0x1/6") }).toEqual({
    sameBlock: true,
    laterBlock: false,
  });
  replicas.saw("1", { version: "b/0x1/6", askedAt: 99 });
  expect(isCurrent("b/0x1/6")).toBe(false);
  replicas.saw("1", { version: "b/0x1/6", askedAt: 100 });
  // An older claim that returns after that does not lower the version.
  replicas.saw("1", { version: "b/0x1/6", askedAt: 50 });
  expect({
    sameVersion: isCurrent("b/0x1/6"),
    laterVersion: isCurrent("b/0x1/6", "2"),
    earlierBlock: isCurrent("b/0x1/4"),
  }).toEqual({ sameVersion: true, laterVersion: false, earlierBlock: false });
});
