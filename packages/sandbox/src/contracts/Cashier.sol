// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {CashierTokens} from "./CashierTokens.sol";
import {
    AmountCannotBeZero,
    AmountNotRepresentable,
    AmountTooSmall,
    DepositPaused,
    ExceedsOperationValue,
    InsufficientBalanceWad,
    InsufficientBuffer,
    InvalidConfig,
    InvalidOperationId,
    LengthMismatch,
    TokenNotSupported,
    Unauthorized,
    WithdrawPaused
} from "./Errors.sol";
import {Roles} from "./Roles.sol";

/// The mUSD ledger and the cash tokens behind it.
///
/// What is available, plus what orders lock, plus what queued withdrawals deducted, is worth what this contract holds
/// in cash tokens, less the tokens of queued deposits. Fees of deposits and withdrawals go to the broker, an ordinary
/// account; conversions round against the user, and never by more than one wad each.
contract Cashier is CashierTokens, ReentrancyGuardTransient {
    using SafeCast for uint256;
    using SafeERC20 for IERC20;

    enum Kind {
        None,
        Deposit,
        Withdrawal
    }

    /// A queued operation. `amount` is token base units of a deposit, mUSD wad of a withdrawal.
    struct Operation {
        address user;
        uint96 amount;
        address token;
        Kind kind;
        bool closed;
    }

    struct Pending {
        uint128 depositAmount;
        uint128 withdrawAmountWad;
    }

    address public immutable router;
    address public immutable stock;
    /// Receives fees and is the other side of every trade.
    address public immutable broker;

    /// What a user can spend: net of locks.
    mapping(address user => uint256) public balanceWad;
    mapping(address user => uint256) public lockedWad;
    /// The queued amounts of a user: deposits in token base units, withdrawals in mUSD wad.
    mapping(address user => mapping(address token => Pending)) public pending;

    /// Tokens that queued deposits brought and that are not ours until they are settled.
    mapping(address token => uint256) private _queuedDeposits;
    mapping(bytes32 opId => Operation) private _operations;
    uint256 private _operationCount;

    event DepositRequested(bytes32 indexed opId, address indexed user, address indexed token, uint96 amount);
    event InstantDeposit(
        bytes32 indexed opId,
        address indexed user,
        address indexed token,
        uint96 amount,
        uint96 creditWad
    );
    event DepositSettled(
        bytes32 indexed opId,
        address indexed user,
        address indexed token,
        uint96 amount,
        uint96 creditWad
    );
    event DepositRejected(
        bytes32 indexed opId,
        address indexed user,
        address indexed token,
        uint96 amount,
        uint8 reason
    );
    event WithdrawalRequested(bytes32 indexed opId, address indexed user, address indexed token, uint96 amountWad);
    event InstantWithdrawal(
        bytes32 indexed opId,
        address indexed user,
        address indexed token,
        uint96 amountWad,
        uint96 amount
    );
    event WithdrawalSettled(
        bytes32 indexed opId,
        address indexed user,
        address indexed token,
        uint96 amountWad,
        uint96 amount
    );
    /// `amount` is the mUSD (wad) that went back to the user.
    event WithdrawalRejected(
        bytes32 indexed opId,
        address indexed user,
        address indexed token,
        uint96 amount,
        uint8 reason
    );
    event BalanceCredited(address indexed user, uint96 amountWad);
    event BalanceDeducted(address indexed user, uint96 amountWad);

    modifier onlyRouter() {
        if (msg.sender != router) revert Unauthorized();
        _;
    }

    modifier onlyStock() {
        if (msg.sender != stock) revert Unauthorized();
        _;
    }

    constructor(
        address router_,
        address stock_,
        address broker_,
        address admin_,
        address settler_
    ) Roles(admin_, settler_) {
        if (router_ == address(0) || stock_ == address(0) || broker_ == address(0)) revert InvalidConfig();
        router = router_;
        stock = stock_;
        broker = broker_;
    }

    // ---------------------------------------------------------------- users, through StockRouter

    /// Credits a deposit at once where the buffers allow it, else queues it. StockRouter moves the tokens here, in the
    /// same transaction and after this call.
    function deposit(
        address user,
        address token,
        uint96 amount
    ) external onlyRouter returns (bytes32 opId, bool instant) {
        if (amount == 0) revert AmountCannotBeZero();
        if (!_isSupported(token)) revert TokenNotSupported();
        TokenConfig storage config = tokenConfig[token];
        if (config.depositPaused) revert DepositPaused();
        if (_isBelowMinimum(config, amount)) revert AmountTooSmall();
        uint256 worth = _worth(config, amount, Math.Rounding.Floor);
        uint256 credit = _lessFee(worth, config.depositFeeBps);
        if (credit == 0) revert AmountTooSmall();

        opId = _nextOpId();
        instant = _bufferTakesDeposit(config, amount, credit);
        if (!instant) {
            _operations[opId] = Operation(user, amount, token, Kind.Deposit, false);
            pending[user][token].depositAmount += amount;
            _queuedDeposits[token] += amount;
            emit DepositRequested(opId, user, token, amount);
            return (opId, false);
        }
        _setCreditBuffer(creditBufferWad - credit);
        _setWithdrawBuffer(token, config, uint256(config.withdrawBuffer) + amount);
        emit InstantDeposit(opId, user, token, amount, credit.toUint96());
        _credit(user, credit);
        _credit(broker, worth - credit);
    }

    /// Deducts `amountWad` and pays it in tokens at once where the buffers allow it, else queues the payment.
    function withdraw(
        address user,
        address token,
        uint96 amountWad
    ) external onlyRouter nonReentrant returns (bytes32 opId) {
        if (amountWad == 0) revert AmountCannotBeZero();
        if (!_isSupported(token)) revert TokenNotSupported();
        TokenConfig storage config = tokenConfig[token];
        if (config.withdrawPaused) revert WithdrawPaused();
        if (amountWad < uint256(config.minAmount) * config.usdRate * 1e6) revert AmountTooSmall();
        if (amountWad % _unitWad(config) != 0) revert AmountNotRepresentable();
        uint256 payout = _payout(config, amountWad);
        if (payout == 0) revert AmountNotRepresentable();

        _deduct(user, amountWad);
        opId = _nextOpId();
        if (!_buffersTakeWithdrawal(token, config, payout, amountWad)) {
            _operations[opId] = Operation(user, amountWad, token, Kind.Withdrawal, false);
            pending[user][token].withdrawAmountWad += amountWad;
            emit WithdrawalRequested(opId, user, token, amountWad);
            return opId;
        }
        _setWithdrawBuffer(token, config, config.withdrawBuffer - payout);
        _setCreditBuffer(uint256(creditBufferWad) + amountWad);
        emit InstantWithdrawal(opId, user, token, amountWad, payout.toUint96());
        _credit(broker, amountWad - _worth(config, payout, Math.Rounding.Ceil));
        IERC20(token).safeTransfer(user, payout);
    }

    // ---------------------------------------------------------------- orders, through Stock

    /// Moves mUSD from available to locked.
    function lock(address user, uint256 amountWad) external onlyStock {
        _deduct(user, amountWad);
        lockedWad[user] += amountWad;
    }

    /// Ends a lock, or a part of it: `spent` goes to the broker, `released` back to the user.
    function unlock(address user, uint256 spent, uint256 released) external onlyStock {
        lockedWad[user] -= spent + released;
        _credit(user, released);
        _credit(broker, spent);
    }

    /// Pays a seller out of the broker's account.
    function payFromBroker(address user, uint256 amountWad) external onlyStock {
        _deduct(broker, amountWad);
        _credit(user, amountWad);
    }

    // ---------------------------------------------------------------- settler: queued cash

    /// Credits queued deposits; what is not credited of a deposit's worth is the fee. Skips closed operations.
    function batchSettleDeposit(bytes32[] calldata opIds, uint96[] calldata creditWads) external onlySettler {
        if (opIds.length != creditWads.length) revert LengthMismatch();
        for (uint256 i = 0; i < opIds.length; i++) {
            Operation storage op = _operation(opIds[i], Kind.Deposit);
            if (op.closed) continue;
            if (creditWads[i] == 0) revert AmountCannotBeZero();
            uint256 worth = _worth(tokenConfig[op.token], op.amount, Math.Rounding.Floor);
            if (creditWads[i] > worth) revert ExceedsOperationValue();
            _closeDeposit(op);
            emit DepositSettled(opIds[i], op.user, op.token, op.amount, creditWads[i]);
            _credit(op.user, creditWads[i]);
            _credit(broker, worth - creditWads[i]);
        }
    }

    /// Returns the tokens of queued deposits. Skips closed operations.
    function batchRejectDeposit(bytes32[] calldata opIds, uint8 reason) external onlySettler nonReentrant {
        for (uint256 i = 0; i < opIds.length; i++) {
            Operation storage op = _operation(opIds[i], Kind.Deposit);
            if (op.closed) continue;
            _closeDeposit(op);
            emit DepositRejected(opIds[i], op.user, op.token, op.amount, reason);
            IERC20(op.token).safeTransfer(op.user, op.amount);
        }
    }

    /// Pays queued withdrawals, `amounts` in token base units; what is not paid of a withdrawal is the fee. Skips
    /// closed operations.
    function batchSettleWithdraw(
        bytes32[] calldata opIds,
        uint96[] calldata amounts
    ) external onlySettler nonReentrant {
        if (opIds.length != amounts.length) revert LengthMismatch();
        for (uint256 i = 0; i < opIds.length; i++) {
            Operation storage op = _operation(opIds[i], Kind.Withdrawal);
            if (op.closed) continue;
            if (amounts[i] == 0) revert AmountCannotBeZero();
            uint256 worth = _worth(tokenConfig[op.token], amounts[i], Math.Rounding.Ceil);
            if (worth > op.amount) revert ExceedsOperationValue();
            if (_freeTokens(op.token) < amounts[i]) revert InsufficientBuffer();
            _closeWithdrawal(op);
            emit WithdrawalSettled(opIds[i], op.user, op.token, op.amount, amounts[i]);
            _credit(broker, op.amount - worth);
            IERC20(op.token).safeTransfer(op.user, amounts[i]);
        }
    }

    /// Returns the mUSD of queued withdrawals. Skips closed operations.
    function batchRejectWithdraw(bytes32[] calldata opIds, uint8 reason) external onlySettler {
        for (uint256 i = 0; i < opIds.length; i++) {
            Operation storage op = _operation(opIds[i], Kind.Withdrawal);
            if (op.closed) continue;
            _closeWithdrawal(op);
            emit WithdrawalRejected(opIds[i], op.user, op.token, op.amount, reason);
            _credit(op.user, op.amount);
        }
    }

    // ---------------------------------------------------------------- views

    /// A queued operation; instant ones are not kept.
    function getOperation(bytes32 opId) external view returns (Operation memory operation) {
        operation = _operations[opId];
        if (operation.kind == Kind.None) revert InvalidOperationId();
    }

    // ---------------------------------------------------------------- inside

    /// Unique over chains and contracts, and known before the transaction is sent.
    function _nextOpId() private returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), _operationCount++));
    }

    function _operation(bytes32 opId, Kind kind) private view returns (Operation storage op) {
        op = _operations[opId];
        if (op.kind != kind) revert InvalidOperationId();
    }

    function _closeDeposit(Operation storage op) private {
        op.closed = true;
        pending[op.user][op.token].depositAmount -= op.amount;
        _queuedDeposits[op.token] -= op.amount;
    }

    function _closeWithdrawal(Operation storage op) private {
        op.closed = true;
        pending[op.user][op.token].withdrawAmountWad -= op.amount;
    }

    function _credit(address user, uint256 amountWad) private {
        if (amountWad == 0) return;
        balanceWad[user] += amountWad;
        emit BalanceCredited(user, amountWad.toUint96());
    }

    function _deduct(address user, uint256 amountWad) private {
        if (amountWad == 0) return;
        uint256 balance = balanceWad[user];
        if (balance < amountWad) revert InsufficientBalanceWad();
        balanceWad[user] = balance - amountWad;
        emit BalanceDeducted(user, amountWad.toUint96());
    }

    function _buffersTakeWithdrawal(
        address token,
        TokenConfig storage config,
        uint256 payout,
        uint256 amountWad
    ) private view returns (bool) {
        return
            config.withdrawBuffer >= payout &&
            creditBufferWad + amountWad <= creditBufferWadCapacity &&
            _freeTokens(token) >= payout;
    }

    /// What may be paid out: queued deposits must stay returnable.
    function _freeTokens(address token) private view returns (uint256) {
        return IERC20(token).balanceOf(address(this)) - _queuedDeposits[token];
    }
}
