// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {Cashier} from "./Cashier.sol";
import {
    AmountTooSmall,
    CallerNotOwner,
    CancelAlreadyRequested,
    DeadlineExpired,
    ExceedsLockedAmount,
    ExceedsRemainingQuantity,
    InvalidConfig,
    InvalidStockToken,
    LengthMismatch,
    NotALimitOrder,
    NotAMarketOrder,
    OrderNotFound,
    OrderNotOpen,
    PriceBeyondLimit,
    PriceCannotBeZero,
    QuantityCannotBeZero,
    TimeInForceNotSupported,
    Unauthorized
} from "./Errors.sol";
import {Roles} from "./Roles.sol";
import {StockLedger} from "./StockLedger.sol";
import {StockToken} from "./StockToken.sol";

/// The exchange ledger of stock tokens, and the orders.
///
/// What is available plus what orders lock is what this contract holds of each token: fills mint what is bought and
/// burn what is sold. The broker (an account in Cashier) is the other side of every fill and receives the fees.
contract Stock is StockLedger {
    using SafeCast for uint256;
    using SafeCast for int256;
    using SafeERC20 for IERC20;

    enum Status {
        None,
        Open,
        Canceling,
        Filled,
        Canceled,
        Rejected,
        Expired
    }

    /// `size` is mUSD wad of a market buy, stock wad of any other order. Fee terms are those of the day it was placed.
    /// `lockedAmount` is what is still locked: mUSD wad of a buy, stock wad of a sell.
    struct Order {
        address user;
        uint32 deadline;
        uint16 feeBps;
        Status status;
        bool isLimit;
        bool isBuy;
        uint8 tif;
        address stockToken;
        uint96 size;
        uint96 price;
        uint96 filledQuantity;
        uint96 minFeeWad;
        uint96 feeChargedWad;
        uint128 filledNotionalWad;
        uint128 lockedAmount;
    }

    struct Fill {
        uint256 quantity;
        uint256 notional;
        uint256 fee;
    }

    uint8 private constant TIF_DAY = 0;
    uint256 private constant WAD = 1e18;
    /// The part of a buy's fee that events report as the fee of minting.
    uint256 private constant MINT_FEE_SHARE_BPS = 2_000;

    address public immutable router;
    Cashier public immutable cashier;

    mapping(bytes32 orderId => Order) private _orders;
    uint256 private _orderCount;

    event MarketOrderPlaced(
        bytes32 indexed orderId,
        address indexed user,
        address indexed stockToken,
        int96 amount,
        uint32 deadline,
        uint256 lockedAmount
    );
    event LimitOrderPlaced(
        bytes32 indexed orderId,
        address indexed user,
        address indexed stockToken,
        int96 quantity,
        uint96 price,
        uint8 tif,
        uint32 deadline,
        uint256 lockedAmount
    );
    event MarketOrderSettled(
        bytes32 indexed orderId,
        address indexed settler,
        address stockToken,
        address user,
        int96 stockDelta,
        uint96 price,
        uint256 mintFee,
        uint256 protocolFee
    );
    event LimitOrderFilled(
        bytes32 indexed orderId,
        address indexed settler,
        address stockToken,
        address user,
        int96 stockDelta,
        uint96 price,
        uint256 mintFee,
        uint256 protocolFee,
        uint96 remaining
    );
    event CancelRequested(bytes32 indexed orderId);
    event CancelSettled(
        bytes32 indexed orderId,
        uint96 filledQuantity,
        uint96 unfilledQuantity,
        uint256 released
    );
    event OrderRejected(bytes32 indexed orderId, uint8 reason, uint256 released);
    event OrderExpired(bytes32 indexed orderId, uint256 released);
    event StockDeposited(address indexed stockToken, address indexed user, uint256 amount);
    event StockWithdrawn(address indexed stockToken, address indexed user, uint256 amount);

    modifier onlyRouter() {
        if (msg.sender != router) revert Unauthorized();
        _;
    }

    constructor(
        address router_,
        Cashier cashier_,
        address admin_,
        address settler_,
        FeeConfig memory feeConfig_
    ) Roles(admin_, settler_) {
        if (router_ == address(0) || address(cashier_) == address(0)) revert InvalidConfig();
        router = router_;
        cashier = cashier_;
        _setFeeConfig(feeConfig_);
    }

    // ---------------------------------------------------------------- users, through StockRouter

    /// StockRouter moves the tokens here, in the same transaction and after this call.
    function deposit(address user, address stockToken, uint256 amount) external onlyRouter {
        _checkStockMovement(stockToken, amount);
        emit StockDeposited(stockToken, user, amount);
        // No token has so many; cast, an absurd amount is a custom error too and not an overflow.
        _credit(user, stockToken, amount.toUint128());
    }

    function withdraw(address user, address stockToken, uint256 amount) external onlyRouter {
        _checkStockMovement(stockToken, amount);
        emit StockWithdrawn(stockToken, user, amount);
        _deduct(user, stockToken, amount);
        IERC20(stockToken).safeTransfer(user, amount);
    }

    /// A buy (`amount` mUSD wad) locks its notional, out of which the fee comes; a sell (minus stock wad) its stock.
    function placeMarketOrder(
        address user,
        address stockToken,
        int96 amount,
        uint32 deadline
    ) external onlyRouter returns (bytes32 orderId) {
        Order memory order = _newOrder(user, stockToken, amount, deadline);
        if (order.isBuy && order.size <= _cumulativeFee(order, order.size)) revert AmountTooSmall();
        orderId = _place(order, order.size);
        emit MarketOrderPlaced(orderId, user, stockToken, amount, deadline, order.size);
    }

    /// A buy locks quantity x price, rounded up, and the fee of that notional; a sell locks its stock.
    function placeLimitOrder(
        address user,
        address stockToken,
        int96 quantity,
        uint96 price,
        uint8 tif,
        uint32 deadline
    ) external onlyRouter returns (bytes32 orderId) {
        Order memory order = _newOrder(user, stockToken, quantity, deadline);
        if (price == 0) revert PriceCannotBeZero();
        if (tif != TIF_DAY) revert TimeInForceNotSupported();
        order.isLimit = true;
        order.price = price;
        order.tif = tif;
        uint256 locked = order.size;
        if (order.isBuy) {
            uint256 notional = Math.mulDiv(order.size, price, WAD, Math.Rounding.Ceil);
            locked = notional + _cumulativeFee(order, notional);
        }
        orderId = _place(order, locked);
        emit LimitOrderPlaced(orderId, user, stockToken, quantity, price, tif, deadline, locked);
    }

    function cancelLimitOrder(address user, bytes32 orderId) external onlyRouter {
        Order storage order = _order(orderId);
        if (order.user != user) revert CallerNotOwner();
        if (!order.isLimit) revert NotALimitOrder();
        if (order.status == Status.Canceling) revert CancelAlreadyRequested();
        if (order.status != Status.Open) revert OrderNotOpen();
        order.status = Status.Canceling;
        emit CancelRequested(orderId);
    }

    // ---------------------------------------------------------------- settler: orders

    /// Fills market orders in full. Skips closed orders.
    function settleMarketOrders(bytes32[] calldata orderIds, uint96[] calldata prices) external onlySettler {
        if (orderIds.length != prices.length) revert LengthMismatch();
        for (uint256 i = 0; i < orderIds.length; i++) {
            Order storage order = _order(orderIds[i]);
            if (order.isLimit) revert NotAMarketOrder();
            if (_isClosed(order)) continue;
            _settleMarketOrder(orderIds[i], order, prices[i]);
        }
    }

    /// Fills limit orders, in part or all that is left; also those whose cancel is requested. Skips closed orders.
    function settleLimitOrders(
        bytes32[] calldata orderIds,
        uint96[] calldata filledQuantities,
        uint96[] calldata prices
    ) external onlySettler {
        if (orderIds.length != filledQuantities.length || orderIds.length != prices.length) revert LengthMismatch();
        for (uint256 i = 0; i < orderIds.length; i++) {
            Order storage order = _order(orderIds[i]);
            if (!order.isLimit) revert NotALimitOrder();
            if (_isClosed(order)) continue;
            _fillLimitOrder(orderIds[i], order, filledQuantities[i], prices[i]);
        }
    }

    /// Cancels limit orders, asked for or not (before a split nobody asks). Skips closed orders.
    function settleCancels(bytes32[] calldata orderIds) external onlySettler {
        for (uint256 i = 0; i < orderIds.length; i++) {
            Order storage order = _order(orderIds[i]);
            if (!order.isLimit) revert NotALimitOrder();
            if (_isClosed(order)) continue;
            uint256 released = _close(order, Status.Canceled);
            emit CancelSettled(orderIds[i], order.filledQuantity, order.size - order.filledQuantity, released);
        }
    }

    /// Skips closed orders.
    function rejectOrders(bytes32[] calldata orderIds, uint8 reason) external onlySettler {
        for (uint256 i = 0; i < orderIds.length; i++) {
            Order storage order = _order(orderIds[i]);
            if (_isClosed(order)) continue;
            emit OrderRejected(orderIds[i], reason, _close(order, Status.Rejected));
        }
    }

    /// Skips closed orders.
    function expireOrders(bytes32[] calldata orderIds) external onlySettler {
        for (uint256 i = 0; i < orderIds.length; i++) {
            Order storage order = _order(orderIds[i]);
            if (_isClosed(order)) continue;
            emit OrderExpired(orderIds[i], _close(order, Status.Expired));
        }
    }

    // ---------------------------------------------------------------- views

    function getOrder(bytes32 orderId) external view returns (Order memory) {
        return _order(orderId);
    }

    // ---------------------------------------------------------------- placing

    function _newOrder(
        address user,
        address stockToken,
        int96 amount,
        uint32 deadline
    ) private view returns (Order memory order) {
        if (block.timestamp > deadline) revert DeadlineExpired();
        if (!isTradable[stockToken]) revert InvalidStockToken();
        if (amount == 0) revert QuantityCannotBeZero();
        order.user = user;
        order.deadline = deadline;
        order.status = Status.Open;
        order.isBuy = amount > 0;
        order.stockToken = stockToken;
        order.size = uint96(uint256(amount > 0 ? int256(amount) : -int256(amount)));
        order.feeBps = order.isBuy ? feeConfig.buyFeeBps : feeConfig.sellFeeBps;
        order.minFeeWad = feeConfig.minFeeWad;
    }

    function _place(Order memory order, uint256 locked) private returns (bytes32 orderId) {
        orderId = keccak256(abi.encode(block.chainid, address(this), _orderCount++));
        if (order.isBuy) {
            cashier.lock(order.user, locked);
        } else {
            _deduct(order.user, order.stockToken, locked);
            lockedStock[order.user][order.stockToken] += locked;
        }
        order.lockedAmount = locked.toUint128();
        _orders[orderId] = order;
    }

    // ---------------------------------------------------------------- filling

    function _settleMarketOrder(bytes32 orderId, Order storage order, uint96 price) private {
        if (price == 0) revert PriceCannotBeZero();
        Fill memory fill;
        if (order.isBuy) {
            fill.fee = _cumulativeFee(order, order.size);
            fill.quantity = Math.mulDiv(order.size - fill.fee, WAD, price);
            if (fill.quantity == 0) revert QuantityCannotBeZero();
            fill.notional = Math.mulDiv(fill.quantity, price, WAD, Math.Rounding.Ceil);
        } else {
            fill = _sellFill(order, order.size, price);
        }
        _record(order, fill, true);
        (uint256 mintFee, uint256 protocolFee) = _splitFee(order.isBuy, fill.fee);
        emit MarketOrderSettled(
            orderId,
            msg.sender,
            order.stockToken,
            order.user,
            _stockDelta(order.isBuy, fill.quantity),
            price,
            mintFee,
            protocolFee
        );
        _exchange(order, fill, true);
    }

    function _fillLimitOrder(bytes32 orderId, Order storage order, uint96 quantity, uint96 price) private {
        if (quantity == 0) revert QuantityCannotBeZero();
        if (price == 0) revert PriceCannotBeZero();
        if (order.isBuy ? price > order.price : price < order.price) revert PriceBeyondLimit();
        uint96 left = order.size - order.filledQuantity;
        if (quantity > left) revert ExceedsRemainingQuantity();
        bool complete = quantity == left;
        Fill memory fill = order.isBuy
            ? _limitBuyFill(order, quantity, price, complete)
            : _sellFill(order, quantity, price);
        _record(order, fill, complete);
        (uint256 mintFee, uint256 protocolFee) = _splitFee(order.isBuy, fill.fee);
        emit LimitOrderFilled(
            orderId,
            msg.sender,
            order.stockToken,
            order.user,
            _stockDelta(order.isBuy, quantity),
            price,
            mintFee,
            protocolFee,
            left - quantity
        );
        _exchange(order, fill, complete);
    }

    /// Each fill's notional is rounded up, so many fills may cost a few wad more than the one notional that was locked.
    /// The last fill costs at most what is left of the lock; a fill before it must leave the lock whole.
    function _limitBuyFill(
        Order storage order,
        uint256 quantity,
        uint256 price,
        bool complete
    ) private view returns (Fill memory fill) {
        fill.quantity = quantity;
        fill.notional = Math.mulDiv(quantity, price, WAD, Math.Rounding.Ceil);
        uint256 cumulative = _cumulativeFee(order, order.filledNotionalWad + fill.notional);
        fill.fee = cumulative - order.feeChargedWad;
        uint256 locked = order.lockedAmount;
        if (fill.notional + fill.fee <= locked) return fill;
        if (!complete) revert ExceedsLockedAmount();
        fill.fee = Math.min(fill.fee, locked);
        fill.notional = locked - fill.fee;
    }

    /// The fee is charged by difference, at most the proceeds; what that leaves uncharged the next fill makes up for.
    function _sellFill(Order storage order, uint256 quantity, uint256 price) private view returns (Fill memory fill) {
        fill.quantity = quantity;
        fill.notional = Math.mulDiv(quantity, price, WAD);
        uint256 cumulative = _cumulativeFee(order, order.filledNotionalWad + fill.notional);
        fill.fee = Math.min(cumulative - order.feeChargedWad, fill.notional);
    }

    function _record(Order storage order, Fill memory fill, bool complete) private {
        order.filledQuantity += fill.quantity.toUint96();
        order.filledNotionalWad += fill.notional.toUint128();
        order.feeChargedWad += fill.fee.toUint96();
        if (complete) order.status = Status.Filled;
    }

    /// Swaps stock against mUSD with the broker, and releases what a completed order still locks.
    function _exchange(Order storage order, Fill memory fill, bool complete) private {
        address user = order.user;
        address stockToken = order.stockToken;
        uint256 spent = order.isBuy ? fill.notional + fill.fee : fill.quantity;
        uint256 released = complete ? order.lockedAmount - spent : 0;
        order.lockedAmount -= (spent + released).toUint128();
        if (order.isBuy) {
            _credit(user, stockToken, fill.quantity);
            cashier.unlock(user, spent, released);
            StockToken(stockToken).mint(address(this), fill.quantity);
        } else {
            lockedStock[user][stockToken] -= spent;
            cashier.payFromBroker(user, fill.notional - fill.fee);
            StockToken(stockToken).burn(fill.quantity);
        }
    }

    // ---------------------------------------------------------------- inside

    function _order(bytes32 orderId) private view returns (Order storage order) {
        order = _orders[orderId];
        if (order.status == Status.None) revert OrderNotFound();
    }

    function _isClosed(Order storage order) private view returns (bool) {
        return order.status != Status.Open && order.status != Status.Canceling;
    }

    /// Ends an order without a fill and gives back what it still locks.
    function _close(Order storage order, Status status) private returns (uint256 released) {
        released = order.lockedAmount;
        order.lockedAmount = 0;
        order.status = status;
        if (order.isBuy) {
            cashier.unlock(order.user, 0, released);
        } else {
            lockedStock[order.user][order.stockToken] -= released;
            _credit(order.user, order.stockToken, released);
        }
    }

    /// max(minFee, ceil(notional x bps)): the fee of all fills up to this notional.
    function _cumulativeFee(Order memory order, uint256 notional) private pure returns (uint256) {
        return Math.max(order.minFeeWad, Math.mulDiv(notional, order.feeBps, BPS, Math.Rounding.Ceil));
    }

    function _splitFee(bool isBuy, uint256 fee) private pure returns (uint256 mintFee, uint256 protocolFee) {
        mintFee = isBuy ? (fee * MINT_FEE_SHARE_BPS) / BPS : 0;
        protocolFee = fee - mintFee;
    }

    function _stockDelta(bool isBuy, uint256 quantity) private pure returns (int96) {
        int256 delta = int256(uint256(quantity.toUint96()));
        return (isBuy ? delta : -delta).toInt96();
    }

    function _checkStockMovement(address stockToken, uint256 amount) private view {
        if (!_isListed(stockToken)) revert InvalidStockToken();
        if (amount == 0) revert QuantityCannotBeZero();
    }
}
