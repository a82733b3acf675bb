// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {ExceedsBufferCapacity, InvalidConfig, TokenNotSupported} from "./Errors.sol";
import {Roles} from "./Roles.sol";

/// Cashier's cash tokens: their configuration, buffers and conversions from and to mUSD. Every change is an event.
abstract contract CashierTokens is Roles {
    using EnumerableSet for EnumerableSet.AddressSet;
    using SafeCast for uint256;

    /// `minAmount` (whole tokens) and `usdRate` (mUSD per token) have 6 decimals; the buffers are in token base units.
    struct TokenConfig {
        uint32 minAmount;
        uint8 decimals;
        bool depositPaused;
        bool withdrawPaused;
        uint32 usdRate;
        uint128 withdrawBuffer;
        uint128 withdrawBufferCapacity;
        uint16 depositFeeBps;
        uint16 withdrawFeeBps;
    }

    uint256 private constant BPS = 10_000;
    uint256 private constant RATE = 1e6;

    uint128 public creditBufferWad;
    uint128 public creditBufferWadCapacity;

    mapping(address token => TokenConfig) public tokenConfig;
    EnumerableSet.AddressSet private _supportedTokens;

    event CreditBufferWadUpdated(uint128 creditBufferWad);
    event CreditBufferCapacityWadUpdated(uint128 creditBufferCapacityWad);
    event WithdrawBufferUpdated(address indexed token, uint128 withdrawBuffer);
    event TokenConfigUpdated(address indexed token, TokenConfig config);
    event TokenSupportUpdated(address indexed token, bool supported);

    // ---------------------------------------------------------------- set-up

    /// Lists a token, or lists it again with another configuration.
    function supportToken(address token, TokenConfig calldata config) external onlyOperators {
        if (IERC20Metadata(token).decimals() != config.decimals || config.decimals > 18) revert InvalidConfig();
        if (_supportedTokens.add(token)) emit TokenSupportUpdated(token, true);
        _configure(token, config);
    }

    /// Delists a token. Its queued operations can still be settled or rejected.
    function unsupportToken(address token) external onlyOperators {
        if (!_supportedTokens.remove(token)) revert TokenNotSupported();
        emit TokenSupportUpdated(token, false);
    }

    function setTokenPaused(address token, bool depositPaused, bool withdrawPaused) external onlyOperators {
        TokenConfig memory config = _supportedConfig(token);
        config.depositPaused = depositPaused;
        config.withdrawPaused = withdrawPaused;
        _configure(token, config);
    }

    function setTokenFees(address token, uint16 depositFeeBps, uint16 withdrawFeeBps) external onlyOperators {
        TokenConfig memory config = _supportedConfig(token);
        config.depositFeeBps = depositFeeBps;
        config.withdrawFeeBps = withdrawFeeBps;
        _configure(token, config);
    }

    /// `minAmount` in whole tokens, `usdRate` in mUSD per token, both with 6 decimals.
    function setTokenLimits(address token, uint32 minAmount, uint32 usdRate) external onlyOperators {
        TokenConfig memory config = _supportedConfig(token);
        config.minAmount = minAmount;
        config.usdRate = usdRate;
        _configure(token, config);
    }

    /// Both in token base units.
    function setWithdrawBuffer(address token, uint128 buffer, uint128 capacity) external onlyOperators {
        TokenConfig memory config = _supportedConfig(token);
        config.withdrawBuffer = buffer;
        config.withdrawBufferCapacity = capacity;
        _configure(token, config);
    }

    /// Both in mUSD wad.
    function setCreditBuffer(uint128 buffer, uint128 capacity) external onlyOperators {
        if (buffer > capacity) revert ExceedsBufferCapacity();
        creditBufferWadCapacity = capacity;
        emit CreditBufferCapacityWadUpdated(capacity);
        _setCreditBuffer(buffer);
    }

    // ---------------------------------------------------------------- views

    function getSupportedTokenList() external view returns (address[] memory) {
        return _supportedTokens.values();
    }

    /// Whether a deposit of `amount` (token base units) would be credited at once.
    function canInstantDeposit(address token, uint96 amount) external view returns (bool) {
        TokenConfig storage config = tokenConfig[token];
        if (!_isSupported(token) || config.depositPaused || _isBelowMinimum(config, amount)) return false;
        uint256 credit = _lessFee(_worth(config, amount, Math.Rounding.Floor), config.depositFeeBps);
        return credit > 0 && _bufferTakesDeposit(config, amount, credit);
    }

    /// What a deposit of `amount` (token base units) credits, in mUSD wad, fee deducted.
    function tokenToBalanceWadInstant(address token, uint96 amount) external view returns (uint96) {
        if (!_isSupported(token)) revert TokenNotSupported();
        TokenConfig storage config = tokenConfig[token];
        return _lessFee(_worth(config, amount, Math.Rounding.Floor), config.depositFeeBps).toUint96();
    }

    /// What a withdrawal of `amountWad` pays, in token base units, fee deducted.
    function balanceWadToTokenInstant(address token, uint96 amountWad) external view returns (uint96) {
        if (!_isSupported(token)) revert TokenNotSupported();
        return _payout(tokenConfig[token], amountWad).toUint96();
    }

    // ---------------------------------------------------------------- inside

    function _isSupported(address token) internal view returns (bool) {
        return _supportedTokens.contains(token);
    }

    function _setCreditBuffer(uint256 buffer) internal {
        creditBufferWad = buffer.toUint128();
        emit CreditBufferWadUpdated(uint128(buffer));
    }

    function _setWithdrawBuffer(address token, TokenConfig storage config, uint256 buffer) internal {
        config.withdrawBuffer = buffer.toUint128();
        emit WithdrawBufferUpdated(token, uint128(buffer));
    }

    function _supportedConfig(address token) private view returns (TokenConfig memory) {
        if (!_isSupported(token)) revert TokenNotSupported();
        return tokenConfig[token];
    }

    function _configure(address token, TokenConfig memory config) private {
        if (config.usdRate == 0 || config.depositFeeBps > BPS || config.withdrawFeeBps > BPS) revert InvalidConfig();
        if (config.withdrawBuffer > config.withdrawBufferCapacity) revert ExceedsBufferCapacity();
        tokenConfig[token] = config;
        emit TokenConfigUpdated(token, config);
        emit WithdrawBufferUpdated(token, config.withdrawBuffer);
    }

    /// The wad of one base unit of the token, before the rate.
    function _unitWad(TokenConfig storage config) internal view returns (uint256) {
        return 10 ** (18 - config.decimals);
    }

    /// The mUSD wad that `amount` token base units are worth.
    function _worth(
        TokenConfig storage config,
        uint256 amount,
        Math.Rounding rounding
    ) internal view returns (uint256) {
        return Math.mulDiv(amount * _unitWad(config), config.usdRate, RATE, rounding);
    }

    /// The token base units that a withdrawal of `amountWad` pays.
    function _payout(TokenConfig storage config, uint256 amountWad) internal view returns (uint256) {
        return (_lessFee(amountWad, config.withdrawFeeBps) * RATE) / (_unitWad(config) * config.usdRate);
    }

    function _lessFee(uint256 amountWad, uint256 feeBps) internal pure returns (uint256) {
        return amountWad - Math.mulDiv(amountWad, feeBps, BPS, Math.Rounding.Ceil);
    }

    function _isBelowMinimum(TokenConfig storage config, uint256 amount) internal view returns (bool) {
        return amount * 1e6 < uint256(config.minAmount) * 10 ** config.decimals;
    }

    function _bufferTakesDeposit(
        TokenConfig storage config,
        uint256 amount,
        uint256 credit
    ) internal view returns (bool) {
        return creditBufferWad >= credit && config.withdrawBuffer + amount <= config.withdrawBufferCapacity;
    }
}
