// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {InsufficientStockBalance, InvalidConfig, InvalidStockToken} from "./Errors.sol";
import {Roles} from "./Roles.sol";

/// What Stock keeps besides orders: who has how much of which token, the listed tokens and the fees. Every change is an
/// event.
abstract contract StockLedger is Roles {
    using EnumerableSet for EnumerableSet.AddressSet;

    struct FeeConfig {
        uint16 buyFeeBps;
        uint16 sellFeeBps;
        uint96 minFeeWad;
    }

    uint256 internal constant BPS = 10_000;

    FeeConfig public feeConfig;

    /// What a user can sell or withdraw: net of locks.
    mapping(address user => mapping(address stockToken => uint256)) public stockBalance;
    mapping(address user => mapping(address stockToken => uint256)) public lockedStock;
    mapping(address stockToken => bool) public isTradable;

    EnumerableSet.AddressSet private _stockTokens;

    event StockCredited(address indexed user, address indexed stockToken, uint256 amount);
    event StockDeducted(address indexed user, address indexed stockToken, uint256 amount);
    event StockTokenListed(address indexed stockToken, string symbol);
    event StockTokenTradable(address indexed stockToken, bool tradable);
    event FeeConfigUpdated(uint16 buyFeeBps, uint16 sellFeeBps, uint96 minFeeWad);

    // ---------------------------------------------------------------- set-up

    /// Lists a token under the symbol of its stock. Only tokens of 18 decimals can be listed.
    function listStockToken(address stockToken, string calldata symbol, bool tradable) external onlyOperators {
        if (IERC20Metadata(stockToken).decimals() != 18 || !_stockTokens.add(stockToken)) revert InvalidStockToken();
        emit StockTokenListed(stockToken, symbol);
        _setTradable(stockToken, tradable);
    }

    function setTradable(address stockToken, bool tradable) external onlyOperators {
        if (!_isListed(stockToken)) revert InvalidStockToken();
        _setTradable(stockToken, tradable);
    }

    /// Applies to orders placed from now on.
    function setFeeConfig(FeeConfig calldata config) external onlyOperators {
        _setFeeConfig(config);
    }

    // ---------------------------------------------------------------- views

    function getStockTokens() external view returns (address[] memory) {
        return _stockTokens.values();
    }

    // ---------------------------------------------------------------- inside

    function _isListed(address stockToken) internal view returns (bool) {
        return _stockTokens.contains(stockToken);
    }

    function _credit(address user, address stockToken, uint256 amount) internal {
        if (amount == 0) return;
        stockBalance[user][stockToken] += amount;
        emit StockCredited(user, stockToken, amount);
    }

    function _deduct(address user, address stockToken, uint256 amount) internal {
        uint256 balance = stockBalance[user][stockToken];
        if (balance < amount) revert InsufficientStockBalance();
        stockBalance[user][stockToken] = balance - amount;
        emit StockDeducted(user, stockToken, amount);
    }

    function _setTradable(address stockToken, bool tradable) private {
        isTradable[stockToken] = tradable;
        emit StockTokenTradable(stockToken, tradable);
    }

    function _setFeeConfig(FeeConfig memory config) internal {
        if (config.buyFeeBps > BPS || config.sellFeeBps > BPS) revert InvalidConfig();
        feeConfig = config;
        emit FeeConfigUpdated(config.buyFeeBps, config.sellFeeBps, config.minFeeWad);
    }
}
