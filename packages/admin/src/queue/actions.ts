import type { Hex } from "viem";
import { parseAddress, showAddress } from "../address.ts";
import { withPool } from "../database.ts";
import { type Column, formatDuration, printFields, printJson, printTable } from "../output.ts";
import { print, type Terminal } from "../terminal.ts";
import { type AttemptRow, type QueuedRow, readAttempts, readQueue, readRequest } from "./store.ts";
import { waitsFor } from "./waits-for.ts";

interface ListOptions {
  chain?: number;
  wallet?: string;
  state?: string;
  limit: number;
  json?: boolean;
}

export async function list(terminal: Terminal, options: ListOptions): Promise<void> {
  const { chain: chainId = null, state = null, limit, json } = options;
  const wallet: Hex | null = options.wallet === undefined ? null : parseAddress(options.wallet);
  await withPool(terminal, async (pool) => {
    const requests = (await readQueue(pool, { chainId, wallet, state, limit })).map(present);
    if (json) return printJson(terminal, requests);
    printTable(terminal, requests, COLUMNS, "Nothing is queued.");
  });
}

function present(row: QueuedRow) {
  return {
    requestId: row.requestId,
    chainId: row.chainId,
    productType: row.productType,
    wallet: showAddress(row.wallet),
    userAddress: showAddress(row.userAddress),
    apiKey: row.apiKey,
    operation: row.operation,
    state: row.state,
    nonce: row.nonce === null ? null : Number(row.nonce),
    txHash: row.txHash,
    acceptedAt: row.acceptedAt,
    ageSeconds: Math.floor(row.ageSeconds),
    waitsFor: waitsFor(row),
  };
}

type QueueEntry = ReturnType<typeof present>;

const COLUMNS: Column<QueueEntry>[] = [
  { heading: "REQUEST", value: ({ requestId }) => requestId },
  { heading: "SCOPE", value: ({ chainId, productType }) => `${chainId}:${productType}` },
  { heading: "OPERATION", value: ({ operation }) => operation },
  { heading: "STATE", value: ({ state }) => state },
  { heading: "AGE", value: ({ ageSeconds }) => formatDuration(ageSeconds), align: "right" },
  { heading: "NONCE", value: ({ nonce }) => nonce, align: "right" },
  { heading: "WALLET", value: ({ wallet }) => wallet },
  { heading: "API KEY", value: ({ apiKey }) => apiKey },
  { heading: "WAITS FOR", value: (row) => row.waitsFor, shrinks: true },
];

export function show(terminal: Terminal, requestId: string, { json }: { json?: boolean }): Promise<void> {
  return withPool(terminal, async (pool) => {
    const row = await readRequest(pool, requestId);
    if (!row) throw new Error(`there is no request ${requestId}`);
    const request = present(row);
    const attempts = (await readAttempts(pool, requestId)).map(presentAttempt);
    if (json) return printJson(terminal, { ...request, attempts });
    const { acceptedAt, ...fields } = request;
    printFields(terminal, { ...fields, acceptedAt: acceptedAt.toISOString() });
    print(terminal, "");
    printTable(terminal, attempts, ATTEMPT_COLUMNS, "Nothing was signed for it.");
  });
}

function presentAttempt(row: AttemptRow) {
  return {
    kind: row.kind,
    txHash: row.txHash,
    gasLimit: row.gasLimit,
    maxFeePerGas: row.maxFeePerGas,
    maxPriorityFeePerGas: row.maxPriorityFee,
    broadcasts: row.broadcasts,
    taken: row.taken,
    refusals: row.refusals,
    answer: row.answer,
    signedAt: row.createdAt,
    lastBroadcastAt: row.lastBroadcastAt,
  };
}

const ATTEMPT_COLUMNS: Column<ReturnType<typeof presentAttempt>>[] = [
  { heading: "TRANSACTION", value: ({ txHash }) => txHash },
  { heading: "KIND", value: ({ kind }) => kind },
  { heading: "GAS LIMIT", value: ({ gasLimit }) => gasLimit, align: "right" },
  { heading: "MAX FEE (WEI)", value: ({ maxFeePerGas }) => maxFeePerGas, align: "right" },
  { heading: "BROADCASTS", value: ({ broadcasts }) => broadcasts, align: "right" },
  { heading: "TAKEN", value: ({ taken }) => taken, align: "right" },
  { heading: "REFUSED", value: ({ refusals }) => refusals, align: "right" },
  { heading: "LAST ANSWER", value: ({ answer }) => answer },
  { heading: "LAST BROADCAST", value: ({ lastBroadcastAt }) => lastBroadcastAt?.toISOString() ?? null },
];
