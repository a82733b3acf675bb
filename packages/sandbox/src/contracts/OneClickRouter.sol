// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {DeadlineExpired, InvalidCall, InvalidNonce, InvalidSigner, NotDelegatee} from "./Errors.sol";

/// Delegated execution: a user names a delegatee by signature, and the delegatee calls StockRouter as the user.
contract OneClickRouter is EIP712 {
    bytes32 private constant DELEGATE_TYPEHASH =
        keccak256("Delegate(address user,address delegatee,uint64 nonce,uint32 deadline)");

    /// The only contract this one ever calls, so that no other contract can be reached in a user's name.
    address public immutable stockRouter;

    mapping(address user => address) public delegateeOf;
    mapping(address user => uint64) public nonceOf;

    event Delegated(address indexed user, address indexed delegatee, uint64 nonce);
    event Undelegated(address indexed user, address indexed delegatee);

    constructor(address stockRouter_) EIP712("OneClickRouter", "1") {
        stockRouter = stockRouter_;
    }

    /// Puts the caller in charge of `user`. The signature is the user's over this nonce: an EOA's, or a wallet
    /// contract's by ERC-1271. Only the named delegatee may submit it.
    function delegateBySig(
        address user,
        address delegatee,
        uint64 nonce,
        uint32 deadline,
        bytes calldata signature
    ) external {
        if (block.timestamp > deadline) revert DeadlineExpired();
        if (delegatee != msg.sender) revert NotDelegatee();
        if (nonce != nonceOf[user]) revert InvalidNonce();
        bytes32 digest = _hashTypedDataV4(
            keccak256(abi.encode(DELEGATE_TYPEHASH, user, delegatee, nonce, deadline))
        );
        if (!SignatureChecker.isValidSignatureNowCalldata(user, digest, signature)) revert InvalidSigner();
        nonceOf[user] = nonce + 1;
        delegateeOf[user] = delegatee;
        emit Delegated(user, delegatee, nonce);
    }

    /// Ends the caller's delegation, and kills signatures that were never submitted, also where there is none.
    function undelegate() external {
        _undelegate(msg.sender);
    }

    /// As undelegate, by the user or by the delegatee.
    function undelegateFor(address user) external {
        if (msg.sender != user && msg.sender != delegateeOf[user]) revert NotDelegatee();
        _undelegate(user);
    }

    /// Calls StockRouter as `user`. The user is appended last, whatever trails the call itself, which is where
    /// ERC-2771 reads the sender. A revert bubbles as it is.
    function executeFor(address user, bytes calldata routerCall) external returns (bytes memory) {
        if (msg.sender != delegateeOf[user]) revert NotDelegatee();
        if (routerCall.length < 4) revert InvalidCall();
        (bool success, bytes memory result) = stockRouter.call(abi.encodePacked(routerCall, user));
        if (success) return result;
        assembly ("memory-safe") {
            revert(add(result, 32), mload(result))
        }
    }

    function _undelegate(address user) private {
        address delegatee = delegateeOf[user];
        delete delegateeOf[user];
        nonceOf[user] += 1;
        emit Undelegated(user, delegatee);
    }
}
