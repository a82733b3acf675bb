// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {InvalidConfig, Unauthorized} from "./Errors.sol";

/// Who may do what besides users: the settler settles and rejects; settler and admin both configure.
abstract contract Roles {
    address public immutable admin;
    address public immutable settler;

    constructor(address admin_, address settler_) {
        if (admin_ == address(0) || settler_ == address(0)) revert InvalidConfig();
        admin = admin_;
        settler = settler_;
    }

    modifier onlySettler() {
        if (msg.sender != settler) revert Unauthorized();
        _;
    }

    modifier onlyOperators() {
        if (msg.sender != settler && msg.sender != admin) revert Unauthorized();
        _;
    }
}
