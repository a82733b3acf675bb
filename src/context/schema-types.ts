// Written by `npm run schema:types` from schema/*.graphql; not to be edited.
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { RequestContext } from './request.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  Decimal: { input: unknown; output: string; }
  Address: { input: unknown; output: string; }
  Hash: { input: unknown; output: string; }
  Text: { input: unknown; output: string; }
  Integer: { input: unknown; output: number | bigint; }
  UnixSeconds: { input: unknown; output: number | bigint; }
  BlockNumber: { input: unknown; output: number | bigint; }
  JSON: { input: unknown; output: unknown; }
  Bytes: { input: unknown; output: string; }
  CallArguments: { input: unknown; output: Readonly<Record<string, string>>; }
  OrderStatus: { input: unknown; output: import("../protocol/enums.ts").OrderStatus; }
  OperationType: { input: unknown; output: import("../protocol/enums.ts").OperationType; }
  ActionType: { input: unknown; output: import("../protocol/enums.ts").ActionType; }
  SendOperation: { input: unknown; output: import("../protocol/enums.ts").SendOperation; }
  ActivityKind: { input: unknown; output: import("../protocol/enums.ts").ActivityKind; }
  EventType: { input: unknown; output: import("../protocol/enums.ts").EventType; }
  EventResource: { input: unknown; output: import("../protocol/enums.ts").EventResource; }
  ErrCode: { input: unknown; output: import("../protocol/errors.ts").ErrCode; }
};

export type Query = {
  readonly cashDeposits: OperationList;
  readonly cashDeposit: OperationDetail;
  readonly cashWithdrawals: OperationList;
  readonly cashWithdrawal: OperationDetail;
  readonly dashboard: Dashboard;
  readonly events: EventPage;
  readonly key: CallingKey;
  readonly symbols: ReadonlyArray<Symbol>;
  readonly price: Price;
  readonly prices: ReadonlyArray<ListedPrice>;
  readonly priceHistory: ReadonlyArray<PriceBar>;
  readonly underlyingPrice: Quote;
  readonly corporateActions: ReadonlyArray<CorporateAction>;
  readonly clock: Clock;
  readonly calendar: ReadonlyArray<TradingDay>;
  readonly delegation: Delegation;
  readonly orders: OrderList;
  readonly orderByTransaction: Order;
  readonly orderByClientId: Order;
  readonly order: Order;
  readonly config: Config;
  readonly balance: Balance;
  readonly positions: ReadonlyArray<Position>;
  readonly activities: ActivityList;
  readonly statement: Statement;
  readonly sends: SendList;
  readonly send: Send;
  readonly sendQueues: ReadonlyArray<SendQueue>;
  readonly status: ServiceStatus;
  readonly stockDeposits: OperationList;
  readonly stockDeposit: OperationDetail;
  readonly stockWithdrawals: OperationList;
  readonly stockWithdrawal: OperationDetail;
  readonly webhooks: WebhookList;
  readonly webhookDeliveries: WebhookDeliveryPage;
};


export type QueryCashDepositsArgs = {
  status?: InputMaybe<Scalars['Text']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  txHash?: InputMaybe<Scalars['Hash']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  updatedAfter?: InputMaybe<Scalars['UnixSeconds']['input']>;
  page?: InputMaybe<Scalars['Integer']['input']>;
  limit?: InputMaybe<Scalars['Integer']['input']>;
  cursor?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryCashDepositArgs = {
  operationId?: InputMaybe<Scalars['Hash']['input']>;
};


export type QueryCashWithdrawalsArgs = {
  status?: InputMaybe<Scalars['Text']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  txHash?: InputMaybe<Scalars['Hash']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  updatedAfter?: InputMaybe<Scalars['UnixSeconds']['input']>;
  page?: InputMaybe<Scalars['Integer']['input']>;
  limit?: InputMaybe<Scalars['Integer']['input']>;
  cursor?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryCashWithdrawalArgs = {
  operationId?: InputMaybe<Scalars['Hash']['input']>;
};


export type QueryEventsArgs = {
  after?: InputMaybe<Scalars['Text']['input']>;
  types?: InputMaybe<Scalars['Text']['input']>;
  limit?: InputMaybe<Scalars['Integer']['input']>;
};


export type QuerySymbolsArgs = {
  tradable?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryPriceArgs = {
  symbol?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryPricesArgs = {
  symbols?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryPriceHistoryArgs = {
  symbol?: InputMaybe<Scalars['Text']['input']>;
  interval?: InputMaybe<Scalars['Text']['input']>;
  startTime?: InputMaybe<Scalars['UnixSeconds']['input']>;
  endTime?: InputMaybe<Scalars['UnixSeconds']['input']>;
  adjustment?: InputMaybe<Scalars['Text']['input']>;
  limit?: InputMaybe<Scalars['Integer']['input']>;
};


export type QueryUnderlyingPriceArgs = {
  symbol?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryCorporateActionsArgs = {
  symbol?: InputMaybe<Scalars['Text']['input']>;
  type?: InputMaybe<Scalars['Text']['input']>;
  from?: InputMaybe<Scalars['Text']['input']>;
  to?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryCalendarArgs = {
  from?: InputMaybe<Scalars['Text']['input']>;
  to?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryOrdersArgs = {
  status?: InputMaybe<Scalars['Text']['input']>;
  onChainStatus?: InputMaybe<Scalars['Text']['input']>;
  side?: InputMaybe<Scalars['Text']['input']>;
  type?: InputMaybe<Scalars['Text']['input']>;
  symbol?: InputMaybe<Scalars['Text']['input']>;
  stockAddress?: InputMaybe<Scalars['Address']['input']>;
  clientOrderId?: InputMaybe<Scalars['Text']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  txHash?: InputMaybe<Scalars['Hash']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  updatedAfter?: InputMaybe<Scalars['UnixSeconds']['input']>;
  page?: InputMaybe<Scalars['Integer']['input']>;
  limit?: InputMaybe<Scalars['Integer']['input']>;
  cursor?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryOrderByTransactionArgs = {
  txHash?: InputMaybe<Scalars['Hash']['input']>;
};


export type QueryOrderByClientIdArgs = {
  clientOrderId?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryOrderArgs = {
  orderId?: InputMaybe<Scalars['Hash']['input']>;
};


export type QueryBalanceArgs = {
  userId?: InputMaybe<Scalars['Text']['input']>;
  spenderAddress?: InputMaybe<Scalars['Address']['input']>;
};


export type QueryPositionsArgs = {
  userId?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryActivitiesArgs = {
  userId?: InputMaybe<Scalars['Text']['input']>;
  asset?: InputMaybe<Scalars['Text']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  limit?: InputMaybe<Scalars['Integer']['input']>;
  cursor?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryStatementArgs = {
  userId?: InputMaybe<Scalars['Text']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  format?: InputMaybe<Scalars['Text']['input']>;
  limit?: InputMaybe<Scalars['Integer']['input']>;
  cursor?: InputMaybe<Scalars['Text']['input']>;
};


export type QuerySendsArgs = {
  status?: InputMaybe<Scalars['Text']['input']>;
  operation?: InputMaybe<Scalars['Text']['input']>;
  clientOrderId?: InputMaybe<Scalars['Text']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  limit?: InputMaybe<Scalars['Integer']['input']>;
  cursor?: InputMaybe<Scalars['Text']['input']>;
};


export type QuerySendArgs = {
  requestId?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryStockDepositsArgs = {
  status?: InputMaybe<Scalars['Text']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  txHash?: InputMaybe<Scalars['Hash']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  updatedAfter?: InputMaybe<Scalars['UnixSeconds']['input']>;
  page?: InputMaybe<Scalars['Integer']['input']>;
  limit?: InputMaybe<Scalars['Integer']['input']>;
  cursor?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryStockDepositArgs = {
  operationId?: InputMaybe<Scalars['Hash']['input']>;
};


export type QueryStockWithdrawalsArgs = {
  status?: InputMaybe<Scalars['Text']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  txHash?: InputMaybe<Scalars['Hash']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  updatedAfter?: InputMaybe<Scalars['UnixSeconds']['input']>;
  page?: InputMaybe<Scalars['Integer']['input']>;
  limit?: InputMaybe<Scalars['Integer']['input']>;
  cursor?: InputMaybe<Scalars['Text']['input']>;
};


export type QueryStockWithdrawalArgs = {
  operationId?: InputMaybe<Scalars['Hash']['input']>;
};


export type QueryWebhookDeliveriesArgs = {
  webhookId?: InputMaybe<Scalars['Text']['input']>;
  status?: InputMaybe<Scalars['Text']['input']>;
  limit?: InputMaybe<Scalars['Integer']['input']>;
  cursor?: InputMaybe<Scalars['Text']['input']>;
};

export type Mutation = {
  readonly cashDepositCalldata: CashCalldata;
  readonly recordCashDepositTransaction: Mapping;
  readonly cashWithdrawalCalldata: CashCalldata;
  readonly recordCashWithdrawalTransaction: Mapping;
  readonly keyRotate: RotatedKey;
  readonly delegationPrepare: DelegationPayload;
  readonly delegationEnable: DelegationChange;
  readonly delegationDisable: DelegationChange;
  readonly orderCalldata: Calldata;
  readonly orderWithDepositCalldata: Calldata;
  readonly orderPreview: Preflight;
  readonly orderCancelCalldata: Calldata;
  readonly ordersCancelCalldata: CancelCalldataList;
  readonly ordersCancelAfter: ArmedCancelAfter;
  readonly recordOrderTransaction: Mapping;
  readonly orderSend: Send;
  readonly orderWithDepositSend: Send;
  readonly orderCancelSend: Send;
  readonly ordersCancelSend: CancelSendList;
  readonly cashDepositSend: Send;
  readonly cashWithdrawalSend: Send;
  readonly stockDepositSend: Send;
  readonly stockWithdrawalSend: Send;
  readonly stockDepositCalldata: Calldata;
  readonly recordStockDepositTransaction: Mapping;
  readonly stockWithdrawalCalldata: Calldata;
  readonly recordStockWithdrawalTransaction: Mapping;
  readonly webhookCreate: NewWebhook;
  readonly webhookDelete: Webhook;
  readonly webhookTest: WebhookTest;
  readonly webhookRedeliver: WebhookDelivery;
  readonly webhookRotate: NewWebhook;
  readonly webhookEnable: Webhook;
};


export type MutationCashDepositCalldataArgs = {
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAmount?: InputMaybe<Scalars['Decimal']['input']>;
};


export type MutationRecordCashDepositTransactionArgs = {
  txHash?: InputMaybe<Scalars['Hash']['input']>;
};


export type MutationCashWithdrawalCalldataArgs = {
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAmount?: InputMaybe<Scalars['Decimal']['input']>;
};


export type MutationRecordCashWithdrawalTransactionArgs = {
  txHash?: InputMaybe<Scalars['Hash']['input']>;
};


export type MutationKeyRotateArgs = {
  overlapSeconds?: InputMaybe<Scalars['Integer']['input']>;
};


export type MutationDelegationPrepareArgs = {
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  deadline?: InputMaybe<Scalars['UnixSeconds']['input']>;
};


export type MutationDelegationEnableArgs = {
  signature?: InputMaybe<Scalars['Text']['input']>;
  deadline?: InputMaybe<Scalars['UnixSeconds']['input']>;
  nonce?: InputMaybe<Scalars['Integer']['input']>;
};


export type MutationOrderCalldataArgs = {
  stockAddress?: InputMaybe<Scalars['Address']['input']>;
  symbol?: InputMaybe<Scalars['Text']['input']>;
  side?: InputMaybe<Scalars['Text']['input']>;
  type?: InputMaybe<Scalars['Text']['input']>;
  notional?: InputMaybe<Scalars['Decimal']['input']>;
  quantity?: InputMaybe<Scalars['Decimal']['input']>;
  price?: InputMaybe<Scalars['Decimal']['input']>;
  timeInForce?: InputMaybe<Scalars['Text']['input']>;
  deadline?: InputMaybe<Scalars['UnixSeconds']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  clientOrderId?: InputMaybe<Scalars['Text']['input']>;
};


export type MutationOrderWithDepositCalldataArgs = {
  stockAddress?: InputMaybe<Scalars['Address']['input']>;
  symbol?: InputMaybe<Scalars['Text']['input']>;
  side?: InputMaybe<Scalars['Text']['input']>;
  type?: InputMaybe<Scalars['Text']['input']>;
  notional?: InputMaybe<Scalars['Decimal']['input']>;
  quantity?: InputMaybe<Scalars['Decimal']['input']>;
  price?: InputMaybe<Scalars['Decimal']['input']>;
  timeInForce?: InputMaybe<Scalars['Text']['input']>;
  deadline?: InputMaybe<Scalars['UnixSeconds']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  clientOrderId?: InputMaybe<Scalars['Text']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAmount?: InputMaybe<Scalars['Decimal']['input']>;
};


export type MutationOrderPreviewArgs = {
  stockAddress?: InputMaybe<Scalars['Address']['input']>;
  symbol?: InputMaybe<Scalars['Text']['input']>;
  side?: InputMaybe<Scalars['Text']['input']>;
  type?: InputMaybe<Scalars['Text']['input']>;
  notional?: InputMaybe<Scalars['Decimal']['input']>;
  quantity?: InputMaybe<Scalars['Decimal']['input']>;
  price?: InputMaybe<Scalars['Decimal']['input']>;
  timeInForce?: InputMaybe<Scalars['Text']['input']>;
  deadline?: InputMaybe<Scalars['UnixSeconds']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  clientOrderId?: InputMaybe<Scalars['Text']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAmount?: InputMaybe<Scalars['Decimal']['input']>;
};


export type MutationOrderCancelCalldataArgs = {
  orderId?: InputMaybe<Scalars['Hash']['input']>;
};


export type MutationOrdersCancelCalldataArgs = {
  symbol?: InputMaybe<Scalars['Text']['input']>;
  side?: InputMaybe<Scalars['Text']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
};


export type MutationOrdersCancelAfterArgs = {
  seconds?: InputMaybe<Scalars['Integer']['input']>;
};


export type MutationRecordOrderTransactionArgs = {
  txHash?: InputMaybe<Scalars['Hash']['input']>;
};


export type MutationOrderSendArgs = {
  stockAddress?: InputMaybe<Scalars['Address']['input']>;
  symbol?: InputMaybe<Scalars['Text']['input']>;
  side?: InputMaybe<Scalars['Text']['input']>;
  type?: InputMaybe<Scalars['Text']['input']>;
  notional?: InputMaybe<Scalars['Decimal']['input']>;
  quantity?: InputMaybe<Scalars['Decimal']['input']>;
  price?: InputMaybe<Scalars['Decimal']['input']>;
  timeInForce?: InputMaybe<Scalars['Text']['input']>;
  deadline?: InputMaybe<Scalars['UnixSeconds']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  clientOrderId?: InputMaybe<Scalars['Text']['input']>;
  gasLimit?: InputMaybe<Scalars['Integer']['input']>;
};


export type MutationOrderWithDepositSendArgs = {
  stockAddress?: InputMaybe<Scalars['Address']['input']>;
  symbol?: InputMaybe<Scalars['Text']['input']>;
  side?: InputMaybe<Scalars['Text']['input']>;
  type?: InputMaybe<Scalars['Text']['input']>;
  notional?: InputMaybe<Scalars['Decimal']['input']>;
  quantity?: InputMaybe<Scalars['Decimal']['input']>;
  price?: InputMaybe<Scalars['Decimal']['input']>;
  timeInForce?: InputMaybe<Scalars['Text']['input']>;
  deadline?: InputMaybe<Scalars['UnixSeconds']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  clientOrderId?: InputMaybe<Scalars['Text']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAmount?: InputMaybe<Scalars['Decimal']['input']>;
  gasLimit?: InputMaybe<Scalars['Integer']['input']>;
};


export type MutationOrderCancelSendArgs = {
  orderId?: InputMaybe<Scalars['Hash']['input']>;
  gasLimit?: InputMaybe<Scalars['Integer']['input']>;
};


export type MutationOrdersCancelSendArgs = {
  symbol?: InputMaybe<Scalars['Text']['input']>;
  side?: InputMaybe<Scalars['Text']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
};


export type MutationCashDepositSendArgs = {
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAmount?: InputMaybe<Scalars['Decimal']['input']>;
  gasLimit?: InputMaybe<Scalars['Integer']['input']>;
};


export type MutationCashWithdrawalSendArgs = {
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAmount?: InputMaybe<Scalars['Decimal']['input']>;
  gasLimit?: InputMaybe<Scalars['Integer']['input']>;
};


export type MutationStockDepositSendArgs = {
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAmount?: InputMaybe<Scalars['Decimal']['input']>;
  gasLimit?: InputMaybe<Scalars['Integer']['input']>;
};


export type MutationStockWithdrawalSendArgs = {
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAmount?: InputMaybe<Scalars['Decimal']['input']>;
  gasLimit?: InputMaybe<Scalars['Integer']['input']>;
};


export type MutationStockDepositCalldataArgs = {
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAmount?: InputMaybe<Scalars['Decimal']['input']>;
};


export type MutationRecordStockDepositTransactionArgs = {
  txHash?: InputMaybe<Scalars['Hash']['input']>;
};


export type MutationStockWithdrawalCalldataArgs = {
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  tokenAmount?: InputMaybe<Scalars['Decimal']['input']>;
};


export type MutationRecordStockWithdrawalTransactionArgs = {
  txHash?: InputMaybe<Scalars['Hash']['input']>;
};


export type MutationWebhookCreateArgs = {
  url?: InputMaybe<Scalars['Text']['input']>;
  types?: InputMaybe<Scalars['Text']['input']>;
};


export type MutationWebhookDeleteArgs = {
  webhookId?: InputMaybe<Scalars['Text']['input']>;
};


export type MutationWebhookTestArgs = {
  webhookId?: InputMaybe<Scalars['Text']['input']>;
};


export type MutationWebhookRedeliverArgs = {
  webhookId?: InputMaybe<Scalars['Text']['input']>;
  deliveryId?: InputMaybe<Scalars['Text']['input']>;
};


export type MutationWebhookRotateArgs = {
  webhookId?: InputMaybe<Scalars['Text']['input']>;
  overlapSeconds?: InputMaybe<Scalars['Integer']['input']>;
};


export type MutationWebhookEnableArgs = {
  webhookId?: InputMaybe<Scalars['Text']['input']>;
};

export type CashCalldata = {
  readonly toAddress: Scalars['Address']['output'];
  readonly value: Scalars['String']['output'];
  readonly callData: Scalars['Bytes']['output'];
  readonly method: Scalars['String']['output'];
  readonly args: Scalars['CallArguments']['output'];
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly preflight: Maybe<Preflight>;
  readonly forecast: CashForecast;
};

export type CashForecast = {
  readonly isInstant: Scalars['Boolean']['output'];
  readonly creditAmount: Scalars['Decimal']['output'];
  readonly feeAmount: Scalars['Decimal']['output'];
};

export type Dashboard = {
  readonly problems: ReadonlyArray<Problem>;
  readonly failingWebhooks: FailingWebhooks;
  readonly orderSeries: OrderSeries;
  readonly sendSeries: SendSeries;
  readonly chainSeries: ChainSeries;
  readonly queueSeries: QueueSeries;
  readonly requestSeries: RequestSeries;
  readonly orderTotals: OrderTotals;
  readonly endpointTotals: ReadonlyArray<EndpointTotal>;
  readonly refusalTotals: ReadonlyArray<RefusalTotal>;
  readonly requests: KeptRequestConnection;
  readonly request: Maybe<KeptRequest>;
  readonly keyUsage: KeyUsage;
  readonly search: ReadonlyArray<SearchHit>;
  readonly timeline: Maybe<Timeline>;
  readonly me: DashboardUser;
  readonly auditEntries: AuditEntryConnection;
  readonly webhooks: WebhookConnection;
  readonly webhook: Maybe<DashboardWebhook>;
  readonly deliveries: DeliveryConnection;
  readonly delivery: Maybe<WebhookDeliveryState>;
  readonly environment: Maybe<Environment>;
  readonly chains: ReadonlyArray<ChainState>;
  readonly keys: KeyConnection;
  readonly key: Maybe<Key>;
  readonly orders: OwnedOrderConnection;
  readonly operations: OwnedOperationConnection;
  readonly delegations: ReadonlyArray<UserDelegation>;
  readonly balances: LedgerConnection;
  readonly sendRequests: SendRequestConnection;
  readonly events: OwnedEventConnection;
};


export type DashboardOrderSeriesArgs = {
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  productType?: InputMaybe<Scalars['Text']['input']>;
};


export type DashboardSendSeriesArgs = {
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
};


export type DashboardChainSeriesArgs = {
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
};


export type DashboardQueueSeriesArgs = {
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  wallet?: InputMaybe<Scalars['Address']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
};


export type DashboardRequestSeriesArgs = {
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
};


export type DashboardOrderTotalsArgs = {
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  productType?: InputMaybe<Scalars['Text']['input']>;
};


export type DashboardEndpointTotalsArgs = {
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
};


export type DashboardRefusalTotalsArgs = {
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  productType?: InputMaybe<Scalars['Text']['input']>;
};


export type DashboardRequestsArgs = {
  first?: InputMaybe<Scalars['Integer']['input']>;
  after?: InputMaybe<Scalars['Text']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  productType?: InputMaybe<Scalars['Text']['input']>;
  keyId?: InputMaybe<Scalars['Text']['input']>;
  route?: InputMaybe<Scalars['Text']['input']>;
  outcome?: InputMaybe<Scalars['Text']['input']>;
  errCode?: InputMaybe<Scalars['Text']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
};


export type DashboardRequestArgs = {
  uuid?: InputMaybe<Scalars['Text']['input']>;
};


export type DashboardKeyUsageArgs = {
  keyId?: InputMaybe<Scalars['Text']['input']>;
};


export type DashboardSearchArgs = {
  text?: InputMaybe<Scalars['Text']['input']>;
};


export type DashboardTimelineArgs = {
  kind?: InputMaybe<Scalars['Text']['input']>;
  id?: InputMaybe<Scalars['Text']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
};


export type DashboardAuditEntriesArgs = {
  first?: InputMaybe<Scalars['Integer']['input']>;
  after?: InputMaybe<Scalars['Text']['input']>;
  actor?: InputMaybe<Scalars['Text']['input']>;
  login?: InputMaybe<Scalars['Text']['input']>;
  action?: InputMaybe<Scalars['Text']['input']>;
  subject?: InputMaybe<Scalars['Text']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
};


export type DashboardWebhooksArgs = {
  first?: InputMaybe<Scalars['Integer']['input']>;
  after?: InputMaybe<Scalars['Text']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  productType?: InputMaybe<Scalars['Text']['input']>;
  keyId?: InputMaybe<Scalars['Text']['input']>;
  state?: InputMaybe<Scalars['Text']['input']>;
};


export type DashboardWebhookArgs = {
  webhookId?: InputMaybe<Scalars['Text']['input']>;
};


export type DashboardDeliveriesArgs = {
  first?: InputMaybe<Scalars['Integer']['input']>;
  after?: InputMaybe<Scalars['Text']['input']>;
  webhookId?: InputMaybe<Scalars['Text']['input']>;
  state?: InputMaybe<Scalars['Text']['input']>;
};


export type DashboardDeliveryArgs = {
  deliveryId?: InputMaybe<Scalars['Text']['input']>;
};


export type DashboardChainsArgs = {
  chainId?: InputMaybe<Scalars['Integer']['input']>;
};


export type DashboardKeysArgs = {
  first?: InputMaybe<Scalars['Integer']['input']>;
  after?: InputMaybe<Scalars['Text']['input']>;
  orderBy?: InputMaybe<Scalars['Text']['input']>;
  direction?: InputMaybe<Scalars['Text']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  productType?: InputMaybe<Scalars['Text']['input']>;
  status?: InputMaybe<Scalars['Text']['input']>;
  name?: InputMaybe<Scalars['Text']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
};


export type DashboardKeyArgs = {
  keyId?: InputMaybe<Scalars['Text']['input']>;
};


export type DashboardOrdersArgs = {
  first?: InputMaybe<Scalars['Integer']['input']>;
  after?: InputMaybe<Scalars['Text']['input']>;
  orderBy?: InputMaybe<Scalars['Text']['input']>;
  direction?: InputMaybe<Scalars['Text']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  productType?: InputMaybe<Scalars['Text']['input']>;
  keyId?: InputMaybe<Scalars['Text']['input']>;
  status?: InputMaybe<Scalars['Text']['input']>;
  onChainStatus?: InputMaybe<Scalars['Text']['input']>;
  side?: InputMaybe<Scalars['Text']['input']>;
  type?: InputMaybe<Scalars['Text']['input']>;
  symbol?: InputMaybe<Scalars['Text']['input']>;
  stockAddress?: InputMaybe<Scalars['Address']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  txHash?: InputMaybe<Scalars['Hash']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  updatedAfter?: InputMaybe<Scalars['UnixSeconds']['input']>;
};


export type DashboardOperationsArgs = {
  first?: InputMaybe<Scalars['Integer']['input']>;
  after?: InputMaybe<Scalars['Text']['input']>;
  orderBy?: InputMaybe<Scalars['Text']['input']>;
  direction?: InputMaybe<Scalars['Text']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  productType?: InputMaybe<Scalars['Text']['input']>;
  keyId?: InputMaybe<Scalars['Text']['input']>;
  kind?: InputMaybe<Scalars['Text']['input']>;
  status?: InputMaybe<Scalars['Text']['input']>;
  tokenAddress?: InputMaybe<Scalars['Address']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  txHash?: InputMaybe<Scalars['Hash']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
  updatedAfter?: InputMaybe<Scalars['UnixSeconds']['input']>;
};


export type DashboardDelegationsArgs = {
  userAddress?: InputMaybe<Scalars['Address']['input']>;
};


export type DashboardBalancesArgs = {
  first?: InputMaybe<Scalars['Integer']['input']>;
  after?: InputMaybe<Scalars['Text']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  productType?: InputMaybe<Scalars['Text']['input']>;
  keyId?: InputMaybe<Scalars['Text']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  symbol?: InputMaybe<Scalars['Text']['input']>;
  stockAddress?: InputMaybe<Scalars['Address']['input']>;
};


export type DashboardSendRequestsArgs = {
  first?: InputMaybe<Scalars['Integer']['input']>;
  after?: InputMaybe<Scalars['Text']['input']>;
  orderBy?: InputMaybe<Scalars['Text']['input']>;
  direction?: InputMaybe<Scalars['Text']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  productType?: InputMaybe<Scalars['Text']['input']>;
  keyId?: InputMaybe<Scalars['Text']['input']>;
  state?: InputMaybe<Scalars['Text']['input']>;
  operation?: InputMaybe<Scalars['Text']['input']>;
  symbol?: InputMaybe<Scalars['Text']['input']>;
  userAddress?: InputMaybe<Scalars['Address']['input']>;
  wallet?: InputMaybe<Scalars['Address']['input']>;
  txHash?: InputMaybe<Scalars['Hash']['input']>;
  errCode?: InputMaybe<Scalars['Text']['input']>;
  from?: InputMaybe<Scalars['UnixSeconds']['input']>;
  to?: InputMaybe<Scalars['UnixSeconds']['input']>;
};


export type DashboardEventsArgs = {
  first?: InputMaybe<Scalars['Integer']['input']>;
  after?: InputMaybe<Scalars['Text']['input']>;
  chainId?: InputMaybe<Scalars['Integer']['input']>;
  productType?: InputMaybe<Scalars['Text']['input']>;
  keyId?: InputMaybe<Scalars['Text']['input']>;
  types?: InputMaybe<Scalars['Text']['input']>;
  objectId?: InputMaybe<Scalars['Hash']['input']>;
  eventId?: InputMaybe<Scalars['Text']['input']>;
};

export type Problem = {
  readonly severity: ProblemSeverity;
  readonly cause: ProblemCause;
  readonly text: Scalars['String']['output'];
  readonly chainId: Maybe<Scalars['Integer']['output']>;
  readonly wallet: Maybe<Scalars['Address']['output']>;
  readonly since: Maybe<Scalars['UnixSeconds']['output']>;
};

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

export type OrderSeries = {
  readonly stepSeconds: Scalars['Integer']['output'];
  readonly points: ReadonlyArray<OrderPoint>;
};

export type OrderPoint = {
  readonly at: Scalars['UnixSeconds']['output'];
  readonly count: Scalars['Integer']['output'];
  readonly byStatus: ReadonlyArray<StatusCount>;
  readonly volume: Scalars['Decimal']['output'];
};

export type StatusCount = {
  readonly status: Scalars['OrderStatus']['output'];
  readonly count: Scalars['Integer']['output'];
};

export type SendSeries = {
  readonly stepSeconds: Scalars['Integer']['output'];
  readonly points: ReadonlyArray<SendPoint>;
  readonly failures: ReadonlyArray<SendFailure>;
};

export type SendPoint = {
  readonly at: Scalars['UnixSeconds']['output'];
  readonly accepted: Scalars['Integer']['output'];
  readonly final: Scalars['Integer']['output'];
  readonly failed: Scalars['Integer']['output'];
  readonly canceled: Scalars['Integer']['output'];
};

export type SendFailure = {
  readonly errCode: Scalars['String']['output'];
  readonly count: Scalars['Integer']['output'];
  readonly lastAt: Scalars['UnixSeconds']['output'];
};

export type ChainSeries = {
  readonly stepSeconds: Scalars['Integer']['output'];
  readonly lastAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly points: ReadonlyArray<ChainPoint>;
};

export type ChainPoint = {
  readonly at: Scalars['UnixSeconds']['output'];
  readonly lagSeconds: Maybe<Scalars['Float']['output']>;
  readonly lagBlocks: Maybe<Scalars['Integer']['output']>;
};

export type QueueSeries = {
  readonly stepSeconds: Scalars['Integer']['output'];
  readonly lastAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly points: ReadonlyArray<QueuePoint>;
};

export type QueuePoint = {
  readonly at: Scalars['UnixSeconds']['output'];
  readonly depth: Maybe<Scalars['Integer']['output']>;
  readonly oldestSeconds: Maybe<Scalars['Float']['output']>;
  readonly balanceWei: Maybe<Scalars['String']['output']>;
};

export type RequestSeries = {
  readonly stepSeconds: Scalars['Integer']['output'];
  readonly points: ReadonlyArray<RequestPoint>;
};

export type RequestPoint = {
  readonly at: Scalars['UnixSeconds']['output'];
  readonly requests: Scalars['Integer']['output'];
  readonly clientErrors: Scalars['Integer']['output'];
  readonly serverErrors: Scalars['Integer']['output'];
  readonly p50Ms: Maybe<Scalars['Float']['output']>;
  readonly p99Ms: Maybe<Scalars['Float']['output']>;
};

export type FailingWebhooks = {
  readonly count: Scalars['Integer']['output'];
  readonly since: Maybe<Scalars['UnixSeconds']['output']>;
};

export type OrderTotals = {
  readonly byKey: ReadonlyArray<OrderTotal>;
  readonly bySymbol: ReadonlyArray<OrderTotal>;
  readonly byChain: ReadonlyArray<OrderTotal>;
};

export type OrderTotal = {
  readonly key: Maybe<Key>;
  readonly symbol: Maybe<Scalars['String']['output']>;
  readonly chainId: Maybe<Scalars['Integer']['output']>;
  readonly count: Scalars['Integer']['output'];
  readonly filled: Scalars['Integer']['output'];
  readonly volume: Scalars['Decimal']['output'];
  readonly secondsToFill: Maybe<Scalars['Float']['output']>;
  readonly slippageBps: Maybe<Scalars['Float']['output']>;
};

export type EndpointTotal = {
  readonly endpoint: Scalars['String']['output'];
  readonly requests: Scalars['Integer']['output'];
  readonly clientErrors: Scalars['Integer']['output'];
  readonly serverErrors: Scalars['Integer']['output'];
  readonly p50Ms: Maybe<Scalars['Float']['output']>;
  readonly p99Ms: Maybe<Scalars['Float']['output']>;
};

export type RefusalTotal = {
  readonly key: Key;
  readonly errCode: Scalars['String']['output'];
  readonly count: Scalars['Integer']['output'];
  readonly lastAt: Scalars['UnixSeconds']['output'];
};

export type KeyUsage = {
  readonly windowSeconds: Scalars['Integer']['output'];
  readonly reads: UsedLimit;
  readonly writes: UsedLimit;
  readonly inFlight: Maybe<Scalars['Integer']['output']>;
  readonly spent: Scalars['Decimal']['output'];
  readonly routes: ReadonlyArray<RouteUsage>;
  readonly streams: ReadonlyArray<OpenStream>;
};

export type OpenStream = {
  readonly streamId: Scalars['String']['output'];
  readonly kind: StreamKind;
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly filter: Maybe<ReadonlyArray<Scalars['String']['output']>>;
  readonly openedAt: Scalars['UnixSeconds']['output'];
  readonly sentAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly isBehind: Scalars['Boolean']['output'];
};

export type StreamKind =
  | 'events'
  | 'prices';

export type UsedLimit = {
  readonly limit: Maybe<Scalars['Integer']['output']>;
  readonly used: Scalars['Integer']['output'];
};

export type RouteUsage = {
  readonly method: Scalars['String']['output'];
  readonly route: Scalars['String']['output'];
  readonly written: Scalars['Integer']['output'];
  readonly refused: Scalars['Integer']['output'];
  readonly lastAt: Scalars['UnixSeconds']['output'];
  readonly lastErrCode: Maybe<Scalars['String']['output']>;
};

export type KeptRequestConnection = {
  readonly edges: ReadonlyArray<KeptRequestEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Integer']['output'];
};

export type KeptRequestEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: KeptRequest;
};

export type KeptRequest = {
  readonly uuid: Scalars['String']['output'];
  readonly at: Scalars['UnixSeconds']['output'];
  readonly key: Key;
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly method: Scalars['String']['output'];
  readonly route: Scalars['String']['output'];
  readonly status: Scalars['Integer']['output'];
  readonly errCode: Maybe<Scalars['String']['output']>;
  readonly field: Maybe<Scalars['String']['output']>;
  readonly revert: Maybe<Scalars['String']['output']>;
  readonly durationMs: Scalars['Integer']['output'];
  readonly requestId: Maybe<Scalars['String']['output']>;
  readonly txHash: Maybe<Scalars['Hash']['output']>;
};

export type SearchHit = {
  readonly kind: SearchKind;
  readonly id: Scalars['String']['output'];
  readonly chainId: Maybe<Scalars['Integer']['output']>;
  readonly productType: Maybe<Scalars['String']['output']>;
  readonly title: Scalars['String']['output'];
};

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

export type Timeline = {
  readonly title: Scalars['String']['output'];
  readonly kind: TimelineKind;
  readonly id: Scalars['String']['output'];
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Maybe<Scalars['String']['output']>;
  readonly userAddress: Maybe<Scalars['Address']['output']>;
  readonly txHash: Maybe<Scalars['Hash']['output']>;
  readonly indexedBlock: Maybe<Scalars['BlockNumber']['output']>;
  readonly steps: ReadonlyArray<TimelineStep>;
  readonly next: Maybe<Scalars['String']['output']>;
  readonly stalled: Maybe<Scalars['String']['output']>;
  readonly related: ReadonlyArray<SearchHit>;
};

export type TimelineStep = {
  readonly at: Maybe<Scalars['UnixSeconds']['output']>;
  readonly kind: TimelineStepKind;
  readonly title: Scalars['String']['output'];
  readonly state: TimelineStepState;
  readonly blockNumber: Maybe<Scalars['BlockNumber']['output']>;
  readonly txHash: Maybe<Scalars['Hash']['output']>;
  readonly explorerUrl: Maybe<Scalars['String']['output']>;
  readonly detail: ReadonlyArray<TimelineDetail>;
};

export type TimelineDetail = {
  readonly label: Scalars['String']['output'];
  readonly value: Scalars['String']['output'];
};

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

export type ChainState = {
  readonly explorerUrl: Maybe<Scalars['String']['output']>;
  readonly chainId: Scalars['Integer']['output'];
  readonly products: ReadonlyArray<Scalars['String']['output']>;
  readonly confirmations: Scalars['Integer']['output'];
  readonly indexedBlock: Maybe<Scalars['BlockNumber']['output']>;
  readonly indexedAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly lagSeconds: Maybe<Scalars['Float']['output']>;
  readonly headBlock: Maybe<Scalars['BlockNumber']['output']>;
  readonly headAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly lagBlocks: Maybe<Scalars['Integer']['output']>;
  readonly behindSeconds: Maybe<Scalars['Float']['output']>;
  readonly blockSeconds: Maybe<Scalars['Float']['output']>;
  readonly sendingHalted: Scalars['Boolean']['output'];
  readonly sendingHaltedAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly sendingHaltReason: Maybe<Scalars['Text']['output']>;
  readonly sendQueues: ReadonlyArray<SendQueue>;
};

export type DashboardRole =
  | 'viewer'
  | 'operator';

export type DashboardUser = {
  readonly name: Scalars['String']['output'];
  readonly role: DashboardRole;
  readonly expiresAt: Maybe<Scalars['UnixSeconds']['output']>;
};

export type AuditEntryConnection = {
  readonly edges: ReadonlyArray<AuditEntryEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Integer']['output'];
};

export type AuditEntryEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: AuditEntry;
};

export type AuditEntry = {
  readonly auditId: Scalars['String']['output'];
  readonly actor: Scalars['String']['output'];
  readonly login: Maybe<Scalars['String']['output']>;
  readonly requestedBy: Maybe<Scalars['String']['output']>;
  readonly action: Scalars['String']['output'];
  readonly subject: Scalars['String']['output'];
  readonly detail: Scalars['JSON']['output'];
  readonly createdAt: Scalars['UnixSeconds']['output'];
};

export type WebhookConnection = {
  readonly edges: ReadonlyArray<WebhookEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Integer']['output'];
};

export type WebhookEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: DashboardWebhook;
};

export type DashboardWebhook = {
  readonly webhookId: Scalars['String']['output'];
  readonly key: Key;
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly host: Scalars['String']['output'];
  readonly types: Scalars['String']['output'];
  readonly state: Scalars['String']['output'];
  readonly disabledReason: Maybe<Scalars['String']['output']>;
  readonly disabledAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly failingSince: Maybe<Scalars['UnixSeconds']['output']>;
  readonly createdAt: Scalars['UnixSeconds']['output'];
};

export type DeliveryConnection = {
  readonly edges: ReadonlyArray<DeliveryEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Integer']['output'];
};

export type DeliveryEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: WebhookDeliveryState;
};

export type WebhookDeliveryState = {
  readonly deliveryId: Scalars['String']['output'];
  readonly webhook: DashboardWebhook;
  readonly eventId: Scalars['String']['output'];
  readonly eventType: Scalars['String']['output'];
  readonly sequence: Scalars['Integer']['output'];
  readonly eventAt: Scalars['UnixSeconds']['output'];
  readonly state: Scalars['String']['output'];
  readonly attempts: Scalars['Integer']['output'];
  readonly nextAttemptAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly lastAttemptAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly lastStatusCode: Maybe<Scalars['Integer']['output']>;
  readonly lastError: Maybe<Scalars['String']['output']>;
  readonly lastDurationMs: Maybe<Scalars['Integer']['output']>;
  readonly endedAt: Maybe<Scalars['UnixSeconds']['output']>;
};

export type Environment = {
  readonly name: Scalars['String']['output'];
  readonly colour: Scalars['String']['output'];
};

export type PageInfo = {
  readonly hasNextPage: Scalars['Boolean']['output'];
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  readonly startCursor: Maybe<Scalars['String']['output']>;
  readonly endCursor: Maybe<Scalars['String']['output']>;
};

export type ChainBlock = {
  readonly chainId: Scalars['Integer']['output'];
  readonly number: Scalars['BlockNumber']['output'];
  readonly timestamp: Scalars['UnixSeconds']['output'];
};

export type KeyConnection = {
  readonly edges: ReadonlyArray<KeyEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Integer']['output'];
};

export type KeyEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: Key;
};

export type UserDelegation = {
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly state: Scalars['String']['output'];
  readonly delegatee: Maybe<Scalars['Address']['output']>;
  readonly wallet: Maybe<Scalars['Address']['output']>;
  readonly txHash: Maybe<Scalars['Hash']['output']>;
  readonly updatedAt: Maybe<Scalars['UnixSeconds']['output']>;
};

export type Key = {
  readonly keyId: Scalars['String']['output'];
  readonly name: Scalars['String']['output'];
  readonly apiKey: Scalars['String']['output'];
  readonly access: Scalars['String']['output'];
  readonly status: Scalars['String']['output'];
  readonly userAddress: Maybe<Scalars['Address']['output']>;
  readonly createdAt: Scalars['UnixSeconds']['output'];
  readonly expiresAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly revokedAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly scopes: ReadonlyArray<KeyScope>;
  readonly ips: ReadonlyArray<Scalars['String']['output']>;
  readonly policy: Maybe<KeyPolicy>;
};

export type KeyScope = {
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
};

export type KeyPolicy = {
  readonly dailyNotionalCap: Maybe<Scalars['Decimal']['output']>;
  readonly allowedSymbols: ReadonlyArray<Scalars['String']['output']>;
  readonly allowedOperations: ReadonlyArray<Scalars['String']['output']>;
  readonly expiresAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly killed: Scalars['Boolean']['output'];
};

export type OwnedOrderConnection = {
  readonly edges: ReadonlyArray<OwnedOrderEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Integer']['output'];
  readonly indexedBlocks: ReadonlyArray<ChainBlock>;
};

export type OwnedOrderEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: OwnedOrder;
};

export type OwnedOrder = {
  readonly order: Order;
  readonly key: Key;
  readonly sendRequest: Maybe<SendRequest>;
};

export type OwnedOperationConnection = {
  readonly edges: ReadonlyArray<OwnedOperationEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Integer']['output'];
  readonly indexedBlocks: ReadonlyArray<ChainBlock>;
};

export type OwnedOperationEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: OwnedOperation;
};

export type OwnedOperation = {
  readonly kind: Scalars['String']['output'];
  readonly operation: OperationDetail;
  readonly key: Key;
  readonly sendRequest: Maybe<SendRequest>;
};

export type LedgerConnection = {
  readonly edges: ReadonlyArray<LedgerEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Integer']['output'];
  readonly indexedBlocks: ReadonlyArray<ChainBlock>;
};

export type LedgerEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: Ledger;
};

export type Ledger = {
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly userAddress: Scalars['Address']['output'];
  readonly mUsdBalance: Scalars['Decimal']['output'];
  readonly mUsdLocked: Scalars['Decimal']['output'];
  readonly stocks: ReadonlyArray<LedgerStock>;
  readonly keys: ReadonlyArray<Key>;
};

export type LedgerStock = {
  readonly stockAddress: Scalars['Address']['output'];
  readonly symbol: Maybe<Scalars['String']['output']>;
  readonly exchangeBalance: Scalars['Decimal']['output'];
  readonly exchangeLocked: Scalars['Decimal']['output'];
  readonly costBasis: Scalars['Decimal']['output'];
  readonly realizedPnl: Scalars['Decimal']['output'];
};

export type SendRequestConnection = {
  readonly edges: ReadonlyArray<SendRequestEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Integer']['output'];
};

export type SendRequestEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: SendRequest;
};

export type SendRequest = {
  readonly requestId: Scalars['String']['output'];
  readonly key: Key;
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly operation: Scalars['String']['output'];
  readonly userAddress: Scalars['Address']['output'];
  readonly wallet: Scalars['Address']['output'];
  readonly toAddress: Scalars['Address']['output'];
  readonly symbol: Maybe<Scalars['String']['output']>;
  readonly notional: Maybe<Scalars['Decimal']['output']>;
  readonly clientOrderId: Maybe<Scalars['String']['output']>;
  readonly gasLimit: Scalars['Integer']['output'];
  readonly deadline: Maybe<Scalars['UnixSeconds']['output']>;
  readonly state: Scalars['String']['output'];
  readonly status: Scalars['String']['output'];
  readonly final: Scalars['Boolean']['output'];
  readonly nonce: Maybe<Scalars['Integer']['output']>;
  readonly txHash: Maybe<Scalars['Hash']['output']>;
  readonly minedBlock: Maybe<Scalars['BlockNumber']['output']>;
  readonly errCode: Maybe<Scalars['String']['output']>;
  readonly revert: Maybe<Scalars['String']['output']>;
  readonly reason: Maybe<Scalars['String']['output']>;
  readonly fillReason: Maybe<Scalars['String']['output']>;
  readonly acceptedAt: Scalars['UnixSeconds']['output'];
  readonly signedAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly broadcastAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly minedAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly finalAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly attempts: ReadonlyArray<SendAttempt>;
};

export type SendAttempt = {
  readonly nonce: Scalars['Integer']['output'];
  readonly kind: Scalars['String']['output'];
  readonly gasLimit: Scalars['Integer']['output'];
  readonly maxFeePerGasWei: Scalars['String']['output'];
  readonly maxPriorityFeeWei: Scalars['String']['output'];
  readonly txHash: Maybe<Scalars['Hash']['output']>;
  readonly broadcasts: Scalars['Integer']['output'];
  readonly taken: Scalars['Integer']['output'];
  readonly answer: Maybe<Scalars['String']['output']>;
  readonly createdAt: Scalars['UnixSeconds']['output'];
  readonly lastBroadcastAt: Maybe<Scalars['UnixSeconds']['output']>;
};

export type OwnedEventConnection = {
  readonly edges: ReadonlyArray<OwnedEventEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Integer']['output'];
};

export type OwnedEventEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: OwnedEvent;
};

export type OwnedEvent = {
  readonly event: Event;
  readonly key: Key;
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
};

export type EventPage = {
  readonly rows: ReadonlyArray<Event>;
  readonly nextCursor: Scalars['String']['output'];
};

export type Event = {
  readonly eventId: Scalars['String']['output'];
  readonly sequence: Scalars['Integer']['output'];
  readonly type: Scalars['EventType']['output'];
  readonly resource: Scalars['EventResource']['output'];
  readonly createdAt: Scalars['UnixSeconds']['output'];
  readonly blockNumber: Maybe<Scalars['BlockNumber']['output']>;
  readonly txHash: Maybe<Scalars['Hash']['output']>;
  readonly retracts: Maybe<Scalars['String']['output']>;
  readonly data: Scalars['JSON']['output'];
};

export type RotatedKey = {
  readonly apiKey: Scalars['String']['output'];
  readonly apiSecret: Scalars['String']['output'];
  readonly previousSecretUntil: Scalars['UnixSeconds']['output'];
};

export type CallingKey = {
  readonly apiKey: Scalars['String']['output'];
  readonly name: Scalars['String']['output'];
  readonly access: Scalars['String']['output'];
  readonly scopes: ReadonlyArray<KeyScope>;
  readonly userAddress: Maybe<Scalars['Address']['output']>;
  readonly expiresAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly previousSecretUntil: Maybe<Scalars['UnixSeconds']['output']>;
  readonly limits: KeyLimits;
  readonly policy: CallingKeyPolicy;
  readonly cancelAfter: Maybe<CancelAfter>;
};

export type CancelAfter = {
  readonly seconds: Maybe<Scalars['Integer']['output']>;
  readonly cancelAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly firedAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly requested: Scalars['Integer']['output'];
  readonly refused: Scalars['Integer']['output'];
  readonly errCode: Maybe<Scalars['ErrCode']['output']>;
};

export type KeyLimits = {
  readonly windowSeconds: Scalars['Integer']['output'];
  readonly reads: Maybe<Scalars['Integer']['output']>;
  readonly writes: Maybe<Scalars['Integer']['output']>;
  readonly inFlight: Maybe<Scalars['Integer']['output']>;
};

export type CallingKeyPolicy = {
  readonly dailyNotionalCap: Maybe<Scalars['Decimal']['output']>;
  readonly remaining: Maybe<Scalars['Decimal']['output']>;
  readonly allowedSymbols: ReadonlyArray<Scalars['String']['output']>;
  readonly allowedOperations: ReadonlyArray<Scalars['String']['output']>;
  readonly expiresAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly killed: Scalars['Boolean']['output'];
};

export type Clock = {
  readonly timestamp: Scalars['UnixSeconds']['output'];
  readonly isOpen: Scalars['Boolean']['output'];
  readonly session: Session;
  readonly nextOpenAt: Scalars['UnixSeconds']['output'];
  readonly nextCloseAt: Scalars['UnixSeconds']['output'];
};

export type TradingDay = {
  readonly date: Scalars['String']['output'];
  readonly overnightOpenAt: Scalars['UnixSeconds']['output'];
  readonly preOpenAt: Scalars['UnixSeconds']['output'];
  readonly openAt: Scalars['UnixSeconds']['output'];
  readonly closeAt: Scalars['UnixSeconds']['output'];
  readonly postCloseAt: Scalars['UnixSeconds']['output'];
  readonly isEarlyClose: Scalars['Boolean']['output'];
};

export type PriceBar = {
  readonly timestamp: Scalars['UnixSeconds']['output'];
  readonly open: Scalars['Decimal']['output'];
  readonly high: Scalars['Decimal']['output'];
  readonly low: Scalars['Decimal']['output'];
  readonly close: Scalars['Decimal']['output'];
  readonly volume: Scalars['Decimal']['output'];
};

export type CorporateAction = {
  readonly actionId: Scalars['String']['output'];
  readonly symbol: Scalars['String']['output'];
  readonly type: Scalars['ActionType']['output'];
  readonly subType: Scalars['String']['output'];
  readonly declarationDate: Maybe<Scalars['String']['output']>;
  readonly exDate: Scalars['String']['output'];
  readonly recordDate: Maybe<Scalars['String']['output']>;
  readonly payableDate: Maybe<Scalars['String']['output']>;
  readonly cash: Maybe<Scalars['Decimal']['output']>;
  readonly oldRate: Maybe<Scalars['Decimal']['output']>;
  readonly newRate: Maybe<Scalars['Decimal']['output']>;
  readonly status: ActionStatus;
  readonly multiplierBefore: Maybe<Scalars['Decimal']['output']>;
  readonly multiplierAfter: Maybe<Scalars['Decimal']['output']>;
};

export type Symbol = {
  readonly symbol: Scalars['String']['output'];
  readonly name: Scalars['String']['output'];
  readonly contractAddress: Scalars['Address']['output'];
  readonly contractSymbol: Scalars['String']['output'];
  readonly contractName: Scalars['String']['output'];
  readonly decimals: Scalars['Integer']['output'];
  readonly tradable: Scalars['Boolean']['output'];
  readonly fractionable: Scalars['Boolean']['output'];
  readonly overnightTradable: Scalars['Boolean']['output'];
  readonly price: Maybe<Scalars['Decimal']['output']>;
  readonly change24H: Maybe<Scalars['Decimal']['output']>;
  readonly change24HPercent: Maybe<Scalars['Decimal']['output']>;
  readonly volume24H: Maybe<Scalars['Decimal']['output']>;
  readonly logoUrl: Maybe<Scalars['String']['output']>;
  readonly pdfUrl: Maybe<Scalars['String']['output']>;
  readonly lastUpdateTimestamp: Maybe<Scalars['UnixSeconds']['output']>;
  readonly minNotional: Scalars['Decimal']['output'];
  readonly quantityStep: Scalars['Decimal']['output'];
  readonly priceStep: Scalars['Decimal']['output'];
};

export type Price = {
  readonly basicInfo: Quote;
  readonly onChain: Maybe<TokenContext>;
};

export type ListedPrice = {
  readonly symbol: Scalars['String']['output'];
  readonly basicInfo: Maybe<Quote>;
  readonly onChain: TokenPrice;
};

export type TokenPrice = {
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly contractAddress: Scalars['Address']['output'];
  readonly multiplier: Scalars['Decimal']['output'];
  readonly tradable: Scalars['Boolean']['output'];
  readonly price: Maybe<Scalars['Decimal']['output']>;
  readonly bid: Maybe<Scalars['Decimal']['output']>;
  readonly ask: Maybe<Scalars['Decimal']['output']>;
};

export type Quote = {
  readonly symbol: Scalars['String']['output'];
  readonly name: Scalars['String']['output'];
  readonly price: Scalars['Decimal']['output'];
  readonly bid: Maybe<Scalars['Decimal']['output']>;
  readonly ask: Maybe<Scalars['Decimal']['output']>;
  readonly bidSize: Maybe<Scalars['Decimal']['output']>;
  readonly askSize: Maybe<Scalars['Decimal']['output']>;
  readonly open: Maybe<Scalars['Decimal']['output']>;
  readonly high: Maybe<Scalars['Decimal']['output']>;
  readonly low: Maybe<Scalars['Decimal']['output']>;
  readonly previousClose: Maybe<Scalars['Decimal']['output']>;
  readonly volume: Maybe<Scalars['Decimal']['output']>;
  readonly change24H: Maybe<Scalars['Decimal']['output']>;
  readonly change24HPercent: Maybe<Scalars['Decimal']['output']>;
  readonly session: Session;
  readonly timestamp: Scalars['UnixSeconds']['output'];
  readonly stale: Scalars['Boolean']['output'];
  readonly source: Scalars['String']['output'];
};

export type TokenContext = {
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly contractAddress: Scalars['Address']['output'];
  readonly contractSymbol: Scalars['String']['output'];
  readonly contractName: Scalars['String']['output'];
  readonly decimals: Scalars['Integer']['output'];
  readonly totalSupply: Scalars['Decimal']['output'];
  readonly multiplier: Scalars['Decimal']['output'];
  readonly tradable: Scalars['Boolean']['output'];
  readonly price: Maybe<Scalars['Decimal']['output']>;
  readonly bid: Maybe<Scalars['Decimal']['output']>;
  readonly ask: Maybe<Scalars['Decimal']['output']>;
};

export type Delegation = {
  readonly status: DelegationStatus;
  readonly delegatee: Scalars['Address']['output'];
  readonly userAddress: Scalars['Address']['output'];
  readonly nonce: Scalars['Integer']['output'];
  readonly txHash: Maybe<Scalars['Hash']['output']>;
};

export type DelegationPayload = {
  readonly delegatee: Scalars['Address']['output'];
  readonly signPayload: TypedData;
  readonly typedData: WalletTypedData;
  readonly nonce: Scalars['Integer']['output'];
  readonly deadline: Scalars['UnixSeconds']['output'];
};

export type TypedData = {
  readonly domain: TypedDataDomain;
  readonly types: TypedDataTypes;
  readonly primaryType: Scalars['String']['output'];
  readonly message: DelegateMessage;
};

export type WalletTypedData = {
  readonly domain: TypedDataDomain;
  readonly types: WalletTypedDataTypes;
  readonly primaryType: Scalars['String']['output'];
  readonly message: DelegateMessage;
};

export type WalletTypedDataTypes = {
  readonly EIP712Domain: ReadonlyArray<TypedDataField>;
  readonly Delegate: ReadonlyArray<TypedDataField>;
};

export type TypedDataDomain = {
  readonly name: Scalars['String']['output'];
  readonly version: Scalars['String']['output'];
  readonly chainId: Scalars['Integer']['output'];
  readonly verifyingContract: Scalars['Address']['output'];
};

export type TypedDataTypes = {
  readonly Delegate: ReadonlyArray<TypedDataField>;
};

export type TypedDataField = {
  readonly name: Scalars['String']['output'];
  readonly type: Scalars['String']['output'];
};

export type DelegateMessage = {
  readonly user: Scalars['Address']['output'];
  readonly delegatee: Scalars['Address']['output'];
  readonly nonce: Scalars['Integer']['output'];
  readonly deadline: Scalars['UnixSeconds']['output'];
};

export type DelegationChange = {
  readonly status: DelegationStatus;
  readonly txHash: Maybe<Scalars['Hash']['output']>;
};

export type OperationList = {
  readonly total: Maybe<Scalars['Integer']['output']>;
  readonly totalExact: Maybe<Scalars['Boolean']['output']>;
  readonly rows: ReadonlyArray<OperationDetail>;
  readonly nextCursor: Maybe<Scalars['String']['output']>;
};

export type OperationDetail = {
  readonly operationId: Maybe<Scalars['Hash']['output']>;
  readonly txHash: Maybe<Scalars['Hash']['output']>;
  readonly mappingStatus: MappingStatus;
  readonly operationStatus: OperationStatus;
  readonly mapping: Mapping;
  readonly depositOperation: Maybe<Operation>;
  readonly withdrawalOperation: Maybe<Operation>;
};

export type Operation = {
  readonly operationId: Scalars['Hash']['output'];
  readonly userAddress: Scalars['Address']['output'];
  readonly tokenAddress: Scalars['Address']['output'];
  readonly tokenSymbol: Scalars['String']['output'];
  readonly status: OperationStatus;
  readonly isInstant: Maybe<Scalars['Boolean']['output']>;
  readonly amount: Maybe<Scalars['Decimal']['output']>;
  readonly creditAmount: Maybe<Scalars['Decimal']['output']>;
  readonly feeAmount: Maybe<Scalars['Decimal']['output']>;
  readonly createTxHash: Scalars['Hash']['output'];
  readonly settleTxHash: Maybe<Scalars['Hash']['output']>;
  readonly failReason: Maybe<Scalars['String']['output']>;
  readonly createdAt: Scalars['UnixSeconds']['output'];
  readonly settledAt: Maybe<Scalars['UnixSeconds']['output']>;
};

export type OrderList = {
  readonly total: Maybe<Scalars['Integer']['output']>;
  readonly totalExact: Maybe<Scalars['Boolean']['output']>;
  readonly rows: ReadonlyArray<Order>;
  readonly nextCursor: Maybe<Scalars['String']['output']>;
};

export type ArmedCancelAfter = {
  readonly seconds: Maybe<Scalars['Integer']['output']>;
  readonly cancelAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly firedAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly now: Scalars['UnixSeconds']['output'];
};

export type CancelCalldataList = {
  readonly rows: ReadonlyArray<CancelCalldata>;
  readonly more: Scalars['Boolean']['output'];
};

export type CancelCalldata = {
  readonly orderId: Scalars['Hash']['output'];
  readonly calldata: Calldata;
};

export type Order = {
  readonly orderId: Maybe<Scalars['Hash']['output']>;
  readonly txHash: Maybe<Scalars['Hash']['output']>;
  readonly status: Scalars['OrderStatus']['output'];
  readonly onChainStatus: OnChainStatus;
  readonly orderIds: ReadonlyArray<Scalars['Hash']['output']>;
  readonly mapping: Mapping;
  readonly openOrder: Maybe<OpenOrder>;
  readonly historyOrder: Maybe<HistoryOrder>;
};

export type OpenOrder = {
  readonly orderId: Maybe<Scalars['Hash']['output']>;
  readonly txHash: Maybe<Scalars['Hash']['output']>;
  readonly userAddress: Maybe<Scalars['Address']['output']>;
  readonly stockAddress: Maybe<Scalars['Address']['output']>;
  readonly symbol: Maybe<Scalars['String']['output']>;
  readonly side: Maybe<Side>;
  readonly type: Maybe<OrderType>;
  readonly quantity: Maybe<Scalars['Decimal']['output']>;
  readonly notional: Maybe<Scalars['Decimal']['output']>;
  readonly price: Maybe<Scalars['Decimal']['output']>;
  readonly timeInForce: Maybe<TimeInForce>;
  readonly deadline: Maybe<Scalars['UnixSeconds']['output']>;
  readonly status: OpenStatus;
  readonly filledQuantity: Maybe<Scalars['Decimal']['output']>;
  readonly filledNotional: Maybe<Scalars['Decimal']['output']>;
  readonly averageFillPrice: Maybe<Scalars['Decimal']['output']>;
  readonly fee: Maybe<Scalars['Decimal']['output']>;
  readonly fills: ReadonlyArray<Fill>;
  readonly lockedAmount: Maybe<Scalars['Decimal']['output']>;
  readonly lockedAsset: Maybe<Scalars['String']['output']>;
  readonly cancelTxHash: Maybe<Scalars['Hash']['output']>;
  readonly createdAt: Scalars['UnixSeconds']['output'];
  readonly updatedAt: Scalars['UnixSeconds']['output'];
  readonly blockNumber: Maybe<Scalars['Integer']['output']>;
};

export type HistoryOrder = {
  readonly orderId: Maybe<Scalars['Hash']['output']>;
  readonly txHash: Maybe<Scalars['Hash']['output']>;
  readonly userAddress: Maybe<Scalars['Address']['output']>;
  readonly stockAddress: Maybe<Scalars['Address']['output']>;
  readonly symbol: Maybe<Scalars['String']['output']>;
  readonly side: Maybe<Side>;
  readonly type: Maybe<OrderType>;
  readonly quantity: Maybe<Scalars['Decimal']['output']>;
  readonly notional: Maybe<Scalars['Decimal']['output']>;
  readonly price: Maybe<Scalars['Decimal']['output']>;
  readonly timeInForce: Maybe<TimeInForce>;
  readonly deadline: Maybe<Scalars['UnixSeconds']['output']>;
  readonly status: EndedStatus;
  readonly filledQuantity: Maybe<Scalars['Decimal']['output']>;
  readonly filledNotional: Maybe<Scalars['Decimal']['output']>;
  readonly averageFillPrice: Maybe<Scalars['Decimal']['output']>;
  readonly lockedAmount: Maybe<Scalars['Decimal']['output']>;
  readonly lockedAsset: Maybe<Scalars['String']['output']>;
  readonly cancelTxHash: Maybe<Scalars['Hash']['output']>;
  readonly createdAt: Scalars['UnixSeconds']['output'];
  readonly updatedAt: Scalars['UnixSeconds']['output'];
  readonly blockNumber: Maybe<Scalars['Integer']['output']>;
  readonly fee: Maybe<Scalars['Decimal']['output']>;
  readonly fills: ReadonlyArray<Fill>;
  readonly settleTxHash: Maybe<Scalars['Hash']['output']>;
  readonly settledAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly failReason: Maybe<Scalars['String']['output']>;
};

export type Fill = {
  readonly quantity: Scalars['Decimal']['output'];
  readonly price: Scalars['Decimal']['output'];
  readonly fee: Scalars['Decimal']['output'];
  readonly txHash: Scalars['Hash']['output'];
  readonly timestamp: Scalars['UnixSeconds']['output'];
};

export type Statement = {
  readonly userAddress: Scalars['Address']['output'];
  readonly from: Scalars['UnixSeconds']['output'];
  readonly to: Scalars['UnixSeconds']['output'];
  readonly opening: Maybe<ReadonlyArray<StatementBalance>>;
  readonly closing: Maybe<ReadonlyArray<StatementBalance>>;
  readonly rows: ReadonlyArray<StatementRow>;
  readonly nextCursor: Maybe<Scalars['String']['output']>;
  readonly csv: Maybe<Scalars['String']['output']>;
};

export type StatementBalance = {
  readonly asset: Scalars['String']['output'];
  readonly stockAddress: Maybe<Scalars['Address']['output']>;
  readonly available: Scalars['Decimal']['output'];
  readonly locked: Scalars['Decimal']['output'];
};

export type StatementRow = {
  readonly activityId: Scalars['Hash']['output'];
  readonly asset: Scalars['String']['output'];
  readonly stockAddress: Maybe<Scalars['Address']['output']>;
  readonly kind: Scalars['ActivityKind']['output'];
  readonly delta: Scalars['Decimal']['output'];
  readonly balanceAfter: Scalars['Decimal']['output'];
  readonly lockedDelta: Scalars['Decimal']['output'];
  readonly distribution: Maybe<Distribution>;
  readonly fill: Maybe<StatementFill>;
  readonly fee: Maybe<Scalars['Decimal']['output']>;
  readonly orderId: Maybe<Scalars['Hash']['output']>;
  readonly operationId: Maybe<Scalars['Hash']['output']>;
  readonly txHash: Scalars['Hash']['output'];
  readonly blockNumber: Scalars['BlockNumber']['output'];
  readonly timestamp: Scalars['UnixSeconds']['output'];
};

export type Distribution = {
  readonly multiplierBefore: Scalars['Decimal']['output'];
  readonly multiplierAfter: Scalars['Decimal']['output'];
  readonly tokens: Scalars['Decimal']['output'];
  readonly sharesBefore: Scalars['Decimal']['output'];
  readonly sharesAfter: Scalars['Decimal']['output'];
};

export type StatementFill = {
  readonly quantity: Scalars['Decimal']['output'];
  readonly price: Scalars['Decimal']['output'];
  readonly notional: Scalars['Decimal']['output'];
};

export type ActivityList = {
  readonly rows: ReadonlyArray<Activity>;
  readonly nextCursor: Maybe<Scalars['String']['output']>;
};

export type Activity = {
  readonly activityId: Scalars['Hash']['output'];
  readonly asset: Scalars['String']['output'];
  readonly stockAddress: Maybe<Scalars['Address']['output']>;
  readonly kind: Scalars['ActivityKind']['output'];
  readonly delta: Scalars['Decimal']['output'];
  readonly balanceAfter: Scalars['Decimal']['output'];
  readonly lockedDelta: Scalars['Decimal']['output'];
  readonly distribution: Maybe<Distribution>;
  readonly orderId: Maybe<Scalars['Hash']['output']>;
  readonly operationId: Maybe<Scalars['Hash']['output']>;
  readonly txHash: Scalars['Hash']['output'];
  readonly blockNumber: Scalars['BlockNumber']['output'];
  readonly timestamp: Scalars['UnixSeconds']['output'];
};

export type Config = {
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly contracts: Contracts;
  readonly cashierBuffer: CashierBuffer;
  readonly exchangeFeeConfig: ExchangeFeeConfig;
  readonly cashierTokenConfig: ReadonlyArray<CashierToken>;
};

export type Contracts = {
  readonly stockRouter: Scalars['Address']['output'];
  readonly cashier: Scalars['Address']['output'];
  readonly stock: Scalars['Address']['output'];
  readonly oneClickRouter: Scalars['Address']['output'];
  readonly cashSpender: Scalars['Address']['output'];
  readonly stockSpender: Scalars['Address']['output'];
};

export type CashierBuffer = {
  readonly creditBuffer: Scalars['Decimal']['output'];
  readonly creditBufferCapacity: Scalars['Decimal']['output'];
};

export type ExchangeFeeConfig = {
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly buyFeeBps: Scalars['Integer']['output'];
  readonly sellFeeBps: Scalars['Integer']['output'];
  readonly minFee: Scalars['Decimal']['output'];
};

export type CashierToken = {
  readonly tokenAddress: Scalars['Address']['output'];
  readonly symbol: Scalars['String']['output'];
  readonly name: Scalars['String']['output'];
  readonly decimals: Scalars['Integer']['output'];
  readonly minAmount: Scalars['Decimal']['output'];
  readonly usdRate: Scalars['Decimal']['output'];
  readonly depositPaused: Scalars['Boolean']['output'];
  readonly withdrawPaused: Scalars['Boolean']['output'];
  readonly withdrawBuffer: Scalars['Decimal']['output'];
  readonly withdrawBufferCapacity: Scalars['Decimal']['output'];
  readonly depositFeeBps: Scalars['Integer']['output'];
  readonly withdrawFeeBps: Scalars['Integer']['output'];
  readonly maxInstantDeposit: Scalars['Decimal']['output'];
  readonly maxInstantWithdrawal: Scalars['Decimal']['output'];
};

export type Balance = {
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly address: Scalars['Address']['output'];
  readonly mUsdBalance: Scalars['Decimal']['output'];
  readonly mUsdLocked: Scalars['Decimal']['output'];
  readonly tokenBalances: ReadonlyArray<TokenBalance>;
  readonly blockNumber: Scalars['Integer']['output'];
  readonly blockTimestamp: Scalars['UnixSeconds']['output'];
  readonly walletBlockNumber: Maybe<Scalars['Integer']['output']>;
};

export type TokenBalance = {
  readonly address: Scalars['Address']['output'];
  readonly name: Scalars['String']['output'];
  readonly symbol: Scalars['String']['output'];
  readonly stockSymbol: Maybe<Scalars['String']['output']>;
  readonly isStock: Scalars['Boolean']['output'];
  readonly decimals: Scalars['Integer']['output'];
  readonly price: Maybe<Scalars['Decimal']['output']>;
  readonly walletBalance: Scalars['Decimal']['output'];
  readonly walletAllowance: Maybe<Scalars['Decimal']['output']>;
  readonly exchangeBalance: Maybe<Scalars['Decimal']['output']>;
  readonly exchangeLocked: Maybe<Scalars['Decimal']['output']>;
};

export type Position = {
  readonly symbol: Scalars['String']['output'];
  readonly stockAddress: Scalars['Address']['output'];
  readonly walletBalance: Scalars['Decimal']['output'];
  readonly exchangeBalance: Scalars['Decimal']['output'];
  readonly lockedBalance: Scalars['Decimal']['output'];
  readonly quantity: Scalars['Decimal']['output'];
  readonly averageEntryPrice: Maybe<Scalars['Decimal']['output']>;
  readonly costBasis: Maybe<Scalars['Decimal']['output']>;
  readonly costBasisQuantity: Scalars['Decimal']['output'];
  readonly marketPrice: Maybe<Scalars['Decimal']['output']>;
  readonly marketValue: Maybe<Scalars['Decimal']['output']>;
  readonly stale: Scalars['Boolean']['output'];
  readonly unrealizedPnl: Maybe<Scalars['Decimal']['output']>;
  readonly unrealizedPnlPercent: Maybe<Scalars['Decimal']['output']>;
  readonly realizedPnl: Scalars['Decimal']['output'];
};

export type Side =
  | 'Buy'
  | 'Sell';

export type OrderType =
  | 'Market'
  | 'Limit';

export type TimeInForce =
  | 'DAY'
  | 'GTC'
  | 'OPG'
  | 'IOC'
  | 'FOK'
  | 'GTX'
  | 'GTD'
  | 'CLS';

export type EndedStatus =
  | 'Filled'
  | 'Canceled'
  | 'Expired'
  | 'Rejected'
  | 'Failed';

export type OnChainStatus =
  | 'placing'
  | 'open'
  | 'canceling'
  | 'history';

export type OpenStatus =
  | 'placing'
  | 'open'
  | 'canceling';

export type OperationStatus =
  | 'pending'
  | 'processing'
  | 'completed'
  | 'failed'
  | 'canceled';

export type MappingStatus =
  | 'pending'
  | 'indexed'
  | 'reverted';

export type MappingSource =
  | 'send'
  | 'attributed'
  | 'recorded';

export type PreflightCheckName =
  | 'mUsdBalance'
  | 'exchangeBalance'
  | 'walletBalance'
  | 'walletAllowance';

export type SendStatus =
  | 'accepted'
  | 'submitted'
  | 'confirmed'
  | 'failed';

export type DelegationStatus =
  | 'enable'
  | 'disabled'
  | 'pending';

export type WebhookStatus =
  | 'enabled'
  | 'disabled';

export type WebhookDisabledReason =
  | 'failing'
  | 'gone'
  | 'paused_by_operator';

export type DeliveryStatus =
  | 'pending'
  | 'delivered'
  | 'dead';

export type Health =
  | 'healthy'
  | 'behind'
  | 'unavailable';

export type Session =
  | 'pre'
  | 'regular'
  | 'post'
  | 'overnight'
  | 'closed';

export type ActionStatus =
  | 'PENDING'
  | 'IN_PROGRESS'
  | 'COMPLETE';

export type SendList = {
  readonly rows: ReadonlyArray<Send>;
  readonly nextCursor: Maybe<Scalars['String']['output']>;
};

export type Send = {
  readonly requestId: Scalars['String']['output'];
  readonly operation: Scalars['SendOperation']['output'];
  readonly status: SendStatus;
  readonly final: Scalars['Boolean']['output'];
  readonly txHash: Maybe<Scalars['Hash']['output']>;
  readonly errCode: Maybe<Scalars['ErrCode']['output']>;
  readonly revert: Maybe<Scalars['String']['output']>;
  readonly acceptedAt: Scalars['UnixSeconds']['output'];
  readonly mapping: Maybe<Mapping>;
};

export type CancelSendList = {
  readonly rows: ReadonlyArray<CancelSend>;
  readonly more: Scalars['Boolean']['output'];
};

export type CancelSend = {
  readonly orderId: Scalars['Hash']['output'];
  readonly send: Maybe<Send>;
  readonly errCode: Maybe<Scalars['ErrCode']['output']>;
  readonly errMsg: Maybe<Scalars['String']['output']>;
};

export type SendQueue = {
  readonly chainId: Scalars['Integer']['output'];
  readonly wallet: Scalars['Address']['output'];
  readonly state: Scalars['String']['output'];
  readonly stateReason: Maybe<Scalars['String']['output']>;
  readonly retired: Scalars['Boolean']['output'];
  readonly undelegatedAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly nextNonce: Maybe<Scalars['Integer']['output']>;
  readonly chainNonce: Maybe<Scalars['Integer']['output']>;
  readonly balanceWei: Maybe<Scalars['String']['output']>;
  readonly daysLeft: Maybe<Scalars['Float']['output']>;
  readonly observedAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly depth: Scalars['JSON']['output'];
  readonly oldestSeconds: Maybe<Scalars['Float']['output']>;
  readonly failures: Scalars['JSON']['output'];
};

export type Call = {
  readonly toAddress: Scalars['Address']['output'];
  readonly value: Scalars['String']['output'];
  readonly callData: Scalars['Bytes']['output'];
};

export type Calldata = {
  readonly toAddress: Scalars['Address']['output'];
  readonly value: Scalars['String']['output'];
  readonly callData: Scalars['Bytes']['output'];
  readonly method: Scalars['String']['output'];
  readonly args: Scalars['CallArguments']['output'];
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly preflight: Maybe<Preflight>;
};

export type Preflight = {
  readonly ok: Scalars['Boolean']['output'];
  readonly accepted: Scalars['Boolean']['output'];
  readonly reason: Maybe<Scalars['ErrCode']['output']>;
  readonly checks: ReadonlyArray<PreflightCheck>;
  readonly gasEstimate: Maybe<Scalars['String']['output']>;
  readonly revert: Maybe<Scalars['String']['output']>;
  readonly locked: Maybe<AssetAmount>;
  readonly fee: Maybe<OrderFee>;
  readonly minimum: Maybe<OrderMinimum>;
  readonly estimate: Maybe<OrderEstimate>;
  readonly forecast: Maybe<CashForecast>;
};

export type AssetAmount = {
  readonly asset: Scalars['String']['output'];
  readonly assetAddress: Maybe<Scalars['Address']['output']>;
  readonly amount: Scalars['Decimal']['output'];
};

export type OrderFee = {
  readonly amount: Maybe<Scalars['Decimal']['output']>;
  readonly bps: Scalars['Integer']['output'];
  readonly minimum: Scalars['Decimal']['output'];
};

export type OrderMinimum = {
  readonly notional: Scalars['Decimal']['output'];
  readonly quantity: Maybe<Scalars['Decimal']['output']>;
  readonly tokenAmount: Maybe<Scalars['Decimal']['output']>;
};

export type OrderEstimate = {
  readonly price: Scalars['Decimal']['output'];
  readonly stale: Scalars['Boolean']['output'];
  readonly receives: AssetAmount;
};

export type PreflightCheck = {
  readonly check: PreflightCheckName;
  readonly ok: Scalars['Boolean']['output'];
  readonly required: Scalars['Decimal']['output'];
  readonly actual: Scalars['Decimal']['output'];
  readonly fix: Maybe<Call>;
};

export type Mapping = {
  readonly mappingId: Scalars['String']['output'];
  readonly chainId: Scalars['Integer']['output'];
  readonly productType: Scalars['String']['output'];
  readonly operationType: Scalars['OperationType']['output'];
  readonly txHash: Maybe<Scalars['Hash']['output']>;
  readonly userAddress: Maybe<Scalars['Address']['output']>;
  readonly orderId: Maybe<Scalars['Hash']['output']>;
  readonly operationId: Maybe<Scalars['Hash']['output']>;
  readonly clientOrderId: Maybe<Scalars['String']['output']>;
  readonly mappingStatus: MappingStatus;
  readonly source: MappingSource;
  readonly createdAt: Scalars['UnixSeconds']['output'];
};

export type ServiceStatus = {
  readonly chains: ReadonlyArray<ChainStatus>;
  readonly marketData: MarketDataStatus;
  readonly maintenance: ReadonlyArray<MaintenanceNotice>;
};

export type ChainStatus = {
  readonly chainId: Scalars['Integer']['output'];
  readonly health: Health;
  readonly indexedBlock: Maybe<Scalars['BlockNumber']['output']>;
  readonly indexedAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly ageSeconds: Maybe<Scalars['Integer']['output']>;
  readonly headBlock: Maybe<Scalars['BlockNumber']['output']>;
  readonly sendingHalted: Scalars['Boolean']['output'];
};

export type MarketDataStatus = {
  readonly health: Health;
  readonly quoteAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly session: Maybe<Session>;
};

export type MaintenanceNotice = {
  readonly noticeId: Scalars['String']['output'];
  readonly chainId: Maybe<Scalars['Integer']['output']>;
  readonly startsAt: Scalars['UnixSeconds']['output'];
  readonly endsAt: Scalars['UnixSeconds']['output'];
  readonly text: Scalars['String']['output'];
  readonly canceledAt: Maybe<Scalars['UnixSeconds']['output']>;
};

export type WebhookList = {
  readonly rows: ReadonlyArray<Webhook>;
};

export type Webhook = {
  readonly webhookId: Scalars['String']['output'];
  readonly url: Scalars['String']['output'];
  readonly types: Maybe<Scalars['String']['output']>;
  readonly status: WebhookStatus;
  readonly disabledReason: Maybe<WebhookDisabledReason>;
  readonly disabledAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly createdAt: Scalars['UnixSeconds']['output'];
  readonly failingSince: Maybe<Scalars['UnixSeconds']['output']>;
  readonly oldestUndeliveredAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly previousSecretUntil: Maybe<Scalars['UnixSeconds']['output']>;
};

export type NewWebhook = {
  readonly webhook: Webhook;
  readonly secret: Maybe<Scalars['String']['output']>;
};

export type WebhookDeliveryPage = {
  readonly rows: ReadonlyArray<WebhookDelivery>;
  readonly nextCursor: Maybe<Scalars['String']['output']>;
};

export type WebhookDelivery = {
  readonly deliveryId: Scalars['String']['output'];
  readonly eventId: Scalars['String']['output'];
  readonly sequence: Scalars['Integer']['output'];
  readonly type: Scalars['EventType']['output'];
  readonly createdAt: Scalars['UnixSeconds']['output'];
  readonly status: DeliveryStatus;
  readonly attempts: Scalars['Integer']['output'];
  readonly lastAttemptAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly lastStatusCode: Maybe<Scalars['Integer']['output']>;
  readonly lastError: Maybe<Scalars['String']['output']>;
  readonly lastDurationMs: Maybe<Scalars['Integer']['output']>;
  readonly nextAttemptAt: Maybe<Scalars['UnixSeconds']['output']>;
  readonly endedAt: Maybe<Scalars['UnixSeconds']['output']>;
};

export type WebhookTest = {
  readonly delivered: Scalars['Boolean']['output'];
  readonly statusCode: Maybe<Scalars['Integer']['output']>;
  readonly error: Maybe<Scalars['String']['output']>;
  readonly durationMs: Scalars['Integer']['output'];
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  CashCalldata: ResolverTypeWrapper<CashCalldata>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  CashForecast: ResolverTypeWrapper<CashForecast>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Dashboard: ResolverTypeWrapper<object>;
  Problem: ResolverTypeWrapper<Problem>;
  ProblemSeverity: ProblemSeverity;
  ProblemCause: ProblemCause;
  OrderSeries: ResolverTypeWrapper<OrderSeries>;
  OrderPoint: ResolverTypeWrapper<OrderPoint>;
  StatusCount: ResolverTypeWrapper<StatusCount>;
  SendSeries: ResolverTypeWrapper<SendSeries>;
  SendPoint: ResolverTypeWrapper<SendPoint>;
  SendFailure: ResolverTypeWrapper<SendFailure>;
  ChainSeries: ResolverTypeWrapper<ChainSeries>;
  ChainPoint: ResolverTypeWrapper<ChainPoint>;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  QueueSeries: ResolverTypeWrapper<QueueSeries>;
  QueuePoint: ResolverTypeWrapper<QueuePoint>;
  RequestSeries: ResolverTypeWrapper<RequestSeries>;
  RequestPoint: ResolverTypeWrapper<RequestPoint>;
  FailingWebhooks: ResolverTypeWrapper<FailingWebhooks>;
  OrderTotals: ResolverTypeWrapper<Omit<OrderTotals, 'byKey' | 'bySymbol' | 'byChain'> & { byKey: ReadonlyArray<ResolversTypes['OrderTotal']>, bySymbol: ReadonlyArray<ResolversTypes['OrderTotal']>, byChain: ReadonlyArray<ResolversTypes['OrderTotal']> }>;
  OrderTotal: ResolverTypeWrapper<Omit<OrderTotal, "key"> & { keyId: string | null }>;
  EndpointTotal: ResolverTypeWrapper<EndpointTotal>;
  RefusalTotal: ResolverTypeWrapper<Omit<RefusalTotal, "key"> & { keyId: string }>;
  KeyUsage: ResolverTypeWrapper<KeyUsage>;
  OpenStream: ResolverTypeWrapper<OpenStream>;
  StreamKind: StreamKind;
  UsedLimit: ResolverTypeWrapper<UsedLimit>;
  RouteUsage: ResolverTypeWrapper<RouteUsage>;
  KeptRequestConnection: ResolverTypeWrapper<Omit<Omit<KeptRequestConnection, 'edges'> & { edges: ReadonlyArray<ResolversTypes['KeptRequestEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["KeptRequestEdge"]>; totalCount: () => Promise<number> }>;
  KeptRequestEdge: ResolverTypeWrapper<Omit<KeptRequestEdge, 'node'> & { node: ResolversTypes['KeptRequest'] }>;
  KeptRequest: ResolverTypeWrapper<Omit<KeptRequest, "key"> & { keyId: string }>;
  SearchHit: ResolverTypeWrapper<SearchHit>;
  SearchKind: SearchKind;
  TimelineKind: TimelineKind;
  Timeline: ResolverTypeWrapper<Timeline>;
  TimelineStep: ResolverTypeWrapper<TimelineStep>;
  TimelineDetail: ResolverTypeWrapper<TimelineDetail>;
  TimelineStepState: TimelineStepState;
  TimelineStepKind: TimelineStepKind;
  ChainState: ResolverTypeWrapper<Omit<Omit<ChainState, 'sendQueues'> & { sendQueues: ReadonlyArray<ResolversTypes['SendQueue']> }, "sendQueues"> & { chainId: number }>;
  DashboardRole: DashboardRole;
  DashboardUser: ResolverTypeWrapper<DashboardUser>;
  AuditEntryConnection: ResolverTypeWrapper<Omit<AuditEntryConnection, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["AuditEntryEdge"]>; totalCount: () => Promise<number> }>;
  AuditEntryEdge: ResolverTypeWrapper<AuditEntryEdge>;
  AuditEntry: ResolverTypeWrapper<AuditEntry>;
  WebhookConnection: ResolverTypeWrapper<Omit<Omit<WebhookConnection, 'edges'> & { edges: ReadonlyArray<ResolversTypes['WebhookEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["WebhookEdge"]>; totalCount: () => Promise<number> }>;
  WebhookEdge: ResolverTypeWrapper<Omit<WebhookEdge, 'node'> & { node: ResolversTypes['DashboardWebhook'] }>;
  DashboardWebhook: ResolverTypeWrapper<Omit<DashboardWebhook, "key"> & { keyId: string }>;
  DeliveryConnection: ResolverTypeWrapper<Omit<Omit<DeliveryConnection, 'edges'> & { edges: ReadonlyArray<ResolversTypes['DeliveryEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["DeliveryEdge"]>; totalCount: () => Promise<number> }>;
  DeliveryEdge: ResolverTypeWrapper<Omit<DeliveryEdge, 'node'> & { node: ResolversTypes['WebhookDeliveryState'] }>;
  WebhookDeliveryState: ResolverTypeWrapper<Omit<Omit<WebhookDeliveryState, 'webhook'> & { webhook: ResolversTypes['DashboardWebhook'] }, "webhook"> & { webhookId: string }>;
  Environment: ResolverTypeWrapper<Environment>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  ChainBlock: ResolverTypeWrapper<ChainBlock>;
  KeyConnection: ResolverTypeWrapper<Omit<KeyConnection, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["KeyEdge"]>; totalCount: () => Promise<number> }>;
  KeyEdge: ResolverTypeWrapper<KeyEdge>;
  UserDelegation: ResolverTypeWrapper<UserDelegation>;
  Key: ResolverTypeWrapper<Key>;
  KeyScope: ResolverTypeWrapper<KeyScope>;
  KeyPolicy: ResolverTypeWrapper<KeyPolicy>;
  OwnedOrderConnection: ResolverTypeWrapper<Omit<Omit<OwnedOrderConnection, 'edges'> & { edges: ReadonlyArray<ResolversTypes['OwnedOrderEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["OwnedOrderEdge"]>; totalCount: () => Promise<number> }>;
  OwnedOrderEdge: ResolverTypeWrapper<Omit<OwnedOrderEdge, 'node'> & { node: ResolversTypes['OwnedOrder'] }>;
  OwnedOrder: ResolverTypeWrapper<Omit<Omit<OwnedOrder, 'sendRequest'> & { sendRequest?: Maybe<ResolversTypes['SendRequest']> }, "key" | "sendRequest"> & { keyId: string; claimId: string }>;
  OwnedOperationConnection: ResolverTypeWrapper<Omit<Omit<OwnedOperationConnection, 'edges'> & { edges: ReadonlyArray<ResolversTypes['OwnedOperationEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["OwnedOperationEdge"]>; totalCount: () => Promise<number> }>;
  OwnedOperationEdge: ResolverTypeWrapper<Omit<OwnedOperationEdge, 'node'> & { node: ResolversTypes['OwnedOperation'] }>;
  OwnedOperation: ResolverTypeWrapper<Omit<Omit<OwnedOperation, 'sendRequest'> & { sendRequest?: Maybe<ResolversTypes['SendRequest']> }, "key" | "sendRequest"> & { keyId: string; claimId: string }>;
  LedgerConnection: ResolverTypeWrapper<Omit<Omit<LedgerConnection, 'edges'> & { edges: ReadonlyArray<ResolversTypes['LedgerEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["LedgerEdge"]>; totalCount: () => Promise<number> }>;
  LedgerEdge: ResolverTypeWrapper<Omit<LedgerEdge, 'node'> & { node: ResolversTypes['Ledger'] }>;
  Ledger: ResolverTypeWrapper<Omit<Ledger, "stocks" | "keys"> & { chainId: number; user: import("viem").Hex }>;
  LedgerStock: ResolverTypeWrapper<LedgerStock>;
  SendRequestConnection: ResolverTypeWrapper<Omit<Omit<SendRequestConnection, 'edges'> & { edges: ReadonlyArray<ResolversTypes['SendRequestEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["SendRequestEdge"]>; totalCount: () => Promise<number> }>;
  SendRequestEdge: ResolverTypeWrapper<Omit<SendRequestEdge, 'node'> & { node: ResolversTypes['SendRequest'] }>;
  SendRequest: ResolverTypeWrapper<Omit<SendRequest, "key" | "attempts"> & { keyId: string }>;
  SendAttempt: ResolverTypeWrapper<SendAttempt>;
  OwnedEventConnection: ResolverTypeWrapper<Omit<Omit<OwnedEventConnection, 'edges'> & { edges: ReadonlyArray<ResolversTypes['OwnedEventEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["OwnedEventEdge"]>; totalCount: () => Promise<number> }>;
  OwnedEventEdge: ResolverTypeWrapper<Omit<OwnedEventEdge, 'node'> & { node: ResolversTypes['OwnedEvent'] }>;
  OwnedEvent: ResolverTypeWrapper<Omit<OwnedEvent, "key"> & { keyId: string }>;
  EventPage: ResolverTypeWrapper<EventPage>;
  Event: ResolverTypeWrapper<Event>;
  RotatedKey: ResolverTypeWrapper<RotatedKey>;
  CallingKey: ResolverTypeWrapper<CallingKey>;
  CancelAfter: ResolverTypeWrapper<CancelAfter>;
  KeyLimits: ResolverTypeWrapper<KeyLimits>;
  CallingKeyPolicy: ResolverTypeWrapper<CallingKeyPolicy>;
  Clock: ResolverTypeWrapper<Clock>;
  TradingDay: ResolverTypeWrapper<TradingDay>;
  PriceBar: ResolverTypeWrapper<PriceBar>;
  CorporateAction: ResolverTypeWrapper<CorporateAction>;
  Symbol: ResolverTypeWrapper<Symbol>;
  Price: ResolverTypeWrapper<Price>;
  ListedPrice: ResolverTypeWrapper<ListedPrice>;
  TokenPrice: ResolverTypeWrapper<TokenPrice>;
  Quote: ResolverTypeWrapper<Quote>;
  TokenContext: ResolverTypeWrapper<TokenContext>;
  Delegation: ResolverTypeWrapper<Delegation>;
  DelegationPayload: ResolverTypeWrapper<DelegationPayload>;
  TypedData: ResolverTypeWrapper<TypedData>;
  WalletTypedData: ResolverTypeWrapper<WalletTypedData>;
  WalletTypedDataTypes: ResolverTypeWrapper<WalletTypedDataTypes>;
  TypedDataDomain: ResolverTypeWrapper<TypedDataDomain>;
  TypedDataTypes: ResolverTypeWrapper<TypedDataTypes>;
  TypedDataField: ResolverTypeWrapper<TypedDataField>;
  DelegateMessage: ResolverTypeWrapper<DelegateMessage>;
  DelegationChange: ResolverTypeWrapper<DelegationChange>;
  OperationList: ResolverTypeWrapper<OperationList>;
  OperationDetail: ResolverTypeWrapper<OperationDetail>;
  Operation: ResolverTypeWrapper<Operation>;
  OrderList: ResolverTypeWrapper<OrderList>;
  ArmedCancelAfter: ResolverTypeWrapper<ArmedCancelAfter>;
  CancelCalldataList: ResolverTypeWrapper<CancelCalldataList>;
  CancelCalldata: ResolverTypeWrapper<CancelCalldata>;
  Order: ResolverTypeWrapper<Order>;
  OpenOrder: ResolverTypeWrapper<OpenOrder>;
  HistoryOrder: ResolverTypeWrapper<HistoryOrder>;
  Fill: ResolverTypeWrapper<Fill>;
  Statement: ResolverTypeWrapper<Statement>;
  StatementBalance: ResolverTypeWrapper<StatementBalance>;
  StatementRow: ResolverTypeWrapper<StatementRow>;
  Distribution: ResolverTypeWrapper<Distribution>;
  StatementFill: ResolverTypeWrapper<StatementFill>;
  ActivityList: ResolverTypeWrapper<ActivityList>;
  Activity: ResolverTypeWrapper<Activity>;
  Config: ResolverTypeWrapper<Config>;
  Contracts: ResolverTypeWrapper<Contracts>;
  CashierBuffer: ResolverTypeWrapper<CashierBuffer>;
  ExchangeFeeConfig: ResolverTypeWrapper<ExchangeFeeConfig>;
  CashierToken: ResolverTypeWrapper<CashierToken>;
  Balance: ResolverTypeWrapper<Balance>;
  TokenBalance: ResolverTypeWrapper<TokenBalance>;
  Position: ResolverTypeWrapper<Position>;
  Decimal: ResolverTypeWrapper<Scalars['Decimal']['output']>;
  Address: ResolverTypeWrapper<Scalars['Address']['output']>;
  Hash: ResolverTypeWrapper<Scalars['Hash']['output']>;
  Text: ResolverTypeWrapper<Scalars['Text']['output']>;
  Integer: ResolverTypeWrapper<Scalars['Integer']['output']>;
  UnixSeconds: ResolverTypeWrapper<Scalars['UnixSeconds']['output']>;
  BlockNumber: ResolverTypeWrapper<Scalars['BlockNumber']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  Bytes: ResolverTypeWrapper<Scalars['Bytes']['output']>;
  CallArguments: ResolverTypeWrapper<Scalars['CallArguments']['output']>;
  Side: Side;
  OrderType: OrderType;
  TimeInForce: TimeInForce;
  OrderStatus: ResolverTypeWrapper<Scalars['OrderStatus']['output']>;
  EndedStatus: EndedStatus;
  OnChainStatus: OnChainStatus;
  OpenStatus: OpenStatus;
  OperationStatus: OperationStatus;
  OperationType: ResolverTypeWrapper<Scalars['OperationType']['output']>;
  MappingStatus: MappingStatus;
  MappingSource: MappingSource;
  PreflightCheckName: PreflightCheckName;
  SendStatus: SendStatus;
  DelegationStatus: DelegationStatus;
  WebhookStatus: WebhookStatus;
  WebhookDisabledReason: WebhookDisabledReason;
  DeliveryStatus: DeliveryStatus;
  Health: Health;
  Session: Session;
  ActionType: ResolverTypeWrapper<Scalars['ActionType']['output']>;
  ActionStatus: ActionStatus;
  SendOperation: ResolverTypeWrapper<Scalars['SendOperation']['output']>;
  ActivityKind: ResolverTypeWrapper<Scalars['ActivityKind']['output']>;
  EventType: ResolverTypeWrapper<Scalars['EventType']['output']>;
  EventResource: ResolverTypeWrapper<Scalars['EventResource']['output']>;
  ErrCode: ResolverTypeWrapper<Scalars['ErrCode']['output']>;
  SendList: ResolverTypeWrapper<SendList>;
  Send: ResolverTypeWrapper<Send>;
  CancelSendList: ResolverTypeWrapper<CancelSendList>;
  CancelSend: ResolverTypeWrapper<CancelSend>;
  SendQueue: ResolverTypeWrapper<Omit<SendQueue, "daysLeft"> & { chainId: number }>;
  Call: ResolverTypeWrapper<Call>;
  Calldata: ResolverTypeWrapper<Calldata>;
  Preflight: ResolverTypeWrapper<Preflight>;
  AssetAmount: ResolverTypeWrapper<AssetAmount>;
  OrderFee: ResolverTypeWrapper<OrderFee>;
  OrderMinimum: ResolverTypeWrapper<OrderMinimum>;
  OrderEstimate: ResolverTypeWrapper<OrderEstimate>;
  PreflightCheck: ResolverTypeWrapper<PreflightCheck>;
  Mapping: ResolverTypeWrapper<Mapping>;
  ServiceStatus: ResolverTypeWrapper<ServiceStatus>;
  ChainStatus: ResolverTypeWrapper<ChainStatus>;
  MarketDataStatus: ResolverTypeWrapper<MarketDataStatus>;
  MaintenanceNotice: ResolverTypeWrapper<MaintenanceNotice>;
  WebhookList: ResolverTypeWrapper<WebhookList>;
  Webhook: ResolverTypeWrapper<Webhook>;
  NewWebhook: ResolverTypeWrapper<NewWebhook>;
  WebhookDeliveryPage: ResolverTypeWrapper<WebhookDeliveryPage>;
  WebhookDelivery: ResolverTypeWrapper<WebhookDelivery>;
  WebhookTest: ResolverTypeWrapper<WebhookTest>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Query: Record<PropertyKey, never>;
  Mutation: Record<PropertyKey, never>;
  CashCalldata: CashCalldata;
  String: Scalars['String']['output'];
  CashForecast: CashForecast;
  Boolean: Scalars['Boolean']['output'];
  Dashboard: object;
  Problem: Problem;
  OrderSeries: OrderSeries;
  OrderPoint: OrderPoint;
  StatusCount: StatusCount;
  SendSeries: SendSeries;
  SendPoint: SendPoint;
  SendFailure: SendFailure;
  ChainSeries: ChainSeries;
  ChainPoint: ChainPoint;
  Float: Scalars['Float']['output'];
  QueueSeries: QueueSeries;
  QueuePoint: QueuePoint;
  RequestSeries: RequestSeries;
  RequestPoint: RequestPoint;
  FailingWebhooks: FailingWebhooks;
  OrderTotals: Omit<OrderTotals, 'byKey' | 'bySymbol' | 'byChain'> & { byKey: ReadonlyArray<ResolversParentTypes['OrderTotal']>, bySymbol: ReadonlyArray<ResolversParentTypes['OrderTotal']>, byChain: ReadonlyArray<ResolversParentTypes['OrderTotal']> };
  OrderTotal: Omit<OrderTotal, "key"> & { keyId: string | null };
  EndpointTotal: EndpointTotal;
  RefusalTotal: Omit<RefusalTotal, "key"> & { keyId: string };
  KeyUsage: KeyUsage;
  OpenStream: OpenStream;
  UsedLimit: UsedLimit;
  RouteUsage: RouteUsage;
  KeptRequestConnection: Omit<Omit<KeptRequestConnection, 'edges'> & { edges: ReadonlyArray<ResolversParentTypes['KeptRequestEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["KeptRequestEdge"]>; totalCount: () => Promise<number> };
  KeptRequestEdge: Omit<KeptRequestEdge, 'node'> & { node: ResolversParentTypes['KeptRequest'] };
  KeptRequest: Omit<KeptRequest, "key"> & { keyId: string };
  SearchHit: SearchHit;
  Timeline: Timeline;
  TimelineStep: TimelineStep;
  TimelineDetail: TimelineDetail;
  ChainState: Omit<Omit<ChainState, 'sendQueues'> & { sendQueues: ReadonlyArray<ResolversParentTypes['SendQueue']> }, "sendQueues"> & { chainId: number };
  DashboardUser: DashboardUser;
  AuditEntryConnection: Omit<AuditEntryConnection, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["AuditEntryEdge"]>; totalCount: () => Promise<number> };
  AuditEntryEdge: AuditEntryEdge;
  AuditEntry: AuditEntry;
  WebhookConnection: Omit<Omit<WebhookConnection, 'edges'> & { edges: ReadonlyArray<ResolversParentTypes['WebhookEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["WebhookEdge"]>; totalCount: () => Promise<number> };
  WebhookEdge: Omit<WebhookEdge, 'node'> & { node: ResolversParentTypes['DashboardWebhook'] };
  DashboardWebhook: Omit<DashboardWebhook, "key"> & { keyId: string };
  DeliveryConnection: Omit<Omit<DeliveryConnection, 'edges'> & { edges: ReadonlyArray<ResolversParentTypes['DeliveryEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["DeliveryEdge"]>; totalCount: () => Promise<number> };
  DeliveryEdge: Omit<DeliveryEdge, 'node'> & { node: ResolversParentTypes['WebhookDeliveryState'] };
  WebhookDeliveryState: Omit<Omit<WebhookDeliveryState, 'webhook'> & { webhook: ResolversParentTypes['DashboardWebhook'] }, "webhook"> & { webhookId: string };
  Environment: Environment;
  PageInfo: PageInfo;
  ChainBlock: ChainBlock;
  KeyConnection: Omit<KeyConnection, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["KeyEdge"]>; totalCount: () => Promise<number> };
  KeyEdge: KeyEdge;
  UserDelegation: UserDelegation;
  Key: Key;
  KeyScope: KeyScope;
  KeyPolicy: KeyPolicy;
  OwnedOrderConnection: Omit<Omit<OwnedOrderConnection, 'edges'> & { edges: ReadonlyArray<ResolversParentTypes['OwnedOrderEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["OwnedOrderEdge"]>; totalCount: () => Promise<number> };
  OwnedOrderEdge: Omit<OwnedOrderEdge, 'node'> & { node: ResolversParentTypes['OwnedOrder'] };
  OwnedOrder: Omit<Omit<OwnedOrder, 'sendRequest'> & { sendRequest?: Maybe<ResolversParentTypes['SendRequest']> }, "key" | "sendRequest"> & { keyId: string; claimId: string };
  OwnedOperationConnection: Omit<Omit<OwnedOperationConnection, 'edges'> & { edges: ReadonlyArray<ResolversParentTypes['OwnedOperationEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["OwnedOperationEdge"]>; totalCount: () => Promise<number> };
  OwnedOperationEdge: Omit<OwnedOperationEdge, 'node'> & { node: ResolversParentTypes['OwnedOperation'] };
  OwnedOperation: Omit<Omit<OwnedOperation, 'sendRequest'> & { sendRequest?: Maybe<ResolversParentTypes['SendRequest']> }, "key" | "sendRequest"> & { keyId: string; claimId: string };
  LedgerConnection: Omit<Omit<LedgerConnection, 'edges'> & { edges: ReadonlyArray<ResolversParentTypes['LedgerEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["LedgerEdge"]>; totalCount: () => Promise<number> };
  LedgerEdge: Omit<LedgerEdge, 'node'> & { node: ResolversParentTypes['Ledger'] };
  Ledger: Omit<Ledger, "stocks" | "keys"> & { chainId: number; user: import("viem").Hex };
  LedgerStock: LedgerStock;
  SendRequestConnection: Omit<Omit<SendRequestConnection, 'edges'> & { edges: ReadonlyArray<ResolversParentTypes['SendRequestEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["SendRequestEdge"]>; totalCount: () => Promise<number> };
  SendRequestEdge: Omit<SendRequestEdge, 'node'> & { node: ResolversParentTypes['SendRequest'] };
  SendRequest: Omit<SendRequest, "key" | "attempts"> & { keyId: string };
  SendAttempt: SendAttempt;
  OwnedEventConnection: Omit<Omit<OwnedEventConnection, 'edges'> & { edges: ReadonlyArray<ResolversParentTypes['OwnedEventEdge']> }, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["OwnedEventEdge"]>; totalCount: () => Promise<number> };
  OwnedEventEdge: Omit<OwnedEventEdge, 'node'> & { node: ResolversParentTypes['OwnedEvent'] };
  OwnedEvent: Omit<OwnedEvent, "key"> & { keyId: string };
  EventPage: EventPage;
  Event: Event;
  RotatedKey: RotatedKey;
  CallingKey: CallingKey;
  CancelAfter: CancelAfter;
  KeyLimits: KeyLimits;
  CallingKeyPolicy: CallingKeyPolicy;
  Clock: Clock;
  TradingDay: TradingDay;
  PriceBar: PriceBar;
  CorporateAction: CorporateAction;
  Symbol: Symbol;
  Price: Price;
  ListedPrice: ListedPrice;
  TokenPrice: TokenPrice;
  Quote: Quote;
  TokenContext: TokenContext;
  Delegation: Delegation;
  DelegationPayload: DelegationPayload;
  TypedData: TypedData;
  WalletTypedData: WalletTypedData;
  WalletTypedDataTypes: WalletTypedDataTypes;
  TypedDataDomain: TypedDataDomain;
  TypedDataTypes: TypedDataTypes;
  TypedDataField: TypedDataField;
  DelegateMessage: DelegateMessage;
  DelegationChange: DelegationChange;
  OperationList: OperationList;
  OperationDetail: OperationDetail;
  Operation: Operation;
  OrderList: OrderList;
  ArmedCancelAfter: ArmedCancelAfter;
  CancelCalldataList: CancelCalldataList;
  CancelCalldata: CancelCalldata;
  Order: Order;
  OpenOrder: OpenOrder;
  HistoryOrder: HistoryOrder;
  Fill: Fill;
  Statement: Statement;
  StatementBalance: StatementBalance;
  StatementRow: StatementRow;
  Distribution: Distribution;
  StatementFill: StatementFill;
  ActivityList: ActivityList;
  Activity: Activity;
  Config: Config;
  Contracts: Contracts;
  CashierBuffer: CashierBuffer;
  ExchangeFeeConfig: ExchangeFeeConfig;
  CashierToken: CashierToken;
  Balance: Balance;
  TokenBalance: TokenBalance;
  Position: Position;
  Decimal: Scalars['Decimal']['output'];
  Address: Scalars['Address']['output'];
  Hash: Scalars['Hash']['output'];
  Text: Scalars['Text']['output'];
  Integer: Scalars['Integer']['output'];
  UnixSeconds: Scalars['UnixSeconds']['output'];
  BlockNumber: Scalars['BlockNumber']['output'];
  JSON: Scalars['JSON']['output'];
  Bytes: Scalars['Bytes']['output'];
  CallArguments: Scalars['CallArguments']['output'];
  OrderStatus: Scalars['OrderStatus']['output'];
  OperationType: Scalars['OperationType']['output'];
  ActionType: Scalars['ActionType']['output'];
  SendOperation: Scalars['SendOperation']['output'];
  ActivityKind: Scalars['ActivityKind']['output'];
  EventType: Scalars['EventType']['output'];
  EventResource: Scalars['EventResource']['output'];
  ErrCode: Scalars['ErrCode']['output'];
  SendList: SendList;
  Send: Send;
  CancelSendList: CancelSendList;
  CancelSend: CancelSend;
  SendQueue: Omit<SendQueue, "daysLeft"> & { chainId: number };
  Call: Call;
  Calldata: Calldata;
  Preflight: Preflight;
  AssetAmount: AssetAmount;
  OrderFee: OrderFee;
  OrderMinimum: OrderMinimum;
  OrderEstimate: OrderEstimate;
  PreflightCheck: PreflightCheck;
  Mapping: Mapping;
  ServiceStatus: ServiceStatus;
  ChainStatus: ChainStatus;
  MarketDataStatus: MarketDataStatus;
  MaintenanceNotice: MaintenanceNotice;
  WebhookList: WebhookList;
  Webhook: Webhook;
  NewWebhook: NewWebhook;
  WebhookDeliveryPage: WebhookDeliveryPage;
  WebhookDelivery: WebhookDelivery;
  WebhookTest: WebhookTest;
};

export type OperatorDirectiveArgs = { };

export type OperatorDirectiveResolver<Result, Parent, ContextType = RequestContext, Args = OperatorDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type ViewerDirectiveArgs = { };

export type ViewerDirectiveResolver<Result, Parent, ContextType = RequestContext, Args = ViewerDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type ExampleDirectiveArgs = {
  value?: Maybe<Scalars['JSON']['input']>;
};

export type ExampleDirectiveResolver<Result, Parent, ContextType = RequestContext, Args = ExampleDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type QueryResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  cashDeposits?: Resolver<ResolversTypes['OperationList'], ParentType, ContextType, Partial<QueryCashDepositsArgs>>;
  cashDeposit?: Resolver<ResolversTypes['OperationDetail'], ParentType, ContextType, Partial<QueryCashDepositArgs>>;
  cashWithdrawals?: Resolver<ResolversTypes['OperationList'], ParentType, ContextType, Partial<QueryCashWithdrawalsArgs>>;
  cashWithdrawal?: Resolver<ResolversTypes['OperationDetail'], ParentType, ContextType, Partial<QueryCashWithdrawalArgs>>;
  dashboard?: Resolver<ResolversTypes['Dashboard'], ParentType, ContextType>;
  events?: Resolver<ResolversTypes['EventPage'], ParentType, ContextType, Partial<QueryEventsArgs>>;
  key?: Resolver<ResolversTypes['CallingKey'], ParentType, ContextType>;
  symbols?: Resolver<ReadonlyArray<ResolversTypes['Symbol']>, ParentType, ContextType, Partial<QuerySymbolsArgs>>;
  price?: Resolver<ResolversTypes['Price'], ParentType, ContextType, Partial<QueryPriceArgs>>;
  prices?: Resolver<ReadonlyArray<ResolversTypes['ListedPrice']>, ParentType, ContextType, Partial<QueryPricesArgs>>;
  priceHistory?: Resolver<ReadonlyArray<ResolversTypes['PriceBar']>, ParentType, ContextType, Partial<QueryPriceHistoryArgs>>;
  underlyingPrice?: Resolver<ResolversTypes['Quote'], ParentType, ContextType, Partial<QueryUnderlyingPriceArgs>>;
  corporateActions?: Resolver<ReadonlyArray<ResolversTypes['CorporateAction']>, ParentType, ContextType, Partial<QueryCorporateActionsArgs>>;
  clock?: Resolver<ResolversTypes['Clock'], ParentType, ContextType>;
  calendar?: Resolver<ReadonlyArray<ResolversTypes['TradingDay']>, ParentType, ContextType, Partial<QueryCalendarArgs>>;
  delegation?: Resolver<ResolversTypes['Delegation'], ParentType, ContextType>;
  orders?: Resolver<ResolversTypes['OrderList'], ParentType, ContextType, Partial<QueryOrdersArgs>>;
  orderByTransaction?: Resolver<ResolversTypes['Order'], ParentType, ContextType, Partial<QueryOrderByTransactionArgs>>;
  orderByClientId?: Resolver<ResolversTypes['Order'], ParentType, ContextType, Partial<QueryOrderByClientIdArgs>>;
  order?: Resolver<ResolversTypes['Order'], ParentType, ContextType, Partial<QueryOrderArgs>>;
  config?: Resolver<ResolversTypes['Config'], ParentType, ContextType>;
  balance?: Resolver<ResolversTypes['Balance'], ParentType, ContextType, Partial<QueryBalanceArgs>>;
  positions?: Resolver<ReadonlyArray<ResolversTypes['Position']>, ParentType, ContextType, Partial<QueryPositionsArgs>>;
  activities?: Resolver<ResolversTypes['ActivityList'], ParentType, ContextType, Partial<QueryActivitiesArgs>>;
  statement?: Resolver<ResolversTypes['Statement'], ParentType, ContextType, Partial<QueryStatementArgs>>;
  sends?: Resolver<ResolversTypes['SendList'], ParentType, ContextType, Partial<QuerySendsArgs>>;
  send?: Resolver<ResolversTypes['Send'], ParentType, ContextType, Partial<QuerySendArgs>>;
  sendQueues?: Resolver<ReadonlyArray<ResolversTypes['SendQueue']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['ServiceStatus'], ParentType, ContextType>;
  stockDeposits?: Resolver<ResolversTypes['OperationList'], ParentType, ContextType, Partial<QueryStockDepositsArgs>>;
  stockDeposit?: Resolver<ResolversTypes['OperationDetail'], ParentType, ContextType, Partial<QueryStockDepositArgs>>;
  stockWithdrawals?: Resolver<ResolversTypes['OperationList'], ParentType, ContextType, Partial<QueryStockWithdrawalsArgs>>;
  stockWithdrawal?: Resolver<ResolversTypes['OperationDetail'], ParentType, ContextType, Partial<QueryStockWithdrawalArgs>>;
  webhooks?: Resolver<ResolversTypes['WebhookList'], ParentType, ContextType>;
  webhookDeliveries?: Resolver<ResolversTypes['WebhookDeliveryPage'], ParentType, ContextType, Partial<QueryWebhookDeliveriesArgs>>;
};

export type MutationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  cashDepositCalldata?: Resolver<ResolversTypes['CashCalldata'], ParentType, ContextType, Partial<MutationCashDepositCalldataArgs>>;
  recordCashDepositTransaction?: Resolver<ResolversTypes['Mapping'], ParentType, ContextType, Partial<MutationRecordCashDepositTransactionArgs>>;
  cashWithdrawalCalldata?: Resolver<ResolversTypes['CashCalldata'], ParentType, ContextType, Partial<MutationCashWithdrawalCalldataArgs>>;
  recordCashWithdrawalTransaction?: Resolver<ResolversTypes['Mapping'], ParentType, ContextType, Partial<MutationRecordCashWithdrawalTransactionArgs>>;
  keyRotate?: Resolver<ResolversTypes['RotatedKey'], ParentType, ContextType, Partial<MutationKeyRotateArgs>>;
  delegationPrepare?: Resolver<ResolversTypes['DelegationPayload'], ParentType, ContextType, Partial<MutationDelegationPrepareArgs>>;
  delegationEnable?: Resolver<ResolversTypes['DelegationChange'], ParentType, ContextType, Partial<MutationDelegationEnableArgs>>;
  delegationDisable?: Resolver<ResolversTypes['DelegationChange'], ParentType, ContextType>;
  orderCalldata?: Resolver<ResolversTypes['Calldata'], ParentType, ContextType, Partial<MutationOrderCalldataArgs>>;
  orderWithDepositCalldata?: Resolver<ResolversTypes['Calldata'], ParentType, ContextType, Partial<MutationOrderWithDepositCalldataArgs>>;
  orderPreview?: Resolver<ResolversTypes['Preflight'], ParentType, ContextType, Partial<MutationOrderPreviewArgs>>;
  orderCancelCalldata?: Resolver<ResolversTypes['Calldata'], ParentType, ContextType, Partial<MutationOrderCancelCalldataArgs>>;
  ordersCancelCalldata?: Resolver<ResolversTypes['CancelCalldataList'], ParentType, ContextType, Partial<MutationOrdersCancelCalldataArgs>>;
  ordersCancelAfter?: Resolver<ResolversTypes['ArmedCancelAfter'], ParentType, ContextType, Partial<MutationOrdersCancelAfterArgs>>;
  recordOrderTransaction?: Resolver<ResolversTypes['Mapping'], ParentType, ContextType, Partial<MutationRecordOrderTransactionArgs>>;
  orderSend?: Resolver<ResolversTypes['Send'], ParentType, ContextType, Partial<MutationOrderSendArgs>>;
  orderWithDepositSend?: Resolver<ResolversTypes['Send'], ParentType, ContextType, Partial<MutationOrderWithDepositSendArgs>>;
  orderCancelSend?: Resolver<ResolversTypes['Send'], ParentType, ContextType, Partial<MutationOrderCancelSendArgs>>;
  ordersCancelSend?: Resolver<ResolversTypes['CancelSendList'], ParentType, ContextType, Partial<MutationOrdersCancelSendArgs>>;
  cashDepositSend?: Resolver<ResolversTypes['Send'], ParentType, ContextType, Partial<MutationCashDepositSendArgs>>;
  cashWithdrawalSend?: Resolver<ResolversTypes['Send'], ParentType, ContextType, Partial<MutationCashWithdrawalSendArgs>>;
  stockDepositSend?: Resolver<ResolversTypes['Send'], ParentType, ContextType, Partial<MutationStockDepositSendArgs>>;
  stockWithdrawalSend?: Resolver<ResolversTypes['Send'], ParentType, ContextType, Partial<MutationStockWithdrawalSendArgs>>;
  stockDepositCalldata?: Resolver<ResolversTypes['Calldata'], ParentType, ContextType, Partial<MutationStockDepositCalldataArgs>>;
  recordStockDepositTransaction?: Resolver<ResolversTypes['Mapping'], ParentType, ContextType, Partial<MutationRecordStockDepositTransactionArgs>>;
  stockWithdrawalCalldata?: Resolver<ResolversTypes['Calldata'], ParentType, ContextType, Partial<MutationStockWithdrawalCalldataArgs>>;
  recordStockWithdrawalTransaction?: Resolver<ResolversTypes['Mapping'], ParentType, ContextType, Partial<MutationRecordStockWithdrawalTransactionArgs>>;
  webhookCreate?: Resolver<ResolversTypes['NewWebhook'], ParentType, ContextType, Partial<MutationWebhookCreateArgs>>;
  webhookDelete?: Resolver<ResolversTypes['Webhook'], ParentType, ContextType, Partial<MutationWebhookDeleteArgs>>;
  webhookTest?: Resolver<ResolversTypes['WebhookTest'], ParentType, ContextType, Partial<MutationWebhookTestArgs>>;
  webhookRedeliver?: Resolver<ResolversTypes['WebhookDelivery'], ParentType, ContextType, Partial<MutationWebhookRedeliverArgs>>;
  webhookRotate?: Resolver<ResolversTypes['NewWebhook'], ParentType, ContextType, Partial<MutationWebhookRotateArgs>>;
  webhookEnable?: Resolver<ResolversTypes['Webhook'], ParentType, ContextType, Partial<MutationWebhookEnableArgs>>;
};

export type CashCalldataResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CashCalldata'] = ResolversParentTypes['CashCalldata']> = {
  toAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  callData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  method?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  args?: Resolver<ResolversTypes['CallArguments'], ParentType, ContextType>;
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  preflight?: Resolver<Maybe<ResolversTypes['Preflight']>, ParentType, ContextType>;
  forecast?: Resolver<ResolversTypes['CashForecast'], ParentType, ContextType>;
};

export type CashForecastResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CashForecast'] = ResolversParentTypes['CashForecast']> = {
  isInstant?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  creditAmount?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  feeAmount?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type DashboardResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Dashboard'] = ResolversParentTypes['Dashboard']> = {
  problems?: Resolver<ReadonlyArray<ResolversTypes['Problem']>, ParentType, ContextType>;
  failingWebhooks?: Resolver<ResolversTypes['FailingWebhooks'], ParentType, ContextType>;
  orderSeries?: Resolver<ResolversTypes['OrderSeries'], ParentType, ContextType, Partial<DashboardOrderSeriesArgs>>;
  sendSeries?: Resolver<ResolversTypes['SendSeries'], ParentType, ContextType, Partial<DashboardSendSeriesArgs>>;
  chainSeries?: Resolver<ResolversTypes['ChainSeries'], ParentType, ContextType, Partial<DashboardChainSeriesArgs>>;
  queueSeries?: Resolver<ResolversTypes['QueueSeries'], ParentType, ContextType, Partial<DashboardQueueSeriesArgs>>;
  requestSeries?: Resolver<ResolversTypes['RequestSeries'], ParentType, ContextType, Partial<DashboardRequestSeriesArgs>>;
  orderTotals?: Resolver<ResolversTypes['OrderTotals'], ParentType, ContextType, Partial<DashboardOrderTotalsArgs>>;
  endpointTotals?: Resolver<ReadonlyArray<ResolversTypes['EndpointTotal']>, ParentType, ContextType, Partial<DashboardEndpointTotalsArgs>>;
  refusalTotals?: Resolver<ReadonlyArray<ResolversTypes['RefusalTotal']>, ParentType, ContextType, Partial<DashboardRefusalTotalsArgs>>;
  requests?: Resolver<ResolversTypes['KeptRequestConnection'], ParentType, ContextType, Partial<DashboardRequestsArgs>>;
  request?: Resolver<Maybe<ResolversTypes['KeptRequest']>, ParentType, ContextType, Partial<DashboardRequestArgs>>;
  keyUsage?: Resolver<ResolversTypes['KeyUsage'], ParentType, ContextType, Partial<DashboardKeyUsageArgs>>;
  search?: Resolver<ReadonlyArray<ResolversTypes['SearchHit']>, ParentType, ContextType, Partial<DashboardSearchArgs>>;
  timeline?: Resolver<Maybe<ResolversTypes['Timeline']>, ParentType, ContextType, Partial<DashboardTimelineArgs>>;
  me?: Resolver<ResolversTypes['DashboardUser'], ParentType, ContextType>;
  auditEntries?: Resolver<ResolversTypes['AuditEntryConnection'], ParentType, ContextType, Partial<DashboardAuditEntriesArgs>>;
  webhooks?: Resolver<ResolversTypes['WebhookConnection'], ParentType, ContextType, Partial<DashboardWebhooksArgs>>;
  webhook?: Resolver<Maybe<ResolversTypes['DashboardWebhook']>, ParentType, ContextType, Partial<DashboardWebhookArgs>>;
  deliveries?: Resolver<ResolversTypes['DeliveryConnection'], ParentType, ContextType, Partial<DashboardDeliveriesArgs>>;
  delivery?: Resolver<Maybe<ResolversTypes['WebhookDeliveryState']>, ParentType, ContextType, Partial<DashboardDeliveryArgs>>;
  environment?: Resolver<Maybe<ResolversTypes['Environment']>, ParentType, ContextType>;
  chains?: Resolver<ReadonlyArray<ResolversTypes['ChainState']>, ParentType, ContextType, Partial<DashboardChainsArgs>>;
  keys?: Resolver<ResolversTypes['KeyConnection'], ParentType, ContextType, Partial<DashboardKeysArgs>>;
  key?: Resolver<Maybe<ResolversTypes['Key']>, ParentType, ContextType, Partial<DashboardKeyArgs>>;
  orders?: Resolver<ResolversTypes['OwnedOrderConnection'], ParentType, ContextType, Partial<DashboardOrdersArgs>>;
  operations?: Resolver<ResolversTypes['OwnedOperationConnection'], ParentType, ContextType, Partial<DashboardOperationsArgs>>;
  delegations?: Resolver<ReadonlyArray<ResolversTypes['UserDelegation']>, ParentType, ContextType, Partial<DashboardDelegationsArgs>>;
  balances?: Resolver<ResolversTypes['LedgerConnection'], ParentType, ContextType, Partial<DashboardBalancesArgs>>;
  sendRequests?: Resolver<ResolversTypes['SendRequestConnection'], ParentType, ContextType, Partial<DashboardSendRequestsArgs>>;
  events?: Resolver<ResolversTypes['OwnedEventConnection'], ParentType, ContextType, Partial<DashboardEventsArgs>>;
};

export type ProblemResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Problem'] = ResolversParentTypes['Problem']> = {
  severity?: Resolver<ResolversTypes['ProblemSeverity'], ParentType, ContextType>;
  cause?: Resolver<ResolversTypes['ProblemCause'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  chainId?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  wallet?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  since?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
};

export type OrderSeriesResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OrderSeries'] = ResolversParentTypes['OrderSeries']> = {
  stepSeconds?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  points?: Resolver<ReadonlyArray<ResolversTypes['OrderPoint']>, ParentType, ContextType>;
};

export type OrderPointResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OrderPoint'] = ResolversParentTypes['OrderPoint']> = {
  at?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  byStatus?: Resolver<ReadonlyArray<ResolversTypes['StatusCount']>, ParentType, ContextType>;
  volume?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type StatusCountResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['StatusCount'] = ResolversParentTypes['StatusCount']> = {
  status?: Resolver<ResolversTypes['OrderStatus'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
};

export type SendSeriesResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SendSeries'] = ResolversParentTypes['SendSeries']> = {
  stepSeconds?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  points?: Resolver<ReadonlyArray<ResolversTypes['SendPoint']>, ParentType, ContextType>;
  failures?: Resolver<ReadonlyArray<ResolversTypes['SendFailure']>, ParentType, ContextType>;
};

export type SendPointResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SendPoint'] = ResolversParentTypes['SendPoint']> = {
  at?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  accepted?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  final?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  failed?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  canceled?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
};

export type SendFailureResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SendFailure'] = ResolversParentTypes['SendFailure']> = {
  errCode?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  lastAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type ChainSeriesResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ChainSeries'] = ResolversParentTypes['ChainSeries']> = {
  stepSeconds?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  lastAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  points?: Resolver<ReadonlyArray<ResolversTypes['ChainPoint']>, ParentType, ContextType>;
};

export type ChainPointResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ChainPoint'] = ResolversParentTypes['ChainPoint']> = {
  at?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  lagSeconds?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  lagBlocks?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
};

export type QueueSeriesResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['QueueSeries'] = ResolversParentTypes['QueueSeries']> = {
  stepSeconds?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  lastAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  points?: Resolver<ReadonlyArray<ResolversTypes['QueuePoint']>, ParentType, ContextType>;
};

export type QueuePointResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['QueuePoint'] = ResolversParentTypes['QueuePoint']> = {
  at?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  depth?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  oldestSeconds?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  balanceWei?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type RequestSeriesResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['RequestSeries'] = ResolversParentTypes['RequestSeries']> = {
  stepSeconds?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  points?: Resolver<ReadonlyArray<ResolversTypes['RequestPoint']>, ParentType, ContextType>;
};

export type RequestPointResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['RequestPoint'] = ResolversParentTypes['RequestPoint']> = {
  at?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  requests?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  clientErrors?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  serverErrors?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  p50Ms?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  p99Ms?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type FailingWebhooksResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['FailingWebhooks'] = ResolversParentTypes['FailingWebhooks']> = {
  count?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  since?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
};

export type OrderTotalsResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OrderTotals'] = ResolversParentTypes['OrderTotals']> = {
  byKey?: Resolver<ReadonlyArray<ResolversTypes['OrderTotal']>, ParentType, ContextType>;
  bySymbol?: Resolver<ReadonlyArray<ResolversTypes['OrderTotal']>, ParentType, ContextType>;
  byChain?: Resolver<ReadonlyArray<ResolversTypes['OrderTotal']>, ParentType, ContextType>;
};

export type OrderTotalResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OrderTotal'] = ResolversParentTypes['OrderTotal']> = {
  key?: Resolver<Maybe<ResolversTypes['Key']>, ParentType, ContextType>;
  symbol?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  chainId?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  filled?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  volume?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  secondsToFill?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  slippageBps?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type EndpointTotalResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['EndpointTotal'] = ResolversParentTypes['EndpointTotal']> = {
  endpoint?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  requests?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  clientErrors?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  serverErrors?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  p50Ms?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  p99Ms?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type RefusalTotalResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['RefusalTotal'] = ResolversParentTypes['RefusalTotal']> = {
  key?: Resolver<ResolversTypes['Key'], ParentType, ContextType>;
  errCode?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  lastAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type KeyUsageResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['KeyUsage'] = ResolversParentTypes['KeyUsage']> = {
  windowSeconds?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  reads?: Resolver<ResolversTypes['UsedLimit'], ParentType, ContextType>;
  writes?: Resolver<ResolversTypes['UsedLimit'], ParentType, ContextType>;
  inFlight?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  spent?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  routes?: Resolver<ReadonlyArray<ResolversTypes['RouteUsage']>, ParentType, ContextType>;
  streams?: Resolver<ReadonlyArray<ResolversTypes['OpenStream']>, ParentType, ContextType>;
};

export type OpenStreamResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OpenStream'] = ResolversParentTypes['OpenStream']> = {
  streamId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['StreamKind'], ParentType, ContextType>;
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  filter?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
  openedAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  sentAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  isBehind?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type UsedLimitResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['UsedLimit'] = ResolversParentTypes['UsedLimit']> = {
  limit?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  used?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
};

export type RouteUsageResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['RouteUsage'] = ResolversParentTypes['RouteUsage']> = {
  method?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  route?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  written?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  refused?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  lastAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  lastErrCode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type KeptRequestConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['KeptRequestConnection'] = ResolversParentTypes['KeptRequestConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['KeptRequestEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
};

export type KeptRequestEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['KeptRequestEdge'] = ResolversParentTypes['KeptRequestEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['KeptRequest'], ParentType, ContextType>;
};

export type KeptRequestResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['KeptRequest'] = ResolversParentTypes['KeptRequest']> = {
  uuid?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  key?: Resolver<ResolversTypes['Key'], ParentType, ContextType>;
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  method?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  route?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  errCode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  field?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  revert?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  durationMs?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  requestId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
};

export type SearchHitResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SearchHit'] = ResolversParentTypes['SearchHit']> = {
  kind?: Resolver<ResolversTypes['SearchKind'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  chainId?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  productType?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type TimelineResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Timeline'] = ResolversParentTypes['Timeline']> = {
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['TimelineKind'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  userAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  indexedBlock?: Resolver<Maybe<ResolversTypes['BlockNumber']>, ParentType, ContextType>;
  steps?: Resolver<ReadonlyArray<ResolversTypes['TimelineStep']>, ParentType, ContextType>;
  next?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  stalled?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  related?: Resolver<ReadonlyArray<ResolversTypes['SearchHit']>, ParentType, ContextType>;
};

export type TimelineStepResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TimelineStep'] = ResolversParentTypes['TimelineStep']> = {
  at?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['TimelineStepKind'], ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['TimelineStepState'], ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['BlockNumber']>, ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  explorerUrl?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  detail?: Resolver<ReadonlyArray<ResolversTypes['TimelineDetail']>, ParentType, ContextType>;
};

export type TimelineDetailResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TimelineDetail'] = ResolversParentTypes['TimelineDetail']> = {
  label?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ChainStateResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ChainState'] = ResolversParentTypes['ChainState']> = {
  explorerUrl?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  products?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  confirmations?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  indexedBlock?: Resolver<Maybe<ResolversTypes['BlockNumber']>, ParentType, ContextType>;
  indexedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  lagSeconds?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  headBlock?: Resolver<Maybe<ResolversTypes['BlockNumber']>, ParentType, ContextType>;
  headAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  lagBlocks?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  behindSeconds?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  blockSeconds?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  sendingHalted?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  sendingHaltedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  sendingHaltReason?: Resolver<Maybe<ResolversTypes['Text']>, ParentType, ContextType>;
  sendQueues?: Resolver<ReadonlyArray<ResolversTypes['SendQueue']>, ParentType, ContextType>;
};

export type DashboardUserResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DashboardUser'] = ResolversParentTypes['DashboardUser']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  role?: Resolver<ResolversTypes['DashboardRole'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
};

export type AuditEntryConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['AuditEntryConnection'] = ResolversParentTypes['AuditEntryConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['AuditEntryEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
};

export type AuditEntryEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['AuditEntryEdge'] = ResolversParentTypes['AuditEntryEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['AuditEntry'], ParentType, ContextType>;
};

export type AuditEntryResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['AuditEntry'] = ResolversParentTypes['AuditEntry']> = {
  auditId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  actor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  login?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  requestedBy?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  action?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  subject?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  detail?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type WebhookConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['WebhookConnection'] = ResolversParentTypes['WebhookConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['WebhookEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
};

export type WebhookEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['WebhookEdge'] = ResolversParentTypes['WebhookEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['DashboardWebhook'], ParentType, ContextType>;
};

export type DashboardWebhookResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DashboardWebhook'] = ResolversParentTypes['DashboardWebhook']> = {
  webhookId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  key?: Resolver<ResolversTypes['Key'], ParentType, ContextType>;
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  host?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  types?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  disabledReason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  disabledAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  failingSince?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type DeliveryConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DeliveryConnection'] = ResolversParentTypes['DeliveryConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['DeliveryEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
};

export type DeliveryEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DeliveryEdge'] = ResolversParentTypes['DeliveryEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['WebhookDeliveryState'], ParentType, ContextType>;
};

export type WebhookDeliveryStateResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['WebhookDeliveryState'] = ResolversParentTypes['WebhookDeliveryState']> = {
  deliveryId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  webhook?: Resolver<ResolversTypes['DashboardWebhook'], ParentType, ContextType>;
  eventId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  eventType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  sequence?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  eventAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  attempts?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  nextAttemptAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  lastAttemptAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  lastStatusCode?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  lastError?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lastDurationMs?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  endedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
};

export type EnvironmentResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Environment'] = ResolversParentTypes['Environment']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  colour?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ChainBlockResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ChainBlock'] = ResolversParentTypes['ChainBlock']> = {
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  number?: Resolver<ResolversTypes['BlockNumber'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type KeyConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['KeyConnection'] = ResolversParentTypes['KeyConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['KeyEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
};

export type KeyEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['KeyEdge'] = ResolversParentTypes['KeyEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Key'], ParentType, ContextType>;
};

export type UserDelegationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['UserDelegation'] = ResolversParentTypes['UserDelegation']> = {
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  delegatee?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  wallet?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  updatedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
};

export type KeyResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Key'] = ResolversParentTypes['Key']> = {
  keyId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  apiKey?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  access?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  userAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  revokedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  scopes?: Resolver<ReadonlyArray<ResolversTypes['KeyScope']>, ParentType, ContextType>;
  ips?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  policy?: Resolver<Maybe<ResolversTypes['KeyPolicy']>, ParentType, ContextType>;
};

export type KeyScopeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['KeyScope'] = ResolversParentTypes['KeyScope']> = {
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type KeyPolicyResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['KeyPolicy'] = ResolversParentTypes['KeyPolicy']> = {
  dailyNotionalCap?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  allowedSymbols?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  allowedOperations?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  killed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type OwnedOrderConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OwnedOrderConnection'] = ResolversParentTypes['OwnedOrderConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['OwnedOrderEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  indexedBlocks?: Resolver<ReadonlyArray<ResolversTypes['ChainBlock']>, ParentType, ContextType>;
};

export type OwnedOrderEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OwnedOrderEdge'] = ResolversParentTypes['OwnedOrderEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['OwnedOrder'], ParentType, ContextType>;
};

export type OwnedOrderResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OwnedOrder'] = ResolversParentTypes['OwnedOrder']> = {
  order?: Resolver<ResolversTypes['Order'], ParentType, ContextType>;
  key?: Resolver<ResolversTypes['Key'], ParentType, ContextType>;
  sendRequest?: Resolver<Maybe<ResolversTypes['SendRequest']>, ParentType, ContextType>;
};

export type OwnedOperationConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OwnedOperationConnection'] = ResolversParentTypes['OwnedOperationConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['OwnedOperationEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  indexedBlocks?: Resolver<ReadonlyArray<ResolversTypes['ChainBlock']>, ParentType, ContextType>;
};

export type OwnedOperationEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OwnedOperationEdge'] = ResolversParentTypes['OwnedOperationEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['OwnedOperation'], ParentType, ContextType>;
};

export type OwnedOperationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OwnedOperation'] = ResolversParentTypes['OwnedOperation']> = {
  kind?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  operation?: Resolver<ResolversTypes['OperationDetail'], ParentType, ContextType>;
  key?: Resolver<ResolversTypes['Key'], ParentType, ContextType>;
  sendRequest?: Resolver<Maybe<ResolversTypes['SendRequest']>, ParentType, ContextType>;
};

export type LedgerConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['LedgerConnection'] = ResolversParentTypes['LedgerConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['LedgerEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  indexedBlocks?: Resolver<ReadonlyArray<ResolversTypes['ChainBlock']>, ParentType, ContextType>;
};

export type LedgerEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['LedgerEdge'] = ResolversParentTypes['LedgerEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Ledger'], ParentType, ContextType>;
};

export type LedgerResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Ledger'] = ResolversParentTypes['Ledger']> = {
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  userAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  mUsdBalance?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  mUsdLocked?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  stocks?: Resolver<ReadonlyArray<ResolversTypes['LedgerStock']>, ParentType, ContextType>;
  keys?: Resolver<ReadonlyArray<ResolversTypes['Key']>, ParentType, ContextType>;
};

export type LedgerStockResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['LedgerStock'] = ResolversParentTypes['LedgerStock']> = {
  stockAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  symbol?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  exchangeBalance?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  exchangeLocked?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  costBasis?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  realizedPnl?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type SendRequestConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SendRequestConnection'] = ResolversParentTypes['SendRequestConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['SendRequestEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
};

export type SendRequestEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SendRequestEdge'] = ResolversParentTypes['SendRequestEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['SendRequest'], ParentType, ContextType>;
};

export type SendRequestResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SendRequest'] = ResolversParentTypes['SendRequest']> = {
  requestId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  key?: Resolver<ResolversTypes['Key'], ParentType, ContextType>;
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  operation?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  userAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  wallet?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  toAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  symbol?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  notional?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  clientOrderId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  gasLimit?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  deadline?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  state?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  final?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nonce?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  minedBlock?: Resolver<Maybe<ResolversTypes['BlockNumber']>, ParentType, ContextType>;
  errCode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  revert?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  fillReason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  acceptedAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  signedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  broadcastAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  minedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  finalAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  attempts?: Resolver<ReadonlyArray<ResolversTypes['SendAttempt']>, ParentType, ContextType>;
};

export type SendAttemptResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SendAttempt'] = ResolversParentTypes['SendAttempt']> = {
  nonce?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  gasLimit?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  maxFeePerGasWei?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  maxPriorityFeeWei?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  broadcasts?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  taken?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  answer?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  lastBroadcastAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
};

export type OwnedEventConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OwnedEventConnection'] = ResolversParentTypes['OwnedEventConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['OwnedEventEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
};

export type OwnedEventEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OwnedEventEdge'] = ResolversParentTypes['OwnedEventEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['OwnedEvent'], ParentType, ContextType>;
};

export type OwnedEventResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OwnedEvent'] = ResolversParentTypes['OwnedEvent']> = {
  event?: Resolver<ResolversTypes['Event'], ParentType, ContextType>;
  key?: Resolver<ResolversTypes['Key'], ParentType, ContextType>;
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type EventPageResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['EventPage'] = ResolversParentTypes['EventPage']> = {
  rows?: Resolver<ReadonlyArray<ResolversTypes['Event']>, ParentType, ContextType>;
  nextCursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type EventResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Event'] = ResolversParentTypes['Event']> = {
  eventId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  sequence?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['EventType'], ParentType, ContextType>;
  resource?: Resolver<ResolversTypes['EventResource'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['BlockNumber']>, ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  retracts?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  data?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
};

export type RotatedKeyResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['RotatedKey'] = ResolversParentTypes['RotatedKey']> = {
  apiKey?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  apiSecret?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  previousSecretUntil?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type CallingKeyResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CallingKey'] = ResolversParentTypes['CallingKey']> = {
  apiKey?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  access?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  scopes?: Resolver<ReadonlyArray<ResolversTypes['KeyScope']>, ParentType, ContextType>;
  userAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  previousSecretUntil?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  limits?: Resolver<ResolversTypes['KeyLimits'], ParentType, ContextType>;
  policy?: Resolver<ResolversTypes['CallingKeyPolicy'], ParentType, ContextType>;
  cancelAfter?: Resolver<Maybe<ResolversTypes['CancelAfter']>, ParentType, ContextType>;
};

export type CancelAfterResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CancelAfter'] = ResolversParentTypes['CancelAfter']> = {
  seconds?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  cancelAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  firedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  requested?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  refused?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  errCode?: Resolver<Maybe<ResolversTypes['ErrCode']>, ParentType, ContextType>;
};

export type KeyLimitsResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['KeyLimits'] = ResolversParentTypes['KeyLimits']> = {
  windowSeconds?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  reads?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  writes?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  inFlight?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
};

export type CallingKeyPolicyResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CallingKeyPolicy'] = ResolversParentTypes['CallingKeyPolicy']> = {
  dailyNotionalCap?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  remaining?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  allowedSymbols?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  allowedOperations?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  killed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type ClockResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Clock'] = ResolversParentTypes['Clock']> = {
  timestamp?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  isOpen?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  session?: Resolver<ResolversTypes['Session'], ParentType, ContextType>;
  nextOpenAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  nextCloseAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type TradingDayResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TradingDay'] = ResolversParentTypes['TradingDay']> = {
  date?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  overnightOpenAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  preOpenAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  openAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  closeAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  postCloseAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  isEarlyClose?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type PriceBarResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['PriceBar'] = ResolversParentTypes['PriceBar']> = {
  timestamp?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  open?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  high?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  low?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  close?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  volume?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type CorporateActionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CorporateAction'] = ResolversParentTypes['CorporateAction']> = {
  actionId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  symbol?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['ActionType'], ParentType, ContextType>;
  subType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  declarationDate?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  exDate?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  recordDate?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  payableDate?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  cash?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  oldRate?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  newRate?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['ActionStatus'], ParentType, ContextType>;
  multiplierBefore?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  multiplierAfter?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
};

export type SymbolResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Symbol'] = ResolversParentTypes['Symbol']> = {
  symbol?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  contractAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  contractSymbol?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  contractName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  decimals?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  tradable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  fractionable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  overnightTradable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  price?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  change24H?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  change24HPercent?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  volume24H?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  logoUrl?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  pdfUrl?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lastUpdateTimestamp?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  minNotional?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  quantityStep?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  priceStep?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type PriceResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Price'] = ResolversParentTypes['Price']> = {
  basicInfo?: Resolver<ResolversTypes['Quote'], ParentType, ContextType>;
  onChain?: Resolver<Maybe<ResolversTypes['TokenContext']>, ParentType, ContextType>;
};

export type ListedPriceResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ListedPrice'] = ResolversParentTypes['ListedPrice']> = {
  symbol?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  basicInfo?: Resolver<Maybe<ResolversTypes['Quote']>, ParentType, ContextType>;
  onChain?: Resolver<ResolversTypes['TokenPrice'], ParentType, ContextType>;
};

export type TokenPriceResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TokenPrice'] = ResolversParentTypes['TokenPrice']> = {
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  contractAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  multiplier?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  tradable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  price?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  bid?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  ask?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
};

export type QuoteResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Quote'] = ResolversParentTypes['Quote']> = {
  symbol?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  price?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  bid?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  ask?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  bidSize?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  askSize?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  open?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  high?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  low?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  previousClose?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  volume?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  change24H?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  change24HPercent?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  session?: Resolver<ResolversTypes['Session'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  stale?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  source?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type TokenContextResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TokenContext'] = ResolversParentTypes['TokenContext']> = {
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  contractAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  contractSymbol?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  contractName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  decimals?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  totalSupply?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  multiplier?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  tradable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  price?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  bid?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  ask?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
};

export type DelegationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Delegation'] = ResolversParentTypes['Delegation']> = {
  status?: Resolver<ResolversTypes['DelegationStatus'], ParentType, ContextType>;
  delegatee?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  userAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  nonce?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
};

export type DelegationPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DelegationPayload'] = ResolversParentTypes['DelegationPayload']> = {
  delegatee?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  signPayload?: Resolver<ResolversTypes['TypedData'], ParentType, ContextType>;
  typedData?: Resolver<ResolversTypes['WalletTypedData'], ParentType, ContextType>;
  nonce?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  deadline?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type TypedDataResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TypedData'] = ResolversParentTypes['TypedData']> = {
  domain?: Resolver<ResolversTypes['TypedDataDomain'], ParentType, ContextType>;
  types?: Resolver<ResolversTypes['TypedDataTypes'], ParentType, ContextType>;
  primaryType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['DelegateMessage'], ParentType, ContextType>;
};

export type WalletTypedDataResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['WalletTypedData'] = ResolversParentTypes['WalletTypedData']> = {
  domain?: Resolver<ResolversTypes['TypedDataDomain'], ParentType, ContextType>;
  types?: Resolver<ResolversTypes['WalletTypedDataTypes'], ParentType, ContextType>;
  primaryType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['DelegateMessage'], ParentType, ContextType>;
};

export type WalletTypedDataTypesResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['WalletTypedDataTypes'] = ResolversParentTypes['WalletTypedDataTypes']> = {
  EIP712Domain?: Resolver<ReadonlyArray<ResolversTypes['TypedDataField']>, ParentType, ContextType>;
  Delegate?: Resolver<ReadonlyArray<ResolversTypes['TypedDataField']>, ParentType, ContextType>;
};

export type TypedDataDomainResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TypedDataDomain'] = ResolversParentTypes['TypedDataDomain']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  verifyingContract?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
};

export type TypedDataTypesResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TypedDataTypes'] = ResolversParentTypes['TypedDataTypes']> = {
  Delegate?: Resolver<ReadonlyArray<ResolversTypes['TypedDataField']>, ParentType, ContextType>;
};

export type TypedDataFieldResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TypedDataField'] = ResolversParentTypes['TypedDataField']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type DelegateMessageResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DelegateMessage'] = ResolversParentTypes['DelegateMessage']> = {
  user?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  delegatee?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  nonce?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  deadline?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type DelegationChangeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DelegationChange'] = ResolversParentTypes['DelegationChange']> = {
  status?: Resolver<ResolversTypes['DelegationStatus'], ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
};

export type OperationListResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OperationList'] = ResolversParentTypes['OperationList']> = {
  total?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  totalExact?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  rows?: Resolver<ReadonlyArray<ResolversTypes['OperationDetail']>, ParentType, ContextType>;
  nextCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type OperationDetailResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OperationDetail'] = ResolversParentTypes['OperationDetail']> = {
  operationId?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  mappingStatus?: Resolver<ResolversTypes['MappingStatus'], ParentType, ContextType>;
  operationStatus?: Resolver<ResolversTypes['OperationStatus'], ParentType, ContextType>;
  mapping?: Resolver<ResolversTypes['Mapping'], ParentType, ContextType>;
  depositOperation?: Resolver<Maybe<ResolversTypes['Operation']>, ParentType, ContextType>;
  withdrawalOperation?: Resolver<Maybe<ResolversTypes['Operation']>, ParentType, ContextType>;
};

export type OperationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Operation'] = ResolversParentTypes['Operation']> = {
  operationId?: Resolver<ResolversTypes['Hash'], ParentType, ContextType>;
  userAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  tokenAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  tokenSymbol?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['OperationStatus'], ParentType, ContextType>;
  isInstant?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  amount?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  creditAmount?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  feeAmount?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  createTxHash?: Resolver<ResolversTypes['Hash'], ParentType, ContextType>;
  settleTxHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  failReason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  settledAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
};

export type OrderListResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OrderList'] = ResolversParentTypes['OrderList']> = {
  total?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  totalExact?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  rows?: Resolver<ReadonlyArray<ResolversTypes['Order']>, ParentType, ContextType>;
  nextCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ArmedCancelAfterResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ArmedCancelAfter'] = ResolversParentTypes['ArmedCancelAfter']> = {
  seconds?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  cancelAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  firedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  now?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type CancelCalldataListResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CancelCalldataList'] = ResolversParentTypes['CancelCalldataList']> = {
  rows?: Resolver<ReadonlyArray<ResolversTypes['CancelCalldata']>, ParentType, ContextType>;
  more?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type CancelCalldataResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CancelCalldata'] = ResolversParentTypes['CancelCalldata']> = {
  orderId?: Resolver<ResolversTypes['Hash'], ParentType, ContextType>;
  calldata?: Resolver<ResolversTypes['Calldata'], ParentType, ContextType>;
};

export type OrderResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Order'] = ResolversParentTypes['Order']> = {
  orderId?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['OrderStatus'], ParentType, ContextType>;
  onChainStatus?: Resolver<ResolversTypes['OnChainStatus'], ParentType, ContextType>;
  orderIds?: Resolver<ReadonlyArray<ResolversTypes['Hash']>, ParentType, ContextType>;
  mapping?: Resolver<ResolversTypes['Mapping'], ParentType, ContextType>;
  openOrder?: Resolver<Maybe<ResolversTypes['OpenOrder']>, ParentType, ContextType>;
  historyOrder?: Resolver<Maybe<ResolversTypes['HistoryOrder']>, ParentType, ContextType>;
};

export type OpenOrderResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OpenOrder'] = ResolversParentTypes['OpenOrder']> = {
  orderId?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  userAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  stockAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  symbol?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  side?: Resolver<Maybe<ResolversTypes['Side']>, ParentType, ContextType>;
  type?: Resolver<Maybe<ResolversTypes['OrderType']>, ParentType, ContextType>;
  quantity?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  notional?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  price?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  timeInForce?: Resolver<Maybe<ResolversTypes['TimeInForce']>, ParentType, ContextType>;
  deadline?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['OpenStatus'], ParentType, ContextType>;
  filledQuantity?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  filledNotional?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  averageFillPrice?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  fee?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  fills?: Resolver<ReadonlyArray<ResolversTypes['Fill']>, ParentType, ContextType>;
  lockedAmount?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  lockedAsset?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  cancelTxHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
};

export type HistoryOrderResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['HistoryOrder'] = ResolversParentTypes['HistoryOrder']> = {
  orderId?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  userAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  stockAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  symbol?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  side?: Resolver<Maybe<ResolversTypes['Side']>, ParentType, ContextType>;
  type?: Resolver<Maybe<ResolversTypes['OrderType']>, ParentType, ContextType>;
  quantity?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  notional?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  price?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  timeInForce?: Resolver<Maybe<ResolversTypes['TimeInForce']>, ParentType, ContextType>;
  deadline?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['EndedStatus'], ParentType, ContextType>;
  filledQuantity?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  filledNotional?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  averageFillPrice?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  lockedAmount?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  lockedAsset?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  cancelTxHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  fee?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  fills?: Resolver<ReadonlyArray<ResolversTypes['Fill']>, ParentType, ContextType>;
  settleTxHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  settledAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  failReason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type FillResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Fill'] = ResolversParentTypes['Fill']> = {
  quantity?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  price?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  fee?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  txHash?: Resolver<ResolversTypes['Hash'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type StatementResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Statement'] = ResolversParentTypes['Statement']> = {
  userAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  from?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  to?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  opening?: Resolver<Maybe<ReadonlyArray<ResolversTypes['StatementBalance']>>, ParentType, ContextType>;
  closing?: Resolver<Maybe<ReadonlyArray<ResolversTypes['StatementBalance']>>, ParentType, ContextType>;
  rows?: Resolver<ReadonlyArray<ResolversTypes['StatementRow']>, ParentType, ContextType>;
  nextCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  csv?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type StatementBalanceResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['StatementBalance'] = ResolversParentTypes['StatementBalance']> = {
  asset?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  stockAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  available?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  locked?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type StatementRowResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['StatementRow'] = ResolversParentTypes['StatementRow']> = {
  activityId?: Resolver<ResolversTypes['Hash'], ParentType, ContextType>;
  asset?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  stockAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['ActivityKind'], ParentType, ContextType>;
  delta?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  balanceAfter?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  lockedDelta?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  distribution?: Resolver<Maybe<ResolversTypes['Distribution']>, ParentType, ContextType>;
  fill?: Resolver<Maybe<ResolversTypes['StatementFill']>, ParentType, ContextType>;
  fee?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  orderId?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  operationId?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  txHash?: Resolver<ResolversTypes['Hash'], ParentType, ContextType>;
  blockNumber?: Resolver<ResolversTypes['BlockNumber'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type DistributionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Distribution'] = ResolversParentTypes['Distribution']> = {
  multiplierBefore?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  multiplierAfter?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  tokens?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  sharesBefore?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  sharesAfter?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type StatementFillResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['StatementFill'] = ResolversParentTypes['StatementFill']> = {
  quantity?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  price?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  notional?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type ActivityListResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ActivityList'] = ResolversParentTypes['ActivityList']> = {
  rows?: Resolver<ReadonlyArray<ResolversTypes['Activity']>, ParentType, ContextType>;
  nextCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ActivityResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Activity'] = ResolversParentTypes['Activity']> = {
  activityId?: Resolver<ResolversTypes['Hash'], ParentType, ContextType>;
  asset?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  stockAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['ActivityKind'], ParentType, ContextType>;
  delta?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  balanceAfter?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  lockedDelta?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  distribution?: Resolver<Maybe<ResolversTypes['Distribution']>, ParentType, ContextType>;
  orderId?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  operationId?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  txHash?: Resolver<ResolversTypes['Hash'], ParentType, ContextType>;
  blockNumber?: Resolver<ResolversTypes['BlockNumber'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type ConfigResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Config'] = ResolversParentTypes['Config']> = {
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  contracts?: Resolver<ResolversTypes['Contracts'], ParentType, ContextType>;
  cashierBuffer?: Resolver<ResolversTypes['CashierBuffer'], ParentType, ContextType>;
  exchangeFeeConfig?: Resolver<ResolversTypes['ExchangeFeeConfig'], ParentType, ContextType>;
  cashierTokenConfig?: Resolver<ReadonlyArray<ResolversTypes['CashierToken']>, ParentType, ContextType>;
};

export type ContractsResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Contracts'] = ResolversParentTypes['Contracts']> = {
  stockRouter?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  cashier?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  stock?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  oneClickRouter?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  cashSpender?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  stockSpender?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
};

export type CashierBufferResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CashierBuffer'] = ResolversParentTypes['CashierBuffer']> = {
  creditBuffer?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  creditBufferCapacity?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type ExchangeFeeConfigResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ExchangeFeeConfig'] = ResolversParentTypes['ExchangeFeeConfig']> = {
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  buyFeeBps?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  sellFeeBps?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  minFee?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type CashierTokenResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CashierToken'] = ResolversParentTypes['CashierToken']> = {
  tokenAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  symbol?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  decimals?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  minAmount?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  usdRate?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  depositPaused?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  withdrawPaused?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  withdrawBuffer?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  withdrawBufferCapacity?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  depositFeeBps?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  withdrawFeeBps?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  maxInstantDeposit?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  maxInstantWithdrawal?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type BalanceResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Balance'] = ResolversParentTypes['Balance']> = {
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  mUsdBalance?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  mUsdLocked?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  tokenBalances?: Resolver<ReadonlyArray<ResolversTypes['TokenBalance']>, ParentType, ContextType>;
  blockNumber?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  blockTimestamp?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  walletBlockNumber?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
};

export type TokenBalanceResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TokenBalance'] = ResolversParentTypes['TokenBalance']> = {
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  symbol?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  stockSymbol?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  isStock?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  decimals?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  price?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  walletBalance?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  walletAllowance?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  exchangeBalance?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  exchangeLocked?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
};

export type PositionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Position'] = ResolversParentTypes['Position']> = {
  symbol?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  stockAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  walletBalance?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  exchangeBalance?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  lockedBalance?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  quantity?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  averageEntryPrice?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  costBasis?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  costBasisQuantity?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  marketPrice?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  marketValue?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  stale?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  unrealizedPnl?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  unrealizedPnlPercent?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  realizedPnl?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export interface DecimalScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Decimal'], any> {
  name: 'Decimal';
}

export interface AddressScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Address'], any> {
  name: 'Address';
}

export interface HashScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Hash'], any> {
  name: 'Hash';
}

export interface TextScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Text'], any> {
  name: 'Text';
}

export interface IntegerScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Integer'], any> {
  name: 'Integer';
}

export interface UnixSecondsScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['UnixSeconds'], any> {
  name: 'UnixSeconds';
}

export interface BlockNumberScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['BlockNumber'], any> {
  name: 'BlockNumber';
}

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export interface BytesScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Bytes'], any> {
  name: 'Bytes';
}

export interface CallArgumentsScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['CallArguments'], any> {
  name: 'CallArguments';
}

export interface OrderStatusScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['OrderStatus'], any> {
  name: 'OrderStatus';
}

export interface OperationTypeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['OperationType'], any> {
  name: 'OperationType';
}

export interface ActionTypeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['ActionType'], any> {
  name: 'ActionType';
}

export interface SendOperationScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['SendOperation'], any> {
  name: 'SendOperation';
}

export interface ActivityKindScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['ActivityKind'], any> {
  name: 'ActivityKind';
}

export interface EventTypeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['EventType'], any> {
  name: 'EventType';
}

export interface EventResourceScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['EventResource'], any> {
  name: 'EventResource';
}

export interface ErrCodeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['ErrCode'], any> {
  name: 'ErrCode';
}

export type SendListResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SendList'] = ResolversParentTypes['SendList']> = {
  rows?: Resolver<ReadonlyArray<ResolversTypes['Send']>, ParentType, ContextType>;
  nextCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type SendResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Send'] = ResolversParentTypes['Send']> = {
  requestId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  operation?: Resolver<ResolversTypes['SendOperation'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['SendStatus'], ParentType, ContextType>;
  final?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  errCode?: Resolver<Maybe<ResolversTypes['ErrCode']>, ParentType, ContextType>;
  revert?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  acceptedAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  mapping?: Resolver<Maybe<ResolversTypes['Mapping']>, ParentType, ContextType>;
};

export type CancelSendListResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CancelSendList'] = ResolversParentTypes['CancelSendList']> = {
  rows?: Resolver<ReadonlyArray<ResolversTypes['CancelSend']>, ParentType, ContextType>;
  more?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type CancelSendResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CancelSend'] = ResolversParentTypes['CancelSend']> = {
  orderId?: Resolver<ResolversTypes['Hash'], ParentType, ContextType>;
  send?: Resolver<Maybe<ResolversTypes['Send']>, ParentType, ContextType>;
  errCode?: Resolver<Maybe<ResolversTypes['ErrCode']>, ParentType, ContextType>;
  errMsg?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type SendQueueResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SendQueue'] = ResolversParentTypes['SendQueue']> = {
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  wallet?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  stateReason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  retired?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  undelegatedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  nextNonce?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  chainNonce?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  balanceWei?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  daysLeft?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  observedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  depth?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  oldestSeconds?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  failures?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
};

export type CallResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Call'] = ResolversParentTypes['Call']> = {
  toAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  callData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
};

export type CalldataResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Calldata'] = ResolversParentTypes['Calldata']> = {
  toAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  callData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  method?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  args?: Resolver<ResolversTypes['CallArguments'], ParentType, ContextType>;
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  preflight?: Resolver<Maybe<ResolversTypes['Preflight']>, ParentType, ContextType>;
};

export type PreflightResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Preflight'] = ResolversParentTypes['Preflight']> = {
  ok?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  accepted?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['ErrCode']>, ParentType, ContextType>;
  checks?: Resolver<ReadonlyArray<ResolversTypes['PreflightCheck']>, ParentType, ContextType>;
  gasEstimate?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  revert?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  locked?: Resolver<Maybe<ResolversTypes['AssetAmount']>, ParentType, ContextType>;
  fee?: Resolver<Maybe<ResolversTypes['OrderFee']>, ParentType, ContextType>;
  minimum?: Resolver<Maybe<ResolversTypes['OrderMinimum']>, ParentType, ContextType>;
  estimate?: Resolver<Maybe<ResolversTypes['OrderEstimate']>, ParentType, ContextType>;
  forecast?: Resolver<Maybe<ResolversTypes['CashForecast']>, ParentType, ContextType>;
};

export type AssetAmountResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['AssetAmount'] = ResolversParentTypes['AssetAmount']> = {
  asset?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  assetAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  amount?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type OrderFeeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OrderFee'] = ResolversParentTypes['OrderFee']> = {
  amount?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  bps?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  minimum?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type OrderMinimumResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OrderMinimum'] = ResolversParentTypes['OrderMinimum']> = {
  notional?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  quantity?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  tokenAmount?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
};

export type OrderEstimateResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['OrderEstimate'] = ResolversParentTypes['OrderEstimate']> = {
  price?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  stale?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  receives?: Resolver<ResolversTypes['AssetAmount'], ParentType, ContextType>;
};

export type PreflightCheckResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['PreflightCheck'] = ResolversParentTypes['PreflightCheck']> = {
  check?: Resolver<ResolversTypes['PreflightCheckName'], ParentType, ContextType>;
  ok?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  required?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  actual?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  fix?: Resolver<Maybe<ResolversTypes['Call']>, ParentType, ContextType>;
};

export type MappingResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Mapping'] = ResolversParentTypes['Mapping']> = {
  mappingId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  productType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  operationType?: Resolver<ResolversTypes['OperationType'], ParentType, ContextType>;
  txHash?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  userAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  orderId?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  operationId?: Resolver<Maybe<ResolversTypes['Hash']>, ParentType, ContextType>;
  clientOrderId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  mappingStatus?: Resolver<ResolversTypes['MappingStatus'], ParentType, ContextType>;
  source?: Resolver<ResolversTypes['MappingSource'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
};

export type ServiceStatusResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ServiceStatus'] = ResolversParentTypes['ServiceStatus']> = {
  chains?: Resolver<ReadonlyArray<ResolversTypes['ChainStatus']>, ParentType, ContextType>;
  marketData?: Resolver<ResolversTypes['MarketDataStatus'], ParentType, ContextType>;
  maintenance?: Resolver<ReadonlyArray<ResolversTypes['MaintenanceNotice']>, ParentType, ContextType>;
};

export type ChainStatusResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ChainStatus'] = ResolversParentTypes['ChainStatus']> = {
  chainId?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  health?: Resolver<ResolversTypes['Health'], ParentType, ContextType>;
  indexedBlock?: Resolver<Maybe<ResolversTypes['BlockNumber']>, ParentType, ContextType>;
  indexedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  ageSeconds?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  headBlock?: Resolver<Maybe<ResolversTypes['BlockNumber']>, ParentType, ContextType>;
  sendingHalted?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type MarketDataStatusResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['MarketDataStatus'] = ResolversParentTypes['MarketDataStatus']> = {
  health?: Resolver<ResolversTypes['Health'], ParentType, ContextType>;
  quoteAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  session?: Resolver<Maybe<ResolversTypes['Session']>, ParentType, ContextType>;
};

export type MaintenanceNoticeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['MaintenanceNotice'] = ResolversParentTypes['MaintenanceNotice']> = {
  noticeId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  chainId?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  startsAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  endsAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  canceledAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
};

export type WebhookListResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['WebhookList'] = ResolversParentTypes['WebhookList']> = {
  rows?: Resolver<ReadonlyArray<ResolversTypes['Webhook']>, ParentType, ContextType>;
};

export type WebhookResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Webhook'] = ResolversParentTypes['Webhook']> = {
  webhookId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  url?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  types?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['WebhookStatus'], ParentType, ContextType>;
  disabledReason?: Resolver<Maybe<ResolversTypes['WebhookDisabledReason']>, ParentType, ContextType>;
  disabledAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  failingSince?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  oldestUndeliveredAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  previousSecretUntil?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
};

export type NewWebhookResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['NewWebhook'] = ResolversParentTypes['NewWebhook']> = {
  webhook?: Resolver<ResolversTypes['Webhook'], ParentType, ContextType>;
  secret?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type WebhookDeliveryPageResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['WebhookDeliveryPage'] = ResolversParentTypes['WebhookDeliveryPage']> = {
  rows?: Resolver<ReadonlyArray<ResolversTypes['WebhookDelivery']>, ParentType, ContextType>;
  nextCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type WebhookDeliveryResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['WebhookDelivery'] = ResolversParentTypes['WebhookDelivery']> = {
  deliveryId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  eventId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  sequence?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['EventType'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['UnixSeconds'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['DeliveryStatus'], ParentType, ContextType>;
  attempts?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
  lastAttemptAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  lastStatusCode?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  lastError?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lastDurationMs?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  nextAttemptAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
  endedAt?: Resolver<Maybe<ResolversTypes['UnixSeconds']>, ParentType, ContextType>;
};

export type WebhookTestResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['WebhookTest'] = ResolversParentTypes['WebhookTest']> = {
  delivered?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  statusCode?: Resolver<Maybe<ResolversTypes['Integer']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  durationMs?: Resolver<ResolversTypes['Integer'], ParentType, ContextType>;
};

export type Resolvers<ContextType = RequestContext> = {
  Query?: QueryResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  CashCalldata?: CashCalldataResolvers<ContextType>;
  CashForecast?: CashForecastResolvers<ContextType>;
  Dashboard?: DashboardResolvers<ContextType>;
  Problem?: ProblemResolvers<ContextType>;
  OrderSeries?: OrderSeriesResolvers<ContextType>;
  OrderPoint?: OrderPointResolvers<ContextType>;
  StatusCount?: StatusCountResolvers<ContextType>;
  SendSeries?: SendSeriesResolvers<ContextType>;
  SendPoint?: SendPointResolvers<ContextType>;
  SendFailure?: SendFailureResolvers<ContextType>;
  ChainSeries?: ChainSeriesResolvers<ContextType>;
  ChainPoint?: ChainPointResolvers<ContextType>;
  QueueSeries?: QueueSeriesResolvers<ContextType>;
  QueuePoint?: QueuePointResolvers<ContextType>;
  RequestSeries?: RequestSeriesResolvers<ContextType>;
  RequestPoint?: RequestPointResolvers<ContextType>;
  FailingWebhooks?: FailingWebhooksResolvers<ContextType>;
  OrderTotals?: OrderTotalsResolvers<ContextType>;
  OrderTotal?: OrderTotalResolvers<ContextType>;
  EndpointTotal?: EndpointTotalResolvers<ContextType>;
  RefusalTotal?: RefusalTotalResolvers<ContextType>;
  KeyUsage?: KeyUsageResolvers<ContextType>;
  OpenStream?: OpenStreamResolvers<ContextType>;
  UsedLimit?: UsedLimitResolvers<ContextType>;
  RouteUsage?: RouteUsageResolvers<ContextType>;
  KeptRequestConnection?: KeptRequestConnectionResolvers<ContextType>;
  KeptRequestEdge?: KeptRequestEdgeResolvers<ContextType>;
  KeptRequest?: KeptRequestResolvers<ContextType>;
  SearchHit?: SearchHitResolvers<ContextType>;
  Timeline?: TimelineResolvers<ContextType>;
  TimelineStep?: TimelineStepResolvers<ContextType>;
  TimelineDetail?: TimelineDetailResolvers<ContextType>;
  ChainState?: ChainStateResolvers<ContextType>;
  DashboardUser?: DashboardUserResolvers<ContextType>;
  AuditEntryConnection?: AuditEntryConnectionResolvers<ContextType>;
  AuditEntryEdge?: AuditEntryEdgeResolvers<ContextType>;
  AuditEntry?: AuditEntryResolvers<ContextType>;
  WebhookConnection?: WebhookConnectionResolvers<ContextType>;
  WebhookEdge?: WebhookEdgeResolvers<ContextType>;
  DashboardWebhook?: DashboardWebhookResolvers<ContextType>;
  DeliveryConnection?: DeliveryConnectionResolvers<ContextType>;
  DeliveryEdge?: DeliveryEdgeResolvers<ContextType>;
  WebhookDeliveryState?: WebhookDeliveryStateResolvers<ContextType>;
  Environment?: EnvironmentResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  ChainBlock?: ChainBlockResolvers<ContextType>;
  KeyConnection?: KeyConnectionResolvers<ContextType>;
  KeyEdge?: KeyEdgeResolvers<ContextType>;
  UserDelegation?: UserDelegationResolvers<ContextType>;
  Key?: KeyResolvers<ContextType>;
  KeyScope?: KeyScopeResolvers<ContextType>;
  KeyPolicy?: KeyPolicyResolvers<ContextType>;
  OwnedOrderConnection?: OwnedOrderConnectionResolvers<ContextType>;
  OwnedOrderEdge?: OwnedOrderEdgeResolvers<ContextType>;
  OwnedOrder?: OwnedOrderResolvers<ContextType>;
  OwnedOperationConnection?: OwnedOperationConnectionResolvers<ContextType>;
  OwnedOperationEdge?: OwnedOperationEdgeResolvers<ContextType>;
  OwnedOperation?: OwnedOperationResolvers<ContextType>;
  LedgerConnection?: LedgerConnectionResolvers<ContextType>;
  LedgerEdge?: LedgerEdgeResolvers<ContextType>;
  Ledger?: LedgerResolvers<ContextType>;
  LedgerStock?: LedgerStockResolvers<ContextType>;
  SendRequestConnection?: SendRequestConnectionResolvers<ContextType>;
  SendRequestEdge?: SendRequestEdgeResolvers<ContextType>;
  SendRequest?: SendRequestResolvers<ContextType>;
  SendAttempt?: SendAttemptResolvers<ContextType>;
  OwnedEventConnection?: OwnedEventConnectionResolvers<ContextType>;
  OwnedEventEdge?: OwnedEventEdgeResolvers<ContextType>;
  OwnedEvent?: OwnedEventResolvers<ContextType>;
  EventPage?: EventPageResolvers<ContextType>;
  Event?: EventResolvers<ContextType>;
  RotatedKey?: RotatedKeyResolvers<ContextType>;
  CallingKey?: CallingKeyResolvers<ContextType>;
  CancelAfter?: CancelAfterResolvers<ContextType>;
  KeyLimits?: KeyLimitsResolvers<ContextType>;
  CallingKeyPolicy?: CallingKeyPolicyResolvers<ContextType>;
  Clock?: ClockResolvers<ContextType>;
  TradingDay?: TradingDayResolvers<ContextType>;
  PriceBar?: PriceBarResolvers<ContextType>;
  CorporateAction?: CorporateActionResolvers<ContextType>;
  Symbol?: SymbolResolvers<ContextType>;
  Price?: PriceResolvers<ContextType>;
  ListedPrice?: ListedPriceResolvers<ContextType>;
  TokenPrice?: TokenPriceResolvers<ContextType>;
  Quote?: QuoteResolvers<ContextType>;
  TokenContext?: TokenContextResolvers<ContextType>;
  Delegation?: DelegationResolvers<ContextType>;
  DelegationPayload?: DelegationPayloadResolvers<ContextType>;
  TypedData?: TypedDataResolvers<ContextType>;
  WalletTypedData?: WalletTypedDataResolvers<ContextType>;
  WalletTypedDataTypes?: WalletTypedDataTypesResolvers<ContextType>;
  TypedDataDomain?: TypedDataDomainResolvers<ContextType>;
  TypedDataTypes?: TypedDataTypesResolvers<ContextType>;
  TypedDataField?: TypedDataFieldResolvers<ContextType>;
  DelegateMessage?: DelegateMessageResolvers<ContextType>;
  DelegationChange?: DelegationChangeResolvers<ContextType>;
  OperationList?: OperationListResolvers<ContextType>;
  OperationDetail?: OperationDetailResolvers<ContextType>;
  Operation?: OperationResolvers<ContextType>;
  OrderList?: OrderListResolvers<ContextType>;
  ArmedCancelAfter?: ArmedCancelAfterResolvers<ContextType>;
  CancelCalldataList?: CancelCalldataListResolvers<ContextType>;
  CancelCalldata?: CancelCalldataResolvers<ContextType>;
  Order?: OrderResolvers<ContextType>;
  OpenOrder?: OpenOrderResolvers<ContextType>;
  HistoryOrder?: HistoryOrderResolvers<ContextType>;
  Fill?: FillResolvers<ContextType>;
  Statement?: StatementResolvers<ContextType>;
  StatementBalance?: StatementBalanceResolvers<ContextType>;
  StatementRow?: StatementRowResolvers<ContextType>;
  Distribution?: DistributionResolvers<ContextType>;
  StatementFill?: StatementFillResolvers<ContextType>;
  ActivityList?: ActivityListResolvers<ContextType>;
  Activity?: ActivityResolvers<ContextType>;
  Config?: ConfigResolvers<ContextType>;
  Contracts?: ContractsResolvers<ContextType>;
  CashierBuffer?: CashierBufferResolvers<ContextType>;
  ExchangeFeeConfig?: ExchangeFeeConfigResolvers<ContextType>;
  CashierToken?: CashierTokenResolvers<ContextType>;
  Balance?: BalanceResolvers<ContextType>;
  TokenBalance?: TokenBalanceResolvers<ContextType>;
  Position?: PositionResolvers<ContextType>;
  Decimal?: GraphQLScalarType;
  Address?: GraphQLScalarType;
  Hash?: GraphQLScalarType;
  Text?: GraphQLScalarType;
  Integer?: GraphQLScalarType;
  UnixSeconds?: GraphQLScalarType;
  BlockNumber?: GraphQLScalarType;
  JSON?: GraphQLScalarType;
  Bytes?: GraphQLScalarType;
  CallArguments?: GraphQLScalarType;
  OrderStatus?: GraphQLScalarType;
  OperationType?: GraphQLScalarType;
  ActionType?: GraphQLScalarType;
  SendOperation?: GraphQLScalarType;
  ActivityKind?: GraphQLScalarType;
  EventType?: GraphQLScalarType;
  EventResource?: GraphQLScalarType;
  ErrCode?: GraphQLScalarType;
  SendList?: SendListResolvers<ContextType>;
  Send?: SendResolvers<ContextType>;
  CancelSendList?: CancelSendListResolvers<ContextType>;
  CancelSend?: CancelSendResolvers<ContextType>;
  SendQueue?: SendQueueResolvers<ContextType>;
  Call?: CallResolvers<ContextType>;
  Calldata?: CalldataResolvers<ContextType>;
  Preflight?: PreflightResolvers<ContextType>;
  AssetAmount?: AssetAmountResolvers<ContextType>;
  OrderFee?: OrderFeeResolvers<ContextType>;
  OrderMinimum?: OrderMinimumResolvers<ContextType>;
  OrderEstimate?: OrderEstimateResolvers<ContextType>;
  PreflightCheck?: PreflightCheckResolvers<ContextType>;
  Mapping?: MappingResolvers<ContextType>;
  ServiceStatus?: ServiceStatusResolvers<ContextType>;
  ChainStatus?: ChainStatusResolvers<ContextType>;
  MarketDataStatus?: MarketDataStatusResolvers<ContextType>;
  MaintenanceNotice?: MaintenanceNoticeResolvers<ContextType>;
  WebhookList?: WebhookListResolvers<ContextType>;
  Webhook?: WebhookResolvers<ContextType>;
  NewWebhook?: NewWebhookResolvers<ContextType>;
  WebhookDeliveryPage?: WebhookDeliveryPageResolvers<ContextType>;
  WebhookDelivery?: WebhookDeliveryResolvers<ContextType>;
  WebhookTest?: WebhookTestResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = RequestContext> = {
  operator?: OperatorDirectiveResolver<any, any, ContextType>;
  viewer?: ViewerDirectiveResolver<any, any, ContextType>;
  example?: ExampleDirectiveResolver<any, any, ContextType>;
};
