// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC2771Context} from "@openzeppelin/contracts/metatx/ERC2771Context.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Cashier} from "./Cashier.sol";
import {DepositNotInstant, WrongSide} from "./Errors.sol";
import {Stock} from "./Stock.sol";

/// The only contract callers send to, and the spender they approve. The sender is the user, or the user whom
/// OneClickRouter appends to the calldata (ERC-2771); anything else that trails the calldata is ignored.
///
/// In every call the ledgers check and change first, and tokens move last.
contract StockRouter is ERC2771Context, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    Cashier public immutable cashier;
    Stock public immutable stock;

    event DepositAndMarketBuy(
        bytes32 indexed depositOpId,
        bytes32 indexed orderId,
        address indexed user,
        address depositToken,
        uint96 depositAmount,
        address stockToken,
        int96 usdAmount
    );
    event DepositAndLimitBuy(
        bytes32 indexed depositOpId,
        bytes32 indexed orderId,
        address indexed user,
        address depositToken,
        uint96 depositAmount,
        address stockToken,
        int96 quantity,
        uint96 price
    );
    event DepositStockAndMarketSell(
        bytes32 indexed orderId,
        address indexed user,
        address indexed stockToken,
        uint256 depositAmount,
        int96 quantity
    );
    event DepositStockAndLimitSell(
        bytes32 indexed orderId,
        address indexed user,
        address indexed stockToken,
        uint256 depositAmount,
        int96 quantity,
        uint96 price
    );

    constructor(Cashier cashier_, Stock stock_, address oneClickRouter) ERC2771Context(oneClickRouter) {
        cashier = cashier_;
        stock = stock_;
    }

    /// `amount` in token base units. Credited at once or queued, as Cashier's buffers allow.
    function deposit(address token, uint96 amount) external nonReentrant returns (bytes32 opId) {
        address user = _msgSender();
        (opId, ) = cashier.deposit(user, token, amount);
        _pull(token, user, address(cashier), amount);
    }

    /// `amountWad` in mUSD wad; the token must be able to represent it.
    function withdraw(address token, uint96 amountWad) external nonReentrant returns (bytes32 opId) {
        return cashier.withdraw(_msgSender(), token, amountWad);
    }

    function depositStock(address stockToken, uint256 amount) external nonReentrant {
        address user = _msgSender();
        stock.deposit(user, stockToken, amount);
        _pull(stockToken, user, address(stock), amount);
    }

    function withdrawStock(address stockToken, uint256 amount) external nonReentrant {
        stock.withdraw(_msgSender(), stockToken, amount);
    }

    /// `amount`: mUSD wad of a buy; minus the stock wad of a sell.
    function placeMarketOrder(
        address stockToken,
        int96 amount,
        uint32 deadline
    ) external nonReentrant returns (bytes32 orderId) {
        return stock.placeMarketOrder(_msgSender(), stockToken, amount, deadline);
    }

    /// `quantity`: stock wad, negative for a sell. `price`: mUSD wad per token.
    function placeLimitOrder(
        address stockToken,
        int96 quantity,
        uint96 price,
        uint8 tif,
        uint32 deadline
    ) external nonReentrant returns (bytes32 orderId) {
        return stock.placeLimitOrder(_msgSender(), stockToken, quantity, price, tif, deadline);
    }

    function depositAndMarketBuy(
        address depositToken,
        uint96 depositAmount,
        address stockToken,
        int96 usdAmount,
        uint32 deadline
    ) external nonReentrant {
        if (usdAmount < 0) revert WrongSide();
        address user = _msgSender();
        bytes32 opId = _depositInstantly(user, depositToken, depositAmount);
        bytes32 orderId = stock.placeMarketOrder(user, stockToken, usdAmount, deadline);
        emit DepositAndMarketBuy(opId, orderId, user, depositToken, depositAmount, stockToken, usdAmount);
        _pull(depositToken, user, address(cashier), depositAmount);
    }

    function depositAndLimitBuy(
        address depositToken,
        uint96 depositAmount,
        address stockToken,
        int96 quantity,
        uint96 price,
        uint8 tif,
        uint32 deadline
    ) external nonReentrant {
        if (quantity < 0) revert WrongSide();
        address user = _msgSender();
        bytes32 opId = _depositInstantly(user, depositToken, depositAmount);
        bytes32 orderId = stock.placeLimitOrder(user, stockToken, quantity, price, tif, deadline);
        emit DepositAndLimitBuy(opId, orderId, user, depositToken, depositAmount, stockToken, quantity, price);
        _pull(depositToken, user, address(cashier), depositAmount);
    }

    function depositStockAndMarketSell(
        address stockToken,
        uint256 depositAmount,
        int96 quantity,
        uint32 deadline
    ) external nonReentrant {
        if (quantity > 0) revert WrongSide();
        address user = _msgSender();
        stock.deposit(user, stockToken, depositAmount);
        bytes32 orderId = stock.placeMarketOrder(user, stockToken, quantity, deadline);
        emit DepositStockAndMarketSell(orderId, user, stockToken, depositAmount, quantity);
        _pull(stockToken, user, address(stock), depositAmount);
    }

    function depositStockAndLimitSell(
        address stockToken,
        uint256 depositAmount,
        int96 quantity,
        uint96 price,
        uint8 tif,
        uint32 deadline
    ) external nonReentrant {
        if (quantity > 0) revert WrongSide();
        address user = _msgSender();
        stock.deposit(user, stockToken, depositAmount);
        bytes32 orderId = stock.placeLimitOrder(user, stockToken, quantity, price, tif, deadline);
        emit DepositStockAndLimitSell(orderId, user, stockToken, depositAmount, quantity, price);
        _pull(stockToken, user, address(stock), depositAmount);
    }

    function cancelLimitOrder(bytes32 orderId) external nonReentrant {
        stock.cancelLimitOrder(_msgSender(), orderId);
    }

    function _depositInstantly(address user, address token, uint96 amount) private returns (bytes32 opId) {
        bool instant;
        (opId, instant) = cashier.deposit(user, token, amount);
        if (!instant) revert DepositNotInstant();
    }

    function _pull(address token, address user, address to, uint256 amount) private {
        IERC20(token).safeTransferFrom(user, to, amount);
    }
}
