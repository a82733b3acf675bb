// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token that may answer false, or call back into a contract while it is being moved.
contract HostileToken is ERC20 {
    bool private refusing;
    address private target;
    bytes private callback;

    constructor() ERC20("Hostile", "EVIL") {
        _mint(msg.sender, 1e30);
    }

    function refuse() external {
        refusing = true;
    }

    function callBack(address target_, bytes calldata callback_) external {
        target = target_;
        callback = callback_;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        return !refusing && super.transfer(to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        return !refusing && super.transferFrom(from, to, value);
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (target == address(0)) return;
        (bool success, bytes memory result) = target.call(callback);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(result, 32), mload(result))
        }
    }
}
