// Written by `npm run schema:types` from packages/pages/src/dashboard/documents/; not to be edited.
import type { PageDocument } from "./ask.ts";
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type ProblemSeverity =
  | 'critical'
  | 'warning';

export type ProblemCause =
  | 'node'
  | 'index'
  | 'chain'
  | 'worker'
  | 'deliverer'
  | 'halt'
  | 'wallet'
  | 'switch'
  | 'part'
  | 'webhooks';

export type StreamKind =
  | 'events'
  | 'prices';

export type SearchKind =
  | 'order'
  | 'operation'
  | 'transaction'
  | 'send'
  | 'key'
  | 'user'
  | 'request'
  | 'webhook'
  | 'delivery'
  | 'event'
  | 'wallet'
  | 'token';

export type TimelineKind =
  | 'order'
  | 'operation'
  | 'send'
  | 'transaction';

export type TimelineStepState =
  | 'done'
  | 'current'
  | 'failed'
  | 'expected';

export type TimelineStepKind =
  | 'accepted'
  | 'simulated'
  | 'claimed'
  | 'signed'
  | 'broadcast'
  | 'replaced'
  | 'filled_nonce'
  | 'mined'
  | 'placed'
  | 'created'
  | 'indexed'
  | 'mapped'
  | 'fill'
  | 'cancel_requested'
  | 'settled'
  | 'event'
  | 'delivery'
  | 'retracted'
  | 'final'
  | 'ended'
  | 'expiry';

export type DashboardRole =
  | 'viewer'
  | 'operator';

export type Side =
  | 'Buy'
  | 'Sell';

export type OrderType =
  | 'Market'
  | 'Limit';

export type OnChainStatus =
  | 'placing'
  | 'open'
  | 'canceling'
  | 'history';

export type OperationStatus =
  | 'pending'
  | 'processing'
  | 'completed'
  | 'failed'
  | 'canceled';

export type MappingSource =
  | 'send'
  | 'attributed'
  | 'recorded';

export type BalancesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  chainId?: number | null | undefined;
  productType?: string | null | undefined;
  keyId?: string | null | undefined;
  userAddress?: string | null | undefined;
  symbol?: string | null | undefined;
}>;


export type BalancesQuery = { readonly dashboard: { readonly balances: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly chainId: number, readonly productType: string, readonly userAddress: string, readonly mUsdBalance: string, readonly mUsdLocked: string, readonly stocks: ReadonlyArray<{ readonly symbol: string | null, readonly stockAddress: string, readonly exchangeBalance: string, readonly exchangeLocked: string, readonly costBasis: string, readonly realizedPnl: string }>, readonly keys: ReadonlyArray<{ readonly keyId: string, readonly name: string }> } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } } };

export type ChainsQueryVariables = Exact<{ [key: string]: never; }>;


export type ChainsQuery = { readonly dashboard: { readonly chains: ReadonlyArray<{ readonly chainId: number, readonly products: ReadonlyArray<string>, readonly confirmations: number, readonly indexedBlock: number | null, readonly indexedAt: number | null, readonly headBlock: number | null, readonly lagBlocks: number | null, readonly explorerUrl: string | null, readonly sendingHalted: boolean, readonly sendingHaltedAt: number | null, readonly sendingHaltReason: string | null, readonly sendQueues: ReadonlyArray<{ readonly wallet: string, readonly state: string, readonly stateReason: string | null, readonly retired: boolean, readonly undelegatedAt: number | null, readonly depth: unknown, readonly oldestSeconds: number | null, readonly balanceWei: string | null, readonly daysLeft: number | null, readonly nextNonce: number | null, readonly chainNonce: number | null, readonly observedAt: number | null, readonly failures: unknown }> }> } };

export type EventsQueryVariables = Exact<{
  operator: boolean;
  first?: number | null | undefined;
  after?: string | null | undefined;
  chainId?: number | null | undefined;
  productType?: string | null | undefined;
  keyId?: string | null | undefined;
  types?: string | null | undefined;
  objectId?: string | null | undefined;
  eventId?: string | null | undefined;
}>;


export type EventsQuery = { readonly dashboard: { readonly events: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly chainId: number, readonly productType: string, readonly event: { readonly eventId: string, readonly sequence: number, readonly type: string, readonly resource: string, readonly createdAt: number, readonly blockNumber: number | null, readonly txHash: string | null, readonly retracts: string | null, readonly data?: unknown }, readonly key: { readonly keyId: string, readonly name: string } } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } } };

export type KeysQueryVariables = Exact<{
  operator: boolean;
  first?: number | null | undefined;
  after?: string | null | undefined;
  orderBy?: string | null | undefined;
  direction?: string | null | undefined;
  chainId?: number | null | undefined;
  productType?: string | null | undefined;
  status?: string | null | undefined;
  name?: string | null | undefined;
  userAddress?: string | null | undefined;
}>;


export type KeysQuery = { readonly dashboard: { readonly keys: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly keyId: string, readonly name: string, readonly apiKey: string, readonly access: string, readonly status: string, readonly userAddress?: string | null, readonly createdAt: number, readonly expiresAt: number | null, readonly revokedAt: number | null, readonly ips: ReadonlyArray<string>, readonly scopes: ReadonlyArray<{ readonly chainId: number, readonly productType: string }>, readonly policy: { readonly dailyNotionalCap: string | null, readonly allowedSymbols: ReadonlyArray<string>, readonly allowedOperations: ReadonlyArray<string>, readonly expiresAt: number | null, readonly killed: boolean } | null } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } } };

export type KeyDetailQueryVariables = Exact<{
  operator: boolean;
  keyId?: string | null | undefined;
}>;


export type KeyDetailQuery = { readonly dashboard: { readonly key: { readonly keyId: string, readonly name: string, readonly apiKey: string, readonly access: string, readonly status: string, readonly userAddress?: string | null, readonly createdAt: number, readonly expiresAt: number | null, readonly revokedAt: number | null, readonly ips: ReadonlyArray<string>, readonly scopes: ReadonlyArray<{ readonly chainId: number, readonly productType: string }>, readonly policy: { readonly dailyNotionalCap: string | null, readonly allowedSymbols: ReadonlyArray<string>, readonly allowedOperations: ReadonlyArray<string>, readonly expiresAt: number | null, readonly killed: boolean } | null } | null, readonly keyUsage: { readonly windowSeconds: number, readonly inFlight: number | null, readonly spent: string, readonly reads: { readonly limit: number | null, readonly used: number }, readonly writes: { readonly limit: number | null, readonly used: number }, readonly routes: ReadonlyArray<{ readonly method: string, readonly route: string, readonly written: number, readonly refused: number, readonly lastAt: number, readonly lastErrCode: string | null }>, readonly streams: ReadonlyArray<{ readonly streamId: string, readonly kind: StreamKind, readonly chainId: number, readonly productType: string, readonly filter: ReadonlyArray<string> | null, readonly openedAt: number, readonly sentAt: number | null, readonly isBehind: boolean }> } } };

export type KeyTermsFragment = { readonly keyId: string, readonly name: string, readonly apiKey: string, readonly access: string, readonly status: string, readonly userAddress?: string | null, readonly createdAt: number, readonly expiresAt: number | null, readonly revokedAt: number | null, readonly ips: ReadonlyArray<string>, readonly scopes: ReadonlyArray<{ readonly chainId: number, readonly productType: string }>, readonly policy: { readonly dailyNotionalCap: string | null, readonly allowedSymbols: ReadonlyArray<string>, readonly allowedOperations: ReadonlyArray<string>, readonly expiresAt: number | null, readonly killed: boolean } | null };

export type OperationsQueryVariables = Exact<{
  operator: boolean;
  first?: number | null | undefined;
  after?: string | null | undefined;
  orderBy?: string | null | undefined;
  direction?: string | null | undefined;
  chainId?: number | null | undefined;
  productType?: string | null | undefined;
  keyId?: string | null | undefined;
  userAddress?: string | null | undefined;
  kind?: string | null | undefined;
  status?: string | null | undefined;
  txHash?: string | null | undefined;
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type OperationsQuery = { readonly dashboard: { readonly operations: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly kind: string, readonly operation: { readonly operationId: string | null, readonly operationStatus: OperationStatus, readonly mapping: { readonly mappingId: string, readonly chainId: number, readonly productType: string, readonly userAddress?: string | null, readonly source: MappingSource, readonly txHash: string | null, readonly createdAt: number }, readonly depositOperation: { readonly tokenSymbol: string, readonly amount: string | null, readonly creditAmount: string | null, readonly feeAmount: string | null, readonly userAddress?: string, readonly isInstant: boolean | null, readonly settledAt: number | null, readonly failReason: string | null } | null, readonly withdrawalOperation: { readonly tokenSymbol: string, readonly amount: string | null, readonly creditAmount: string | null, readonly feeAmount: string | null, readonly userAddress?: string, readonly isInstant: boolean | null, readonly settledAt: number | null, readonly failReason: string | null } | null }, readonly key: { readonly keyId: string, readonly name: string }, readonly sendRequest: { readonly requestId: string } | null } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } } };

export type OperationTermsFragment = { readonly tokenSymbol: string, readonly amount: string | null, readonly creditAmount: string | null, readonly feeAmount: string | null, readonly userAddress?: string, readonly isInstant: boolean | null, readonly settledAt: number | null, readonly failReason: string | null };

export type OrdersQueryVariables = Exact<{
  operator: boolean;
  first?: number | null | undefined;
  after?: string | null | undefined;
  orderBy?: string | null | undefined;
  direction?: string | null | undefined;
  chainId?: number | null | undefined;
  productType?: string | null | undefined;
  keyId?: string | null | undefined;
  userAddress?: string | null | undefined;
  status?: string | null | undefined;
  onChainStatus?: string | null | undefined;
  side?: string | null | undefined;
  type?: string | null | undefined;
  symbol?: string | null | undefined;
  txHash?: string | null | undefined;
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type OrdersQuery = { readonly dashboard: { readonly orders: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly order: { readonly orderId: string | null, readonly txHash: string | null, readonly status: string, readonly onChainStatus: OnChainStatus, readonly mapping: { readonly mappingId: string, readonly chainId: number, readonly productType: string, readonly userAddress?: string | null, readonly source: MappingSource, readonly createdAt: number }, readonly openOrder: { readonly symbol: string | null, readonly side: Side | null, readonly type: OrderType | null, readonly quantity: string | null, readonly notional: string | null, readonly price: string | null, readonly filledQuantity: string | null, readonly averageFillPrice: string | null, readonly userAddress?: string | null, readonly updatedAt: number } | null, readonly historyOrder: { readonly symbol: string | null, readonly side: Side | null, readonly type: OrderType | null, readonly quantity: string | null, readonly notional: string | null, readonly price: string | null, readonly filledQuantity: string | null, readonly averageFillPrice: string | null, readonly userAddress?: string | null, readonly updatedAt: number, readonly failReason: string | null } | null }, readonly key: { readonly keyId: string, readonly name: string }, readonly sendRequest: { readonly requestId: string } | null } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } } };

export type OrderSeriesQueryVariables = Exact<{
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type OrderSeriesQuery = { readonly dashboard: { readonly orderSeries: { readonly stepSeconds: number, readonly points: ReadonlyArray<{ readonly at: number, readonly count: number, readonly volume: string, readonly byStatus: ReadonlyArray<{ readonly status: string, readonly count: number }> }> } } };

export type SendSeriesQueryVariables = Exact<{
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type SendSeriesQuery = { readonly dashboard: { readonly sendSeries: { readonly stepSeconds: number, readonly points: ReadonlyArray<{ readonly at: number, readonly accepted: number, readonly final: number, readonly failed: number, readonly canceled: number }>, readonly failures: ReadonlyArray<{ readonly errCode: string, readonly count: number, readonly lastAt: number }> } } };

export type ChainSeriesQueryVariables = Exact<{
  chainId?: number | null | undefined;
  from?: number | null | undefined;
}>;


export type ChainSeriesQuery = { readonly dashboard: { readonly chainSeries: { readonly stepSeconds: number, readonly lastAt: number | null, readonly points: ReadonlyArray<{ readonly at: number, readonly lagSeconds: number | null, readonly lagBlocks: number | null }> } } };

export type QueueSeriesQueryVariables = Exact<{
  chainId?: number | null | undefined;
  wallet?: string | null | undefined;
  from?: number | null | undefined;
}>;


export type QueueSeriesQuery = { readonly dashboard: { readonly queueSeries: { readonly stepSeconds: number, readonly lastAt: number | null, readonly points: ReadonlyArray<{ readonly at: number, readonly depth: number | null, readonly oldestSeconds: number | null, readonly balanceWei: string | null }> } } };

export type RequestSeriesQueryVariables = Exact<{
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type RequestSeriesQuery = { readonly dashboard: { readonly requestSeries: { readonly stepSeconds: number, readonly points: ReadonlyArray<{ readonly at: number, readonly requests: number, readonly clientErrors: number, readonly serverErrors: number, readonly p50Ms: number | null, readonly p99Ms: number | null }> } } };

export type OrderTotalsQueryVariables = Exact<{
  from?: number | null | undefined;
}>;


export type OrderTotalsQuery = { readonly dashboard: { readonly orderTotals: { readonly byKey: ReadonlyArray<{ readonly count: number, readonly filled: number, readonly volume: string, readonly secondsToFill: number | null, readonly slippageBps: number | null, readonly key: { readonly keyId: string, readonly name: string } | null }>, readonly bySymbol: ReadonlyArray<{ readonly symbol: string | null, readonly count: number, readonly filled: number, readonly volume: string, readonly secondsToFill: number | null, readonly slippageBps: number | null }>, readonly byChain: ReadonlyArray<{ readonly chainId: number | null, readonly count: number, readonly filled: number, readonly volume: string, readonly secondsToFill: number | null, readonly slippageBps: number | null }> } } };

export type TotalFragment = { readonly count: number, readonly filled: number, readonly volume: string, readonly secondsToFill: number | null, readonly slippageBps: number | null };

export type EndpointTotalsQueryVariables = Exact<{
  from?: number | null | undefined;
}>;


export type EndpointTotalsQuery = { readonly dashboard: { readonly endpointTotals: ReadonlyArray<{ readonly endpoint: string, readonly requests: number, readonly clientErrors: number, readonly serverErrors: number, readonly p50Ms: number | null, readonly p99Ms: number | null }> } };

export type RefusalTotalsQueryVariables = Exact<{
  from?: number | null | undefined;
}>;


export type RefusalTotalsQuery = { readonly dashboard: { readonly refusalTotals: ReadonlyArray<{ readonly errCode: string, readonly count: number, readonly lastAt: number, readonly key: { readonly keyId: string, readonly name: string } }> } };

export type ProblemsQueryVariables = Exact<{ [key: string]: never; }>;


export type ProblemsQuery = { readonly dashboard: { readonly problems: ReadonlyArray<{ readonly severity: ProblemSeverity, readonly cause: ProblemCause, readonly text: string, readonly chainId: number | null, readonly wallet: string | null, readonly since: number | null }>, readonly chains: ReadonlyArray<{ readonly chainId: number, readonly lagSeconds: number | null, readonly blockSeconds: number | null }> } };

export type RequestsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  chainId?: number | null | undefined;
  productType?: string | null | undefined;
  keyId?: string | null | undefined;
  outcome?: string | null | undefined;
  errCode?: string | null | undefined;
  route?: string | null | undefined;
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type RequestsQuery = { readonly dashboard: { readonly requests: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly uuid: string, readonly at: number, readonly chainId: number, readonly productType: string, readonly method: string, readonly route: string, readonly status: number, readonly errCode: string | null, readonly field: string | null, readonly revert: string | null, readonly durationMs: number, readonly requestId: string | null, readonly txHash: string | null, readonly key: { readonly keyId: string, readonly name: string } } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } } };

export type RequestDetailQueryVariables = Exact<{
  uuid?: string | null | undefined;
}>;


export type RequestDetailQuery = { readonly dashboard: { readonly request: { readonly uuid: string, readonly at: number, readonly chainId: number, readonly productType: string, readonly method: string, readonly route: string, readonly status: number, readonly errCode: string | null, readonly field: string | null, readonly revert: string | null, readonly durationMs: number, readonly requestId: string | null, readonly txHash: string | null, readonly key: { readonly keyId: string, readonly name: string } } | null } };

export type RequestTermsFragment = { readonly uuid: string, readonly at: number, readonly chainId: number, readonly productType: string, readonly method: string, readonly route: string, readonly status: number, readonly errCode: string | null, readonly field: string | null, readonly revert: string | null, readonly durationMs: number, readonly requestId: string | null, readonly txHash: string | null, readonly key: { readonly keyId: string, readonly name: string } };

export type SendsQueryVariables = Exact<{
  operator: boolean;
  first?: number | null | undefined;
  after?: string | null | undefined;
  orderBy?: string | null | undefined;
  direction?: string | null | undefined;
  chainId?: number | null | undefined;
  productType?: string | null | undefined;
  keyId?: string | null | undefined;
  userAddress?: string | null | undefined;
  wallet?: string | null | undefined;
  state?: string | null | undefined;
  operation?: string | null | undefined;
  symbol?: string | null | undefined;
  errCode?: string | null | undefined;
  txHash?: string | null | undefined;
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type SendsQuery = { readonly dashboard: { readonly sendRequests: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly requestId: string, readonly chainId: number, readonly productType: string, readonly operation: string, readonly userAddress?: string, readonly wallet: string, readonly symbol: string | null, readonly notional: string | null, readonly clientOrderId: string | null, readonly state: string, readonly status: string, readonly nonce: number | null, readonly txHash: string | null, readonly minedBlock: number | null, readonly errCode: string | null, readonly revert: string | null, readonly reason: string | null, readonly fillReason: string | null, readonly acceptedAt: number, readonly finalAt: number | null, readonly key: { readonly keyId: string, readonly name: string }, readonly attempts: ReadonlyArray<{ readonly kind: string }> } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } } };

export type TimelineOfQueryVariables = Exact<{
  operator: boolean;
  kind?: string | null | undefined;
  id?: string | null | undefined;
  chainId?: number | null | undefined;
}>;


export type TimelineOfQuery = { readonly dashboard: { readonly timeline: { readonly title: string, readonly kind: TimelineKind, readonly id: string, readonly chainId: number, readonly productType: string | null, readonly userAddress?: string | null, readonly txHash: string | null, readonly indexedBlock: number | null, readonly next: string | null, readonly stalled: string | null, readonly steps: ReadonlyArray<{ readonly at: number | null, readonly kind: TimelineStepKind, readonly title: string, readonly state: TimelineStepState, readonly blockNumber: number | null, readonly txHash: string | null, readonly explorerUrl: string | null, readonly detail: ReadonlyArray<{ readonly label: string, readonly value: string }> }>, readonly related: ReadonlyArray<{ readonly kind: SearchKind, readonly id: string, readonly chainId: number | null, readonly productType: string | null, readonly title: string }> } | null } };

export type SearchQueryVariables = Exact<{
  text?: string | null | undefined;
}>;


export type SearchQuery = { readonly dashboard: { readonly search: ReadonlyArray<{ readonly kind: SearchKind, readonly id: string, readonly chainId: number | null, readonly productType: string | null, readonly title: string }> } };

export type HitFragment = { readonly kind: SearchKind, readonly id: string, readonly chainId: number | null, readonly productType: string | null, readonly title: string };

export type MeQueryVariables = Exact<{ [key: string]: never; }>;


export type MeQuery = { readonly dashboard: { readonly environment: { readonly name: string, readonly colour: string } | null, readonly me: { readonly name: string, readonly role: DashboardRole, readonly expiresAt: number | null } } };

export type AuditQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  actor?: string | null | undefined;
  login?: string | null | undefined;
  action?: string | null | undefined;
  subject?: string | null | undefined;
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type AuditQuery = { readonly dashboard: { readonly auditEntries: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly auditId: string, readonly actor: string, readonly login: string | null, readonly requestedBy: string | null, readonly action: string, readonly subject: string, readonly detail: unknown, readonly createdAt: number } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } } };

export type DelegationsQueryVariables = Exact<{
  userAddress?: string | null | undefined;
}>;


export type DelegationsQuery = { readonly dashboard: { readonly delegations: ReadonlyArray<{ readonly chainId: number, readonly productType: string, readonly state: string, readonly delegatee: string | null, readonly wallet: string | null, readonly txHash: string | null, readonly updatedAt: number | null }> } };

export type WebhooksQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  chainId?: number | null | undefined;
  productType?: string | null | undefined;
  keyId?: string | null | undefined;
  state?: string | null | undefined;
}>;


export type WebhooksQuery = { readonly dashboard: { readonly webhooks: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly webhookId: string, readonly chainId: number, readonly productType: string, readonly host: string, readonly types: string, readonly state: string, readonly disabledReason: string | null, readonly disabledAt: number | null, readonly failingSince: number | null, readonly createdAt: number, readonly key: { readonly keyId: string, readonly name: string } } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } } };

export type WebhookDetailQueryVariables = Exact<{
  webhookId?: string | null | undefined;
}>;


export type WebhookDetailQuery = { readonly dashboard: { readonly webhook: { readonly webhookId: string, readonly chainId: number, readonly productType: string, readonly host: string, readonly types: string, readonly state: string, readonly disabledReason: string | null, readonly disabledAt: number | null, readonly failingSince: number | null, readonly createdAt: number, readonly key: { readonly keyId: string, readonly name: string } } | null } };

export type DeliveriesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  webhookId?: string | null | undefined;
  state?: string | null | undefined;
}>;


export type DeliveriesQuery = { readonly dashboard: { readonly deliveries: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly deliveryId: string, readonly eventId: string, readonly eventType: string, readonly sequence: number, readonly eventAt: number, readonly state: string, readonly attempts: number, readonly nextAttemptAt: number | null, readonly lastAttemptAt: number | null, readonly lastStatusCode: number | null, readonly lastError: string | null, readonly lastDurationMs: number | null, readonly endedAt: number | null } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } } };

export type DeliveryDetailQueryVariables = Exact<{
  deliveryId?: string | null | undefined;
}>;


export type DeliveryDetailQuery = { readonly dashboard: { readonly delivery: { readonly deliveryId: string, readonly eventId: string, readonly eventType: string, readonly sequence: number, readonly eventAt: number, readonly state: string, readonly attempts: number, readonly nextAttemptAt: number | null, readonly lastAttemptAt: number | null, readonly lastStatusCode: number | null, readonly lastError: string | null, readonly lastDurationMs: number | null, readonly endedAt: number | null, readonly webhook: { readonly webhookId: string, readonly chainId: number, readonly productType: string, readonly host: string, readonly types: string, readonly state: string, readonly disabledReason: string | null, readonly disabledAt: number | null, readonly failingSince: number | null, readonly createdAt: number, readonly key: { readonly keyId: string, readonly name: string } } } | null } };

export type WebhookTermsFragment = { readonly webhookId: string, readonly chainId: number, readonly productType: string, readonly host: string, readonly types: string, readonly state: string, readonly disabledReason: string | null, readonly disabledAt: number | null, readonly failingSince: number | null, readonly createdAt: number, readonly key: { readonly keyId: string, readonly name: string } };

export type DeliveryTermsFragment = { readonly deliveryId: string, readonly eventId: string, readonly eventType: string, readonly sequence: number, readonly eventAt: number, readonly state: string, readonly attempts: number, readonly nextAttemptAt: number | null, readonly lastAttemptAt: number | null, readonly lastStatusCode: number | null, readonly lastError: string | null, readonly lastDurationMs: number | null, readonly endedAt: number | null };

export const Balances: PageDocument<BalancesQuery, BalancesQueryVariables> = {
  name: "Balances",
  text: "query Balances($first:Integer$after:Text$chainId:Integer$productType:Text$keyId:Text$userAddress:Address$symbol:Text){dashboard{balances(first:$first after:$after chainId:$chainId productType:$productType keyId:$keyId userAddress:$userAddress symbol:$symbol){totalCount edges{node{chainId productType userAddress mUsdBalance mUsdLocked stocks{symbol stockAddress exchangeBalance exchangeLocked costBasis realizedPnl}keys{keyId name}}}pageInfo{hasNextPage endCursor}}}}",
};

export const Chains: PageDocument<ChainsQuery, ChainsQueryVariables> = {
  name: "Chains",
  text: "query Chains{dashboard{chains{chainId products confirmations indexedBlock indexedAt headBlock lagBlocks explorerUrl sendingHalted sendingHaltedAt sendingHaltReason sendQueues{wallet state stateReason retired undelegatedAt depth oldestSeconds balanceWei daysLeft nextNonce chainNonce observedAt failures}}}}",
};

export const Events: PageDocument<EventsQuery, EventsQueryVariables> = {
  name: "Events",
  text: "query Events($operator:Boolean!$first:Integer$after:Text$chainId:Integer$productType:Text$keyId:Text$types:Text$objectId:Hash$eventId:Text){dashboard{events(first:$first after:$after chainId:$chainId productType:$productType keyId:$keyId types:$types objectId:$objectId eventId:$eventId){totalCount edges{node{chainId productType event{eventId sequence type resource createdAt blockNumber txHash retracts data@include(if:$operator)}key{keyId name}}}pageInfo{hasNextPage endCursor}}}}",
};

export const Keys: PageDocument<KeysQuery, KeysQueryVariables> = {
  name: "Keys",
  text: "query Keys($operator:Boolean!$first:Integer$after:Text$orderBy:Text$direction:Text$chainId:Integer$productType:Text$status:Text$name:Text$userAddress:Address){dashboard{keys(first:$first after:$after orderBy:$orderBy direction:$direction chainId:$chainId productType:$productType status:$status name:$name userAddress:$userAddress){totalCount edges{node{...KeyTerms}}pageInfo{hasNextPage endCursor}}}}fragment KeyTerms on Key{keyId name apiKey access status userAddress@include(if:$operator)createdAt expiresAt revokedAt ips scopes{chainId productType}policy{dailyNotionalCap allowedSymbols allowedOperations expiresAt killed}}",
};

export const KeyDetail: PageDocument<KeyDetailQuery, KeyDetailQueryVariables> = {
  name: "KeyDetail",
  text: "query KeyDetail($operator:Boolean!$keyId:Text){dashboard{key(keyId:$keyId){...KeyTerms}keyUsage(keyId:$keyId){windowSeconds reads{limit used}writes{limit used}inFlight spent routes{method route written refused lastAt lastErrCode}streams{streamId kind chainId productType filter openedAt sentAt isBehind}}}}fragment KeyTerms on Key{keyId name apiKey access status userAddress@include(if:$operator)createdAt expiresAt revokedAt ips scopes{chainId productType}policy{dailyNotionalCap allowedSymbols allowedOperations expiresAt killed}}",
};

export const Operations: PageDocument<OperationsQuery, OperationsQueryVariables> = {
  name: "Operations",
  text: "query Operations($operator:Boolean!$first:Integer$after:Text$orderBy:Text$direction:Text$chainId:Integer$productType:Text$keyId:Text$userAddress:Address$kind:Text$status:Text$txHash:Hash$from:UnixSeconds$to:UnixSeconds){dashboard{operations(first:$first after:$after orderBy:$orderBy direction:$direction chainId:$chainId productType:$productType keyId:$keyId userAddress:$userAddress kind:$kind status:$status txHash:$txHash from:$from to:$to){totalCount edges{node{kind operation{operationId operationStatus mapping{mappingId chainId productType userAddress@include(if:$operator)source txHash createdAt}depositOperation{...OperationTerms}withdrawalOperation{...OperationTerms}}key{keyId name}sendRequest{requestId}}}pageInfo{hasNextPage endCursor}}}}fragment OperationTerms on Operation{tokenSymbol amount creditAmount feeAmount userAddress@include(if:$operator)isInstant settledAt failReason}",
};

export const Orders: PageDocument<OrdersQuery, OrdersQueryVariables> = {
  name: "Orders",
  text: "query Orders($operator:Boolean!$first:Integer$after:Text$orderBy:Text$direction:Text$chainId:Integer$productType:Text$keyId:Text$userAddress:Address$status:Text$onChainStatus:Text$side:Text$type:Text$symbol:Text$txHash:Hash$from:UnixSeconds$to:UnixSeconds){dashboard{orders(first:$first after:$after orderBy:$orderBy direction:$direction chainId:$chainId productType:$productType keyId:$keyId userAddress:$userAddress status:$status onChainStatus:$onChainStatus side:$side type:$type symbol:$symbol txHash:$txHash from:$from to:$to){totalCount edges{node{order{orderId txHash status onChainStatus mapping{mappingId chainId productType userAddress@include(if:$operator)source createdAt}openOrder{symbol side type quantity notional price filledQuantity averageFillPrice userAddress@include(if:$operator)updatedAt}historyOrder{symbol side type quantity notional price filledQuantity averageFillPrice userAddress@include(if:$operator)updatedAt failReason}}key{keyId name}sendRequest{requestId}}}pageInfo{hasNextPage endCursor}}}}",
};

export const OrderSeries: PageDocument<OrderSeriesQuery, OrderSeriesQueryVariables> = {
  name: "OrderSeries",
  text: "query OrderSeries($from:UnixSeconds$to:UnixSeconds){dashboard{orderSeries(from:$from to:$to){stepSeconds points{at count byStatus{status count}volume}}}}",
};

export const SendSeries: PageDocument<SendSeriesQuery, SendSeriesQueryVariables> = {
  name: "SendSeries",
  text: "query SendSeries($from:UnixSeconds$to:UnixSeconds){dashboard{sendSeries(from:$from to:$to){stepSeconds points{at accepted final failed canceled}failures{errCode count lastAt}}}}",
};

export const ChainSeries: PageDocument<ChainSeriesQuery, ChainSeriesQueryVariables> = {
  name: "ChainSeries",
  text: "query ChainSeries($chainId:Integer$from:UnixSeconds){dashboard{chainSeries(chainId:$chainId from:$from){stepSeconds lastAt points{at lagSeconds lagBlocks}}}}",
};

export const QueueSeries: PageDocument<QueueSeriesQuery, QueueSeriesQueryVariables> = {
  name: "QueueSeries",
  text: "query QueueSeries($chainId:Integer$wallet:Address$from:UnixSeconds){dashboard{queueSeries(chainId:$chainId wallet:$wallet from:$from){stepSeconds lastAt points{at depth oldestSeconds balanceWei}}}}",
};

export const RequestSeries: PageDocument<RequestSeriesQuery, RequestSeriesQueryVariables> = {
  name: "RequestSeries",
  text: "query RequestSeries($from:UnixSeconds$to:UnixSeconds){dashboard{requestSeries(from:$from to:$to){stepSeconds points{at requests clientErrors serverErrors p50Ms p99Ms}}}}",
};

export const OrderTotals: PageDocument<OrderTotalsQuery, OrderTotalsQueryVariables> = {
  name: "OrderTotals",
  text: "query OrderTotals($from:UnixSeconds){dashboard{orderTotals(from:$from){byKey{...Total key{keyId name}}bySymbol{...Total symbol}byChain{...Total chainId}}}}fragment Total on OrderTotal{count filled volume secondsToFill slippageBps}",
};

export const EndpointTotals: PageDocument<EndpointTotalsQuery, EndpointTotalsQueryVariables> = {
  name: "EndpointTotals",
  text: "query EndpointTotals($from:UnixSeconds){dashboard{endpointTotals(from:$from){endpoint requests clientErrors serverErrors p50Ms p99Ms}}}",
};

export const RefusalTotals: PageDocument<RefusalTotalsQuery, RefusalTotalsQueryVariables> = {
  name: "RefusalTotals",
  text: "query RefusalTotals($from:UnixSeconds){dashboard{refusalTotals(from:$from){key{keyId name}errCode count lastAt}}}",
};

export const Problems: PageDocument<ProblemsQuery, ProblemsQueryVariables> = {
  name: "Problems",
  text: "query Problems{dashboard{problems{severity cause text chainId wallet since}chains{chainId lagSeconds blockSeconds}}}",
};

export const Requests: PageDocument<RequestsQuery, RequestsQueryVariables> = {
  name: "Requests",
  text: "query Requests($first:Integer$after:Text$chainId:Integer$productType:Text$keyId:Text$outcome:Text$errCode:Text$route:Text$from:UnixSeconds$to:UnixSeconds){dashboard{requests(first:$first after:$after chainId:$chainId productType:$productType keyId:$keyId outcome:$outcome errCode:$errCode route:$route from:$from to:$to){totalCount edges{node{...RequestTerms}}pageInfo{hasNextPage endCursor}}}}fragment RequestTerms on KeptRequest{uuid at key{keyId name}chainId productType method route status errCode field revert durationMs requestId txHash}",
};

export const RequestDetail: PageDocument<RequestDetailQuery, RequestDetailQueryVariables> = {
  name: "RequestDetail",
  text: "query RequestDetail($uuid:Text){dashboard{request(uuid:$uuid){...RequestTerms}}}fragment RequestTerms on KeptRequest{uuid at key{keyId name}chainId productType method route status errCode field revert durationMs requestId txHash}",
};

export const Sends: PageDocument<SendsQuery, SendsQueryVariables> = {
  name: "Sends",
  text: "query Sends($operator:Boolean!$first:Integer$after:Text$orderBy:Text$direction:Text$chainId:Integer$productType:Text$keyId:Text$userAddress:Address$wallet:Address$state:Text$operation:Text$symbol:Text$errCode:Text$txHash:Hash$from:UnixSeconds$to:UnixSeconds){dashboard{sendRequests(first:$first after:$after orderBy:$orderBy direction:$direction chainId:$chainId productType:$productType keyId:$keyId userAddress:$userAddress wallet:$wallet state:$state operation:$operation symbol:$symbol errCode:$errCode txHash:$txHash from:$from to:$to){totalCount edges{node{requestId chainId productType operation userAddress@include(if:$operator)wallet symbol notional clientOrderId state status nonce txHash minedBlock errCode revert reason fillReason acceptedAt finalAt key{keyId name}attempts{kind}}}pageInfo{hasNextPage endCursor}}}}",
};

export const TimelineOf: PageDocument<TimelineOfQuery, TimelineOfQueryVariables> = {
  name: "TimelineOf",
  text: "query TimelineOf($operator:Boolean!$kind:Text$id:Text$chainId:Integer){dashboard{timeline(kind:$kind id:$id chainId:$chainId){title kind id chainId productType userAddress@include(if:$operator)txHash indexedBlock steps{at kind title state blockNumber txHash explorerUrl detail{label value}}next stalled related{...Hit}}}}fragment Hit on SearchHit{kind id chainId productType title}",
};

export const Search: PageDocument<SearchQuery, SearchQueryVariables> = {
  name: "Search",
  text: "query Search($text:Text){dashboard{search(text:$text){...Hit}}}fragment Hit on SearchHit{kind id chainId productType title}",
};

export const Me: PageDocument<MeQuery, MeQueryVariables> = {
  name: "Me",
  text: "query Me{dashboard{environment{name colour}me{name role expiresAt}}}",
};

export const Audit: PageDocument<AuditQuery, AuditQueryVariables> = {
  name: "Audit",
  text: "query Audit($first:Integer$after:Text$actor:Text$login:Text$action:Text$subject:Text$from:UnixSeconds$to:UnixSeconds){dashboard{auditEntries(first:$first after:$after actor:$actor login:$login action:$action subject:$subject from:$from to:$to){totalCount edges{node{auditId actor login requestedBy action subject detail createdAt}}pageInfo{hasNextPage endCursor}}}}",
};

export const Delegations: PageDocument<DelegationsQuery, DelegationsQueryVariables> = {
  name: "Delegations",
  text: "query Delegations($userAddress:Address){dashboard{delegations(userAddress:$userAddress){chainId productType state delegatee wallet txHash updatedAt}}}",
};

export const Webhooks: PageDocument<WebhooksQuery, WebhooksQueryVariables> = {
  name: "Webhooks",
  text: "query Webhooks($first:Integer$after:Text$chainId:Integer$productType:Text$keyId:Text$state:Text){dashboard{webhooks(first:$first after:$after chainId:$chainId productType:$productType keyId:$keyId state:$state){totalCount edges{node{...WebhookTerms}}pageInfo{hasNextPage endCursor}}}}fragment WebhookTerms on DashboardWebhook{webhookId key{keyId name}chainId productType host types state disabledReason disabledAt failingSince createdAt}",
};

export const WebhookDetail: PageDocument<WebhookDetailQuery, WebhookDetailQueryVariables> = {
  name: "WebhookDetail",
  text: "query WebhookDetail($webhookId:Text){dashboard{webhook(webhookId:$webhookId){...WebhookTerms}}}fragment WebhookTerms on DashboardWebhook{webhookId key{keyId name}chainId productType host types state disabledReason disabledAt failingSince createdAt}",
};

export const Deliveries: PageDocument<DeliveriesQuery, DeliveriesQueryVariables> = {
  name: "Deliveries",
  text: "query Deliveries($first:Integer$after:Text$webhookId:Text$state:Text){dashboard{deliveries(first:$first after:$after webhookId:$webhookId state:$state){totalCount edges{node{...DeliveryTerms}}pageInfo{hasNextPage endCursor}}}}fragment DeliveryTerms on WebhookDeliveryState{deliveryId eventId eventType sequence eventAt state attempts nextAttemptAt lastAttemptAt lastStatusCode lastError lastDurationMs endedAt}",
};

export const DeliveryDetail: PageDocument<DeliveryDetailQuery, DeliveryDetailQueryVariables> = {
  name: "DeliveryDetail",
  text: "query DeliveryDetail($deliveryId:Text){dashboard{delivery(deliveryId:$deliveryId){...DeliveryTerms webhook{...WebhookTerms}}}}fragment DeliveryTerms on WebhookDeliveryState{deliveryId eventId eventType sequence eventAt state attempts nextAttemptAt lastAttemptAt lastStatusCode lastError lastDurationMs endedAt}fragment WebhookTerms on DashboardWebhook{webhookId key{keyId name}chainId productType host types state disabledReason disabledAt failingSince createdAt}",
};
