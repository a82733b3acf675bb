import type { Deps } from "../context/deps.ts";
import { attempt } from "./attempt.ts";
import { type PresentedEvent, TEST_TYPE } from "./present.ts";
import { type TestOutcome, type TestWork, writeTestOutcome } from "./test-store.ts";

type TestDeps = Pick<Deps, "pool" | "log" | "webhooks" | "now">;

/**
 * Makes a claimed test, once, and writes its outcome. Where the process dies, the api answers that the outcome is unknown. A
 * failure of ours is logged, and is an outcome, too: a caller waits for it.
 */
export async function runTest(deps: TestDeps, work: TestWork): Promise<void> {
  const outcome = await tryReceiver(deps, work).catch((err: unknown): TestOutcome => {
    deps.log.error({ err, webhookId: work.webhookId }, "a test could not be made");
    return { statusCode: null, error: "the attempt failed within this service", durationMs: 0 };
  });
  await writeTestOutcome(deps.pool, work.testId, outcome);
}

function tryReceiver(deps: TestDeps, { testId, webhookId, url, secrets }: TestWork): Promise<TestOutcome> {
  const event: PresentedEvent = {
    eventId: testId,
    sequence: 0,
    type: TEST_TYPE,
    resource: "webhooks",
    createdAt: Math.floor(deps.now() / 1000),
    blockNumber: null,
    txHash: null,
    retracts: null,
    data: { webhookId },
  };
  return attempt(deps, { webhookId, url, secrets, id: testId, event });
}
