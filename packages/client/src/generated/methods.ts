// Written by `npm run client:generate` from docs/openapi.json; not to be edited.
import type { ApiCall, ListCall } from "../call.ts";
import type { RequestOptions, SendOptions } from "../options.ts";
import { path, Resource } from "../resource.ts";
import type { Transport } from "../transport.ts";
import type {
  ActivityList,
  ArmedCancelAfter,
  Balance,
  CalendarListQuery,
  Calldata,
  CallingKey,
  CancelCalldataList,
  CancelSendList,
  CashCalldata,
  CashDepositsCalldataInput,
  CashDepositsListQuery,
  CashDepositsRecordInput,
  CashDepositsSendInput,
  CashWithdrawalsCalldataInput,
  CashWithdrawalsListQuery,
  CashWithdrawalsRecordInput,
  CashWithdrawalsSendInput,
  Clock,
  Config,
  CorporateAction,
  CorporateActionListQuery,
  Delegation,
  DelegationChange,
  DelegationPayload,
  EventPage,
  EventsListQuery,
  KeyRotateInput,
  ListedPrice,
  Mapping,
  NewWebhook,
  OneClickEnableInput,
  OneClickPrepareInput,
  OperationDetail,
  OperationList,
  Order,
  OrderList,
  OrdersCalldataInput,
  OrdersCancelAfterInput,
  OrdersCancelManyCalldataInput,
  OrdersCancelManySendInput,
  OrdersCancelSendInput,
  OrdersListQuery,
  OrdersPreviewInput,
  OrdersRecordInput,
  OrdersSendInput,
  OrdersWithDepositCalldataInput,
  OrdersWithDepositSendInput,
  Position,
  Preflight,
  Price,
  PriceBar,
  PricesHistoryQuery,
  PricesListQuery,
  Quote,
  RotatedKey,
  Send,
  SendList,
  SendsListQuery,
  ServiceStatus,
  Statement,
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
  TradingDay,
  UsersActivitiesQuery,
  UsersBalanceQuery,
  UsersStatementQuery,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookList,
  WebhookTest,
  WebhooksCreateInput,
  WebhooksDeliveriesQuery,
  WebhooksRotateInput,
} from "./types.ts";

export class KeyMethods extends Resource {
  /** Get the calling key. `GET /key` */
  get(options?: RequestOptions): ApiCall<CallingKey> {
    return this.call<CallingKey>("GET", "/key", {}, options);
  }

  /** Rotate the secret. `POST /key/rotate` */
  rotate(input?: KeyRotateInput, options?: RequestOptions): ApiCall<RotatedKey> {
    return this.call<RotatedKey>("POST", "/key/rotate", { body: input }, options);
  }
}

export class ConfigMethods extends Resource {
  /** Get the configuration. `GET /config` */
  get(options?: RequestOptions): ApiCall<Config> {
    return this.call<Config>("GET", "/config", {}, options);
  }
}

export class SymbolsMethods extends Resource {
  /** List symbols. `GET /symbols` */
  list(query?: SymbolsListQuery, options?: RequestOptions): ApiCall<StockSymbol[]> {
    return this.call<StockSymbol[]>("GET", "/symbols", { query }, options);
  }
}

export class PricesMethods extends Resource {
  /** List prices. `GET /prices` */
  list(query?: PricesListQuery, options?: RequestOptions): ApiCall<ListedPrice[]> {
    return this.call<ListedPrice[]>("GET", "/prices", { query }, options);
  }

  /** Get a price. `GET /prices/{symbol}` */
  get(symbol: string, options?: RequestOptions): ApiCall<Price> {
    return this.call<Price>("GET", path`/prices/${symbol}`, {}, options);
  }

  /** Get price history. `GET /prices/{symbol}/history` */
  history(symbol: string, query?: PricesHistoryQuery, options?: RequestOptions): ApiCall<PriceBar[]> {
    return this.call<PriceBar[]>("GET", path`/prices/${symbol}/history`, { query }, options);
  }
}

export class UnderlyingMethods extends Resource {
  /** Get an underlying price. `GET /underlying/{symbol}/price` */
  price(symbol: string, options?: RequestOptions): ApiCall<Quote> {
    return this.call<Quote>("GET", path`/underlying/${symbol}/price`, {}, options);
  }
}

export class CorporateActionMethods extends Resource {
  /** List corporate actions. `GET /corporate-action` */
  list(query?: CorporateActionListQuery, options?: RequestOptions): ApiCall<CorporateAction[]> {
    return this.call<CorporateAction[]>("GET", "/corporate-action", { query }, options);
  }
}

export class ClockMethods extends Resource {
  /** Get the market clock. `GET /clock` */
  get(options?: RequestOptions): ApiCall<Clock> {
    return this.call<Clock>("GET", "/clock", {}, options);
  }
}

export class CalendarMethods extends Resource {
  /** List trading days. `GET /calendar` */
  list(query?: CalendarListQuery, options?: RequestOptions): ApiCall<TradingDay[]> {
    return this.call<TradingDay[]>("GET", "/calendar", { query }, options);
  }
}

export class OneClickMethods extends Resource {
  /** Get the delegation. `GET /1ct/status` */
  status(options?: RequestOptions): ApiCall<Delegation> {
    return this.call<Delegation>("GET", "/1ct/status", {}, options);
  }

  /** Prepare a delegation. `POST /1ct/prepare` */
  prepare(input: OneClickPrepareInput, options?: RequestOptions): ApiCall<DelegationPayload> {
    return this.call<DelegationPayload>("POST", "/1ct/prepare", { body: input }, options);
  }

  /** Enable one-click sending. `POST /1ct/enable` */
  enable(input: OneClickEnableInput, options?: RequestOptions): ApiCall<DelegationChange> {
    return this.call<DelegationChange>("POST", "/1ct/enable", { body: input }, options);
  }

  /** Disable one-click sending. `POST /1ct/disable` */
  disable(options?: RequestOptions): ApiCall<DelegationChange> {
    return this.call<DelegationChange>("POST", "/1ct/disable", {}, options);
  }
}

export class OrdersWithDepositMethods extends Resource {
  /** Encode a deposit and an order. `POST /orders/with-deposit/calldata` */
  calldata(input: OrdersWithDepositCalldataInput, options?: RequestOptions): ApiCall<Calldata> {
    return this.call<Calldata>("POST", "/orders/with-deposit/calldata", { body: input }, options);
  }

  /** Deposit and place an order. `POST /orders/with-deposit/send` */
  send(input: OrdersWithDepositSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("POST", "/orders/with-deposit/send", { body: input }, options);
  }
}

export class OrdersCancelManyMethods extends Resource {
  /** Encode cancels. `POST /orders/cancel/calldata` */
  calldata(input?: OrdersCancelManyCalldataInput, options?: RequestOptions): ApiCall<CancelCalldataList> {
    return this.call<CancelCalldataList>("POST", "/orders/cancel/calldata", { body: input }, options);
  }

  /** Cancel orders. `POST /orders/cancel/send` */
  send(input?: OrdersCancelManySendInput, options?: SendOptions): ApiCall<CancelSendList> {
    return this.call<CancelSendList>("POST", "/orders/cancel/send", { body: input }, options);
  }
}

export class OrdersMethods extends Resource {
  readonly withDeposit: OrdersWithDepositMethods;
  readonly cancelMany: OrdersCancelManyMethods;

  constructor(transport: Transport) {
    super(transport);
    this.withDeposit = new OrdersWithDepositMethods(transport);
    this.cancelMany = new OrdersCancelManyMethods(transport);
  }

  /** Encode an order. `POST /orders/calldata` */
  calldata(input: OrdersCalldataInput, options?: RequestOptions): ApiCall<Calldata> {
    return this.call<Calldata>("POST", "/orders/calldata", { body: input }, options);
  }

  /** Place an order. `POST /orders/send` */
  send(input: OrdersSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("POST", "/orders/send", { body: input }, options);
  }

  /** Preview an order. `POST /orders/preview` */
  preview(input: OrdersPreviewInput, options?: RequestOptions): ApiCall<Preflight> {
    return this.call<Preflight>("POST", "/orders/preview", { body: input }, options);
  }

  /** Record an order transaction. `POST /orders/tx` */
  record(input: OrdersRecordInput, options?: RequestOptions): ApiCall<Mapping> {
    return this.call<Mapping>("POST", "/orders/tx", { body: input }, options);
  }

  /** List orders. `GET /orders` */
  list(query?: OrdersListQuery, options?: RequestOptions): ListCall<OrderList> {
    return this.callPaged<OrderList>("/orders", query, options, "cursor");
  }

  /** Get an order by transaction. `GET /orders/tx/{txHash}` */
  getByTxHash(txHash: string, options?: RequestOptions): ApiCall<Order> {
    return this.call<Order>("GET", path`/orders/tx/${txHash}`, {}, options);
  }

  /** Get an order by clientOrderId. `GET /orders/client/{clientOrderId}` */
  getByClientOrderId(clientOrderId: string, options?: RequestOptions): ApiCall<Order> {
    return this.call<Order>("GET", path`/orders/client/${clientOrderId}`, {}, options);
  }

  /** Get an order. `GET /orders/{orderId}` */
  get(orderId: string, options?: RequestOptions): ApiCall<Order> {
    return this.call<Order>("GET", path`/orders/${orderId}`, {}, options);
  }

  /** Encode a cancel. `DELETE /orders/{orderId}/calldata` */
  cancelCalldata(orderId: string, options?: RequestOptions): ApiCall<Calldata> {
    return this.call<Calldata>("DELETE", path`/orders/${orderId}/calldata`, {}, options);
  }

  /** Cancel an order. `DELETE /orders/{orderId}/send` */
  cancelSend(orderId: string, input?: OrdersCancelSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("DELETE", path`/orders/${orderId}/send`, { body: input }, options);
  }

  /** Cancel orders after a silence. `POST /orders/cancel-after` */
  cancelAfter(input: OrdersCancelAfterInput, options?: RequestOptions): ApiCall<ArmedCancelAfter> {
    return this.call<ArmedCancelAfter>("POST", "/orders/cancel-after", { body: input }, options);
  }
}

export class CashDepositsMethods extends Resource {
  /** Encode a cash deposit. `POST /cash/deposits/calldata` */
  calldata(input: CashDepositsCalldataInput, options?: RequestOptions): ApiCall<CashCalldata> {
    return this.call<CashCalldata>("POST", "/cash/deposits/calldata", { body: input }, options);
  }

  /** Deposit cash. `POST /cash/deposits/send` */
  send(input: CashDepositsSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("POST", "/cash/deposits/send", { body: input }, options);
  }

  /** Record a cash deposit. `POST /cash/deposits/tx` */
  record(input: CashDepositsRecordInput, options?: RequestOptions): ApiCall<Mapping> {
    return this.call<Mapping>("POST", "/cash/deposits/tx", { body: input }, options);
  }

  /** List cash deposits. `GET /cash/deposits` */
  list(query?: CashDepositsListQuery, options?: RequestOptions): ListCall<OperationList> {
    return this.callPaged<OperationList>("/cash/deposits", query, options, "cursor");
  }

  /** Get a cash deposit. `GET /cash/deposits/{operationId}` */
  get(operationId: string, options?: RequestOptions): ApiCall<OperationDetail> {
    return this.call<OperationDetail>("GET", path`/cash/deposits/${operationId}`, {}, options);
  }
}

export class CashWithdrawalsMethods extends Resource {
  /** Encode a cash withdrawal. `POST /cash/withdrawals/calldata` */
  calldata(input: CashWithdrawalsCalldataInput, options?: RequestOptions): ApiCall<CashCalldata> {
    return this.call<CashCalldata>("POST", "/cash/withdrawals/calldata", { body: input }, options);
  }

  /** Withdraw cash. `POST /cash/withdrawals/send` */
  send(input: CashWithdrawalsSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("POST", "/cash/withdrawals/send", { body: input }, options);
  }

  /** Record a cash withdrawal. `POST /cash/withdrawals/tx` */
  record(input: CashWithdrawalsRecordInput, options?: RequestOptions): ApiCall<Mapping> {
    return this.call<Mapping>("POST", "/cash/withdrawals/tx", { body: input }, options);
  }

  /** List cash withdrawals. `GET /cash/withdrawals` */
  list(query?: CashWithdrawalsListQuery, options?: RequestOptions): ListCall<OperationList> {
    return this.callPaged<OperationList>("/cash/withdrawals", query, options, "cursor");
  }

  /** Get a cash withdrawal. `GET /cash/withdrawals/{operationId}` */
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
  /** Encode a stock deposit. `POST /stock/deposits/calldata` */
  calldata(input: StockDepositsCalldataInput, options?: RequestOptions): ApiCall<Calldata> {
    return this.call<Calldata>("POST", "/stock/deposits/calldata", { body: input }, options);
  }

  /** Deposit stock. `POST /stock/deposits/send` */
  send(input: StockDepositsSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("POST", "/stock/deposits/send", { body: input }, options);
  }

  /** Record a stock deposit. `POST /stock/deposits/tx` */
  record(input: StockDepositsRecordInput, options?: RequestOptions): ApiCall<Mapping> {
    return this.call<Mapping>("POST", "/stock/deposits/tx", { body: input }, options);
  }

  /** List stock deposits. `GET /stock/deposits` */
  list(query?: StockDepositsListQuery, options?: RequestOptions): ListCall<OperationList> {
    return this.callPaged<OperationList>("/stock/deposits", query, options, "cursor");
  }

  /** Get a stock deposit. `GET /stock/deposits/{operationId}` */
  get(operationId: string, options?: RequestOptions): ApiCall<OperationDetail> {
    return this.call<OperationDetail>("GET", path`/stock/deposits/${operationId}`, {}, options);
  }
}

export class StockWithdrawalsMethods extends Resource {
  /** Encode a stock withdrawal. `POST /stock/withdrawals/calldata` */
  calldata(input: StockWithdrawalsCalldataInput, options?: RequestOptions): ApiCall<Calldata> {
    return this.call<Calldata>("POST", "/stock/withdrawals/calldata", { body: input }, options);
  }

  /** Withdraw stock. `POST /stock/withdrawals/send` */
  send(input: StockWithdrawalsSendInput, options?: SendOptions): ApiCall<Send> {
    return this.call<Send>("POST", "/stock/withdrawals/send", { body: input }, options);
  }

  /** Record a stock withdrawal. `POST /stock/withdrawals/tx` */
  record(input: StockWithdrawalsRecordInput, options?: RequestOptions): ApiCall<Mapping> {
    return this.call<Mapping>("POST", "/stock/withdrawals/tx", { body: input }, options);
  }

  /** List stock withdrawals. `GET /stock/withdrawals` */
  list(query?: StockWithdrawalsListQuery, options?: RequestOptions): ListCall<OperationList> {
    return this.callPaged<OperationList>("/stock/withdrawals", query, options, "cursor");
  }

  /** Get a stock withdrawal. `GET /stock/withdrawals/{operationId}` */
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

export class UsersMethods extends Resource {
  /** Get a balance. `GET /users/{userId}/balance` */
  balance(userId: string, query?: UsersBalanceQuery, options?: RequestOptions): ApiCall<Balance> {
    return this.call<Balance>("GET", path`/users/${userId}/balance`, { query }, options);
  }

  /** List positions. `GET /users/{userId}/positions` */
  positions(userId: string, options?: RequestOptions): ApiCall<Position[]> {
    return this.call<Position[]>("GET", path`/users/${userId}/positions`, {}, options);
  }

  /** List activities. `GET /users/{userId}/activities` */
  activities(userId: string, query?: UsersActivitiesQuery, options?: RequestOptions): ListCall<ActivityList> {
    return this.callPaged<ActivityList>(path`/users/${userId}/activities`, query, options, "cursor");
  }

  /** Get a statement. `GET /users/{userId}/statement` */
  statement(userId: string, query?: UsersStatementQuery, options?: RequestOptions): ListCall<Statement> {
    return this.callPaged<Statement>(path`/users/${userId}/statement`, query, options, "cursor");
  }
}

export class SendsMethods extends Resource {
  /** List sends. `GET /sends` */
  list(query?: SendsListQuery, options?: RequestOptions): ListCall<SendList> {
    return this.callPaged<SendList>("/sends", query, options, "cursor");
  }

  /** Get a send. `GET /sends/{requestId}` */
  get(requestId: string, options?: RequestOptions): ApiCall<Send> {
    return this.call<Send>("GET", path`/sends/${requestId}`, {}, options);
  }
}

export class EventsMethods extends Resource {
  /** List events. `GET /events` */
  list(query?: EventsListQuery, options?: RequestOptions): ListCall<EventPage> {
    return this.callPaged<EventPage>("/events", query, options, "after");
  }
}

export class WebhooksMethods extends Resource {
  /** List webhooks. `GET /webhooks` */
  list(options?: RequestOptions): ApiCall<WebhookList> {
    return this.call<WebhookList>("GET", "/webhooks", {}, options);
  }

  /** Create a webhook. `POST /webhooks` */
  create(input: WebhooksCreateInput, options?: RequestOptions): ApiCall<NewWebhook> {
    return this.call<NewWebhook>("POST", "/webhooks", { body: input }, options);
  }

  /** Delete a webhook. `DELETE /webhooks/{webhookId}` */
  delete(webhookId: string, options?: RequestOptions): ApiCall<Webhook> {
    return this.call<Webhook>("DELETE", path`/webhooks/${webhookId}`, {}, options);
  }

  /** Test a webhook. `POST /webhooks/{webhookId}/test` */
  test(webhookId: string, options?: RequestOptions): ApiCall<WebhookTest> {
    return this.call<WebhookTest>("POST", path`/webhooks/${webhookId}/test`, {}, options);
  }

  /** Rotate a webhook's secret. `POST /webhooks/{webhookId}/rotate` */
  rotate(webhookId: string, input?: WebhooksRotateInput, options?: RequestOptions): ApiCall<NewWebhook> {
    return this.call<NewWebhook>("POST", path`/webhooks/${webhookId}/rotate`, { body: input }, options);
  }

  /** Enable a webhook. `POST /webhooks/{webhookId}/enable` */
  enable(webhookId: string, options?: RequestOptions): ApiCall<Webhook> {
    return this.call<Webhook>("POST", path`/webhooks/${webhookId}/enable`, {}, options);
  }

  /** List deliveries. `GET /webhooks/{webhookId}/deliveries` */
  deliveries(webhookId: string, query?: WebhooksDeliveriesQuery, options?: RequestOptions): ListCall<WebhookDeliveryPage> {
    return this.callPaged<WebhookDeliveryPage>(path`/webhooks/${webhookId}/deliveries`, query, options, "cursor");
  }

  /** Redeliver an event. `POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver` */
  redeliver(webhookId: string, deliveryId: string, options?: RequestOptions): ApiCall<WebhookDelivery> {
    return this.call<WebhookDelivery>("POST", path`/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`, {}, options);
  }
}

export class StatusMethods extends Resource {
  /** Get the status of the service. `GET /status` */
  get(options?: RequestOptions): ApiCall<ServiceStatus> {
    return this.call<ServiceStatus>("GET", "/status", {}, options);
  }
}

/** All groups of operations. */
export class Groups extends Resource {
  readonly key: KeyMethods;
  readonly config: ConfigMethods;
  readonly symbols: SymbolsMethods;
  readonly prices: PricesMethods;
  readonly underlying: UnderlyingMethods;
  readonly corporateAction: CorporateActionMethods;
  readonly clock: ClockMethods;
  readonly calendar: CalendarMethods;
  readonly oneClick: OneClickMethods;
  readonly orders: OrdersMethods;
  readonly cash: CashMethods;
  readonly stock: StockMethods;
  readonly users: UsersMethods;
  readonly sends: SendsMethods;
  readonly events: EventsMethods;
  readonly webhooks: WebhooksMethods;
  readonly status: StatusMethods;

  constructor(transport: Transport) {
    super(transport);
    this.key = new KeyMethods(transport);
    this.config = new ConfigMethods(transport);
    this.symbols = new SymbolsMethods(transport);
    this.prices = new PricesMethods(transport);
    this.underlying = new UnderlyingMethods(transport);
    this.corporateAction = new CorporateActionMethods(transport);
    this.clock = new ClockMethods(transport);
    this.calendar = new CalendarMethods(transport);
    this.oneClick = new OneClickMethods(transport);
    this.orders = new OrdersMethods(transport);
    this.cash = new CashMethods(transport);
    this.stock = new StockMethods(transport);
    this.users = new UsersMethods(transport);
    this.sends = new SendsMethods(transport);
    this.events = new EventsMethods(transport);
    this.webhooks = new WebhooksMethods(transport);
    this.status = new StatusMethods(transport);
  }

}
