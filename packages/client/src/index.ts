export type { Answer } from "./answer.ts";
export type { ApiCall, ListCall } from "./call.ts";
export { PartnerTrading } from "./client.ts";
export {
  ApiError,
  AuthenticationError,
  ConnectionError,
  OrderEndedError,
  PartnerTradingError,
  TimeoutError,
  WebhookVerificationError,
} from "./errors.ts";
export type { EventStream, StreamQuery } from "./event-stream.ts";
export { isOrderEvent } from "./events.ts";
export type * from "./generated/types.ts";
export type { ClientOptions, RequestOptions, SendOptions } from "./options.ts";
export type { MarketState, PriceStream, PriceStreamQuery } from "./prices.ts";
export type { StreamOptions } from "./stream.ts";
export type { OrderReference, WaitOptions } from "./wait-for.ts";
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from "./webhook.ts";
