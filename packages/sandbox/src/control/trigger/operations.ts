import { isHex } from "viem";
import { cashierAbi } from "../../../../../src/contracts/abi/index.ts";
import { failOperation, setCreditBuffer } from "../../settler/calls.ts";
import { ControlError } from "../context.ts";
import { REASON_SCRIPTED } from "../orders.ts";
import { type Cause, having, requireSending, type Scene, withoutMining } from "./scene.ts";

const AMOUNT = "10";

/** Deposits cash of the user's. @returns the id of its mapping */
export async function deposit({ desk, trading }: Scene): Promise<string> {
  const tokenAddress = desk.deployment.cashTokens[0]?.address ?? "";
  const { mapping } = await trading.cash.deposits.send({ tokenAddress, tokenAmount: AMOUNT });
  if (mapping) return mapping.mappingId;
  throw new Error("a deposit was sent without a mapping");
}

async function pending(scene: Scene) {
  await requireSending(scene);
  return withoutMining(scene, async () => scene.seen(having("mapping.mappingId", await deposit(scene))));
}

/** Deposits cash while nothing may be credited at once, inside `exclusive` alone: the broker would settle it. */
async function queue(scene: Scene) {
  const { desk, seen } = scene;
  const { client, deployment } = desk;
  const cashier = { address: deployment.cashier, abi: cashierAbi } as const;
  const buffer = await client.readContract({ ...cashier, functionName: "creditBufferWad" });
  const capacity = await client.readContract({ ...cashier, functionName: "creditBufferWadCapacity" });
  await desk.send(setCreditBuffer(deployment, 0n, capacity));
  try {
    return await seen(having("mapping.mappingId", await deposit(scene)), { type: "operation.processing" });
  } finally {
    await desk.send(setCreditBuffer(deployment, buffer, capacity));
  }
}

async function processing(scene: Scene) {
  await requireSending(scene);
  return scene.desk.exclusive(() => queue(scene));
}

async function completed(scene: Scene) {
  await requireSending(scene);
  return scene.seen(having("mapping.mappingId", await deposit(scene)));
}

async function failed(scene: Scene) {
  const { desk, seen } = scene;
  await requireSending(scene);
  const operationId = await desk.exclusive(async () => {
    const { operationId: id } = Object((await queue(scene)).data);
    if (!isHex(id)) throw new Error(`a deposit has the id ${id}`);
    await desk.send(failOperation(desk.deployment, { operationId: id, kind: "deposit" }, REASON_SCRIPTED));
    return id;
  });
  return seen(having("operationId", operationId));
}

async function canceled(): Promise<never> {
  throw new ControlError(409, "the contracts cancel no operation: nothing brings operation.canceled about");
}

export const operationCauses = {
  "operation.pending": pending,
  "operation.processing": processing,
  "operation.completed": completed,
  "operation.failed": failed,
  "operation.canceled": canceled,
} satisfies Record<string, Cause>;
