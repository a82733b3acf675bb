// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// One list for all contracts: an error that bubbles from an inner contract through StockRouter or OneClickRouter
// keeps its selector, and callers decode it against one set.

// Cashier
error TokenNotSupported();
error DepositPaused();
error WithdrawPaused();
error AmountTooSmall();
error AmountCannotBeZero();
error AmountNotRepresentable();
error InsufficientBalanceWad();
error InsufficientBuffer();
error ExceedsBufferCapacity();
error InvalidOperationId();
/// A settlement that would credit or pay more than the operation is worth.
error ExceedsOperationValue();

// Stock
error InsufficientStockBalance();
error InvalidStockToken();
error QuantityCannotBeZero();
error PriceCannotBeZero();
error OrderNotFound();
error OrderNotOpen();
error NotALimitOrder();
error NotAMarketOrder();
error CancelAlreadyRequested();
error CallerNotOwner();
error DeadlineExpired();
error TimeInForceNotSupported();
/// A combined buy with a sell's amount, or the other way round.
error WrongSide();
/// A fill at a price worse than the order's limit.
error PriceBeyondLimit();
/// A fill of more than what is left of the order.
error ExceedsRemainingQuantity();
/// A fill of dust whose rounded-up cost passes what the order still locks; filling all that is left always works.
error ExceedsLockedAmount();

// StockRouter
error DepositNotInstant();

// OneClickRouter
error InvalidNonce();
error InvalidSigner();
error NotDelegatee();
/// A forwarded call too short to name a function.
error InvalidCall();

// Set-up and access
error Unauthorized();
error InvalidConfig();
error LengthMismatch();
