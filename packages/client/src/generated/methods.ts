// Written by `npm run client:generate` from docs/openapi.json; not to be edited.
import type { ApiCall, ListCall } from "../call.ts";
import type { RequestOptions, SendOptions } from "../options.ts";
import { path, Resource } from "../resource.ts";
import type { Transport } from "../transport.ts";
import type {
  ActivityList,
  Balance,
  Calldata,
  CallingKey,
  CashCalldata,
  CashDepositsCalldataInput,
  CashDepositsListQuery,
  CashDepositsRecordInput,
  CashDepositsSendInput,
  CashWithdrawalsCalldataInput,
  CashWithdrawalsListQuery,
  CashWithdrawalsRecordInput,
  CashWithdrawalsSendInput,
  Config,
  CorporateAction,
  CorporateActionListQuery,
  Delegation,
  DelegationChange,
  DelegationPayload,
  EventPage,
  EventsListQuery,
  KeyRotateInput,
  Mapping,
  NewWebhook,
  OneClickEnableInput,
  OneClickPrepareInput,
  OperationDetail,
  OperationList,
  Order,
  OrderList,
  OrdersCalldataInput,
  OrdersCancelSendInput,
  OrdersListQuery,
  OrdersRecordInput,
  OrdersSendInput,
  OrdersWithDepositCalldataInput,
  OrdersWithDepositSendInput,
  Position,
  Price,
  PriceBar,
  PricesHistoryQuery,
  Quote,
  RotatedKey,
  Send,
  SendList,
  SendsListQuery,
  StockDepositsCalldataInput,
  StockDepositsListQuery,
  StockDepositsRecordInput,
  StockDepositsSendInput,
  StockSymbol,
  StockWithdrawalsCalldataInput,
  StockWithdrawalsListQuery,
  StockWithdrawalsRecordInput,
  StockWithdrawalsSendInput,
  SymbolsListQuery,
  UsersActivitiesQuery,
  UsersBalanceQuery,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookList,
  WebhookTest,
  WebhooksCreateInput,
  WebhooksDeliveriesQuery,
  WebhooksRotateInput,
} from "./types.ts";

export class ConfigMethods extends Resource {
  /** Contracts, buffers, limits and fees of this chain and product. `GET /config` */
  get(options?: RequestOptions): ApiCall<Config> {
    return this.call<Config>("GET", "/config", {}, options);
  }
}

export class SymbolsMethods extends Resource {
  /** The stock tokens of this chain and product that take orders. `GET /symbols` */
  list(query?: SymbolsListQuery, options?: RequestOptions): ApiCall<StockSymbol[]> {
    return this.call<StockSymbol[]>("GET", "/symbols", { query }, options);
  }
}

export class PricesMethods extends Resource {
  /** The off-chain quote of a stock and the token that stands for it. `GET /prices/{symbol}` */
  get(symbol: string, options?: RequestOptions): ApiCall<Price> {
    return this.call<Price>("GET", path`/prices/${symbol}`, {}, options);
  }

  /** Price bars of a stock, oldest first. `GET /prices/{symbol}/history` */
  history(symbol: string, query?: PricesHistoryQuery, options?: RequestOptions): ApiCall<PriceBar[]> {
    return this.call<PriceBar[]>("GET", path`/prices/${symbol}/history`, { query }, options);
  }
}

export class UnderlyingMethods extends Resource {
  /** The quote of the underlying stock. `GET /underlying/{symbol}/price` */
  price(symbol: string, options?: RequestOptions): ApiCall<Quote> {
    return this.call<Quote>("GET", path`/underlying/${symbol}/price`, {}, options);
  }
}

export class CorporateActionMethods extends Resource {
  /** Splits, dividends and spin-offs by ex-date, oldest first; an empty list where there are none. `GET /corporate-action` */
  list(query?: CorporateActionListQuery, options?: RequestOptions): ApiCall<CorporateAction[]> {
    return this.call<CorporateAction[]>("GET", "/corporate-action", { query }, options);
  }
}

export class UsersMethods extends Resource {
  /** What a user holds: mUSD, wallet tokens and exchange stock, all of one block. `GET /users/{userId}/balance` */
  balance(userId: string, query?: UsersBalanceQuery, options?: RequestOptions): ApiCall<Balance> {
    return this.call<Balance>("GET", path`/users/${userId}/balance`, { query }, options);
  }

  /** A user's stock positions with what they cost and what they are worth. `GET /users/{userId}/positions` */
  positions(userId: string, options?: RequestOptions): ApiCall<Position[]> {
    return this.call<Position[]>("GET", path`/users/${userId}/positions`, {}, options);
  }

  /** Every change of what a user has on the exchange, newest first, with the order or operation that caused it. `GET /users/{userId}/activities` */
  activities(userId: string, query?: UsersActivitiesQuery, options?: RequestOptions): ListCall<ActivityList> {
    return this.callPaged<ActivityList>(path`/users/${userId}/activities`, query, options, "cursor");
  }
}

export class OrdersWithDepositMethods extends Resource {
  /** Encodes a deposit and an order as one call of the router. `POST /orders/with-deposit/calldata` */
  calldata(input: OrdersWithDepositCalldataInput, options?: RequestOptions): ApiCall<Calldata> {
    return this.call<Calldata>("POST", "/orders/with-deposit/calldata", { body: input }, options);
  }

  /** Deposits from the bound user's wallet and places an order with it, in one transaction. `POST /orders/with-deposit/send` */
  send(input: OrdersWithDepositSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("POST", "/orders/with-deposit/send", { body: input }, options);
  }
}

export class OrdersMethods extends Resource {
  readonly withDeposit: OrdersWithDepositMethods;

  constructor(transport: Transport) {
    super(transport);
    this.withDeposit = new OrdersWithDepositMethods(transport);
  }

  /** Encodes a market or limit order for the router. `POST /orders/calldata` */
  calldata(input: OrdersCalldataInput, options?: RequestOptions): ApiCall<Calldata> {
    return this.call<Calldata>("POST", "/orders/calldata", { body: input }, options);
  }

  /** Places an order for the bound user through its delegatee. `POST /orders/send` */
  send(input: OrdersSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("POST", "/orders/send", { body: input }, options);
  }

  /** Claims a submitted order transaction for the calling API key. `POST /orders/tx` */
  record(input: OrdersRecordInput, options?: RequestOptions): ApiCall<Mapping> {
    return this.call<Mapping>("POST", "/orders/tx", { body: input }, options);
  }

  /** Orders of the calling API key, newest mapping first. `GET /orders` */
  list(query?: OrdersListQuery, options?: RequestOptions): ListCall<OrderList> {
    return this.callPaged<OrderList>("/orders", query, options, "cursor");
  }

  /** The first order of this API key that a transaction placed. `GET /orders/tx/{txHash}` */
  getByTxHash(txHash: string, options?: RequestOptions): ApiCall<Order> {
    return this.call<Order>("GET", path`/orders/tx/${txHash}`, {}, options);
  }

  /** The order that this API key sent under its own identifier. `GET /orders/client/{clientOrderId}` */
  getByClientOrderId(clientOrderId: string, options?: RequestOptions): ApiCall<Order> {
    return this.call<Order>("GET", path`/orders/client/${clientOrderId}`, {}, options);
  }

  /** An order of this API key, open or settled. `GET /orders/{orderId}` */
  get(orderId: string, options?: RequestOptions): ApiCall<Order> {
    return this.call<Order>("GET", path`/orders/${orderId}`, {}, options);
  }

  /** Encodes the cancel of an open limit order of this API key. `DELETE /orders/{orderId}/calldata` */
  cancelCalldata(orderId: string, options?: RequestOptions): ApiCall<Calldata> {
    return this.call<Calldata>("DELETE", path`/orders/${orderId}/calldata`, {}, options);
  }

  /** Asks the chain to cancel an open limit order of the calling API key. `DELETE /orders/{orderId}/send` */
  cancelSend(orderId: string, input?: OrdersCancelSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("DELETE", path`/orders/${orderId}/send`, { body: input }, options);
  }
}

export class CashDepositsMethods extends Resource {
  /** Encodes a cash deposit for the router. `POST /cash/deposits/calldata` */
  calldata(input: CashDepositsCalldataInput, options?: RequestOptions): ApiCall<CashCalldata> {
    return this.call<CashCalldata>("POST", "/cash/deposits/calldata", { body: input }, options);
  }

  /** Deposits cash from the bound user's wallet. `POST /cash/deposits/send` */
  send(input: CashDepositsSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("POST", "/cash/deposits/send", { body: input }, options);
  }

  /** Claims a submitted cash deposit for the calling API key. `POST /cash/deposits/tx` */
  record(input: CashDepositsRecordInput, options?: RequestOptions): ApiCall<Mapping> {
    return this.call<Mapping>("POST", "/cash/deposits/tx", { body: input }, options);
  }

  /** Cash deposits of the calling API key, newest mapping first. `GET /cash/deposits` */
  list(query?: CashDepositsListQuery, options?: RequestOptions): ListCall<OperationList> {
    return this.callPaged<OperationList>("/cash/deposits", query, options, "cursor");
  }

  /** A cash deposit of the calling API key. `GET /cash/deposits/{operationId}` */
  get(operationId: string, options?: RequestOptions): ApiCall<OperationDetail> {
    return this.call<OperationDetail>("GET", path`/cash/deposits/${operationId}`, {}, options);
  }
}

export class CashWithdrawalsMethods extends Resource {
  /** Encodes a cash withdrawal for the router. `POST /cash/withdrawals/calldata` */
  calldata(input: CashWithdrawalsCalldataInput, options?: RequestOptions): ApiCall<CashCalldata> {
    return this.call<CashCalldata>("POST", "/cash/withdrawals/calldata", { body: input }, options);
  }

  /** Withdraws mUSD of the bound user into a cash token. `POST /cash/withdrawals/send` */
  send(input: CashWithdrawalsSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("POST", "/cash/withdrawals/send", { body: input }, options);
  }

  /** Claims a submitted cash withdrawal for the calling API key. `POST /cash/withdrawals/tx` */
  record(input: CashWithdrawalsRecordInput, options?: RequestOptions): ApiCall<Mapping> {
    return this.call<Mapping>("POST", "/cash/withdrawals/tx", { body: input }, options);
  }

  /** Cash withdrawals of the calling API key, newest mapping first. `GET /cash/withdrawals` */
  list(query?: CashWithdrawalsListQuery, options?: RequestOptions): ListCall<OperationList> {
    return this.callPaged<OperationList>("/cash/withdrawals", query, options, "cursor");
  }

  /** A cash withdrawal of the calling API key. `GET /cash/withdrawals/{operationId}` */
  get(operationId: string, options?: RequestOptions): ApiCall<OperationDetail> {
    return this.call<OperationDetail>("GET", path`/cash/withdrawals/${operationId}`, {}, options);
  }
}

export class CashMethods extends Resource {
  readonly deposits: CashDepositsMethods;
  readonly withdrawals: CashWithdrawalsMethods;

  constructor(transport: Transport) {
    super(transport);
    this.deposits = new CashDepositsMethods(transport);
    this.withdrawals = new CashWithdrawalsMethods(transport);
  }


}

export class StockDepositsMethods extends Resource {
  /** Encodes a stock deposit for the router. `POST /stock/deposits/calldata` */
  calldata(input: StockDepositsCalldataInput, options?: RequestOptions): ApiCall<Calldata> {
    return this.call<Calldata>("POST", "/stock/deposits/calldata", { body: input }, options);
  }

  /** Deposits stock tokens from the bound user's wallet. `POST /stock/deposits/send` */
  send(input: StockDepositsSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("POST", "/stock/deposits/send", { body: input }, options);
  }

  /** Claims a submitted stock deposit for the calling API key. `POST /stock/deposits/tx` */
  record(input: StockDepositsRecordInput, options?: RequestOptions): ApiCall<Mapping> {
    return this.call<Mapping>("POST", "/stock/deposits/tx", { body: input }, options);
  }

  /** Stock deposits of the calling API key, newest mapping first. `GET /stock/deposits` */
  list(query?: StockDepositsListQuery, options?: RequestOptions): ListCall<OperationList> {
    return this.callPaged<OperationList>("/stock/deposits", query, options, "cursor");
  }

  /** A stock deposit of the calling API key. `GET /stock/deposits/{operationId}` */
  get(operationId: string, options?: RequestOptions): ApiCall<OperationDetail> {
    return this.call<OperationDetail>("GET", path`/stock/deposits/${operationId}`, {}, options);
  }
}

export class StockWithdrawalsMethods extends Resource {
  /** Encodes a stock withdrawal for the router. `POST /stock/withdrawals/calldata` */
  calldata(input: StockWithdrawalsCalldataInput, options?: RequestOptions): ApiCall<Calldata> {
    return this.call<Calldata>("POST", "/stock/withdrawals/calldata", { body: input }, options);
  }

  /** Withdraws stock tokens of the bound user to its wallet. `POST /stock/withdrawals/send` */
  send(input: StockWithdrawalsSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("POST", "/stock/withdrawals/send", { body: input }, options);
  }

  /** Claims a submitted stock withdrawal for the calling API key. `POST /stock/withdrawals/tx` */
  record(input: StockWithdrawalsRecordInput, options?: RequestOptions): ApiCall<Mapping> {
    return this.call<Mapping>("POST", "/stock/withdrawals/tx", { body: input }, options);
  }

  /** Stock withdrawals of the calling API key, newest mapping first. `GET /stock/withdrawals` */
  list(query?: StockWithdrawalsListQuery, options?: RequestOptions): ListCall<OperationList> {
    return this.callPaged<OperationList>("/stock/withdrawals", query, options, "cursor");
  }

  /** A stock withdrawal of the calling API key. `GET /stock/withdrawals/{operationId}` */
  get(operationId: string, options?: RequestOptions): ApiCall<OperationDetail> {
    return this.call<OperationDetail>("GET", path`/stock/withdrawals/${operationId}`, {}, options);
  }
}

export class StockMethods extends Resource {
  readonly deposits: StockDepositsMethods;
  readonly withdrawals: StockWithdrawalsMethods;

  constructor(transport: Transport) {
    super(transport);
    this.deposits = new StockDepositsMethods(transport);
    this.withdrawals = new StockWithdrawalsMethods(transport);
  }


}

export class SendsMethods extends Resource {
  /** Requests to send of the calling API key, newest first. `GET /sends` */
  list(query?: SendsListQuery, options?: RequestOptions): ListCall<SendList> {
    return this.callPaged<SendList>("/sends", query, options, "cursor");
  }

  /** A request to send of the calling API key, as it stands now. `GET /sends/{requestId}` */
  get(requestId: string, options?: RequestOptions): ApiCall<Send> {
    return this.call<Send>("GET", path`/sends/${requestId}`, {}, options);
  }
}

export class EventsMethods extends Resource {
  /** Events of the calling API key, oldest first: what happened to its orders, operations, sends, delegations and webhooks. `GET /events` */
  list(query?: EventsListQuery, options?: RequestOptions): ListCall<EventPage> {
    return this.callPaged<EventPage>("/events", query, options, "after");
  }
}

export class WebhooksMethods extends Resource {
  /** Webhooks of the calling API key in this scope, oldest first. `GET /webhooks` */
  list(options?: RequestOptions): ApiCall<WebhookList> {
    return this.call<WebhookList>("GET", "/webhooks", {}, options);
  }

  /** Has events of the calling API key delivered to a URL, from the next one on. `POST /webhooks` */
  create(input: WebhooksCreateInput, options?: RequestOptions): ApiCall<NewWebhook> {
    return this.call<NewWebhook>("POST", "/webhooks", { body: input }, options);
  }

  /** Deletes a webhook and its deliveries. `DELETE /webhooks/{webhookId}` */
  delete(webhookId: string, options?: RequestOptions): ApiCall<Webhook> {
    return this.call<Webhook>("DELETE", path`/webhooks/${webhookId}`, {}, options);
  }

  /** Posts an event of type webhook.test to a webhook now, also while it is disabled, and answers what came of it. `POST /webhooks/{webhookId}/test` */
  test(webhookId: string, options?: RequestOptions): ApiCall<WebhookTest> {
    return this.call<WebhookTest>("POST", path`/webhooks/${webhookId}/test`, {}, options);
  }

  /** Gives a webhook a new secret, which is shown once. `POST /webhooks/{webhookId}/rotate` */
  rotate(webhookId: string, input?: WebhooksRotateInput, options?: RequestOptions): ApiCall<NewWebhook> {
    return this.call<NewWebhook>("POST", path`/webhooks/${webhookId}/rotate`, { body: input }, options);
  }

  /** Enables a webhook that was disabled, and tries all that is pending now. `POST /webhooks/{webhookId}/enable` */
  enable(webhookId: string, options?: RequestOptions): ApiCall<Webhook> {
    return this.call<Webhook>("POST", path`/webhooks/${webhookId}/enable`, {}, options);
  }

  /** Deliveries of a webhook, newest event first. `GET /webhooks/{webhookId}/deliveries` */
  deliveries(webhookId: string, query?: WebhooksDeliveriesQuery, options?: RequestOptions): ListCall<WebhookDeliveryPage> {
    return this.callPaged<WebhookDeliveryPage>(path`/webhooks/${webhookId}/deliveries`, query, options, "cursor");
  }

  /** Delivers an event again, whether it was delivered or is dead; one that is pending is tried at once. `POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver` */
  redeliver(webhookId: string, deliveryId: string, options?: RequestOptions): ApiCall<WebhookDelivery> {
    return this.call<WebhookDelivery>("POST", path`/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`, {}, options);
  }
}

export class OneClickMethods extends Resource {
  /** Tells whether this key may send for the bound user: after an enable of its own, until the user's delegation ends. `GET /1ct/status` */
  status(options?: RequestOptions): ApiCall<Delegation> {
    return this.call<Delegation>("GET", "/1ct/status", {}, options);
  }

  /** Builds the typed data that the bound user signs to name its delegatee. `POST /1ct/prepare` */
  prepare(input: OneClickPrepareInput, options?: RequestOptions): ApiCall<DelegationPayload> {
    return this.call<DelegationPayload>("POST", "/1ct/prepare", { body: input }, options);
  }

  /** Submits the user's signature, an EOA's or a wallet contract's, and waits for its receipt, at most 20 s. `POST /1ct/enable` */
  enable(input: OneClickEnableInput, options?: RequestOptions): ApiCall<DelegationChange> {
    return this.call<DelegationChange>("POST", "/1ct/enable", { body: input }, options);
  }

  /** Blocks /send for the bound user at once, for every key and also what is queued, and ends the delegation on the chain. `POST /1ct/disable` */
  disable(options?: RequestOptions): ApiCall<DelegationChange> {
    return this.call<DelegationChange>("POST", "/1ct/disable", {}, options);
  }
}

export class KeyMethods extends Resource {
  /** Tells what the calling API key is and what it may do: its access, scopes, user, limits and policy. `GET /key` */
  get(options?: RequestOptions): ApiCall<CallingKey> {
    return this.call<CallingKey>("GET", "/key", {}, options);
  }

  /** Gives the calling API key a new secret, which is shown once. `POST /key/rotate` */
  rotate(input?: KeyRotateInput, options?: RequestOptions): ApiCall<RotatedKey> {
    return this.call<RotatedKey>("POST", "/key/rotate", { body: input }, options);
  }
}

/** All groups of operations. */
export class Groups extends Resource {
  readonly config: ConfigMethods;
  readonly symbols: SymbolsMethods;
  readonly prices: PricesMethods;
  readonly underlying: UnderlyingMethods;
  readonly corporateAction: CorporateActionMethods;
  readonly users: UsersMethods;
  readonly orders: OrdersMethods;
  readonly cash: CashMethods;
  readonly stock: StockMethods;
  readonly sends: SendsMethods;
  readonly events: EventsMethods;
  readonly webhooks: WebhooksMethods;
  readonly oneClick: OneClickMethods;
  readonly key: KeyMethods;

  constructor(transport: Transport) {
    super(transport);
    this.config = new ConfigMethods(transport);
    this.symbols = new SymbolsMethods(transport);
    this.prices = new PricesMethods(transport);
    this.underlying = new UnderlyingMethods(transport);
    this.corporateAction = new CorporateActionMethods(transport);
    this.users = new UsersMethods(transport);
    this.orders = new OrdersMethods(transport);
    this.cash = new CashMethods(transport);
    this.stock = new StockMethods(transport);
    this.sends = new SendsMethods(transport);
    this.events = new EventsMethods(transport);
    this.webhooks = new WebhooksMethods(transport);
    this.oneClick = new OneClickMethods(transport);
    this.key = new KeyMethods(transport);
  }

}
