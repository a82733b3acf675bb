import type * as schema from "../../../src/context/schema-types.ts";

/**
 * The data of REST answers, as JSON carries it: the types of schema/*.graphql, with numbers where the service may also
 * hold a bigint.
 */
type OnWire<T> = T extends bigint
  ? never
  : T extends readonly (infer Item)[]
    ? OnWire<Item>[]
    : T extends object
      ? { -readonly [Field in keyof T]: OnWire<T[Field]> }
      : T;

export type ActivityList = OnWire<schema.ActivityList>;
export type Balance = OnWire<schema.Balance>;
export type Calldata = OnWire<schema.Calldata>;
export type CancelSendList = OnWire<schema.CancelSendList>;
export type CashCalldata = OnWire<schema.CashCalldata>;
export type Clock = OnWire<schema.Clock>;
export type Config = OnWire<schema.Config>;
export type CorporateAction = OnWire<schema.CorporateAction>;
export type Delegation = OnWire<schema.Delegation>;
export type DelegationChange = OnWire<schema.DelegationChange>;
export type DelegationPayload = OnWire<schema.DelegationPayload>;
export type Mapping = OnWire<schema.Mapping>;
export type Operation = OnWire<schema.Operation>;
export type HistoryOrder = OnWire<schema.HistoryOrder>;
export type OpenOrder = OnWire<schema.OpenOrder>;
export type OperationDetail = OnWire<schema.OperationDetail>;
export type OperationList = OnWire<schema.OperationList>;
export type Order = OnWire<schema.Order>;
export type OrderList = OnWire<schema.OrderList>;
export type Position = OnWire<schema.Position>;
export type Price = OnWire<schema.Price>;
export type PriceBar = OnWire<schema.PriceBar>;
export type Quote = OnWire<schema.Quote>;
export type Send = OnWire<schema.Send>;
export type SendQueue = OnWire<schema.SendQueue>;
export type ListedPrice = OnWire<schema.ListedPrice>;
export type ListedSymbol = OnWire<schema.Symbol>;
export type TradingDay = OnWire<schema.TradingDay>;

/** The common fields of orders and operations. */
export type Mapped = Pick<Order, "mapping">;
