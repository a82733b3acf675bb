// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {InvalidConfig, Unauthorized} from "./Errors.sol";
import {Roles} from "./Roles.sol";

/// A tokenized stock, 18 decimals. One token is worth `multiplier` (wad) times the underlying's price: a split
/// changes the multiplier and no balance.
contract StockToken is ERC20, Roles {
    /// The exchange ledger, which mints what is bought and burns what is sold.
    address public immutable stock;
    uint256 public multiplier = 1e18;

    event MultiplierUpdated(uint256 oldMultiplier, uint256 newMultiplier);

    constructor(
        string memory name_,
        string memory symbol_,
        address stock_,
        address admin_,
        address settler_
    ) ERC20(name_, symbol_) Roles(admin_, settler_) {
        stock = stock_;
    }

    /// Stock mints for buys; the operators mint what sandbox users start with.
    function mint(address to, uint256 amount) external {
        if (msg.sender != stock && msg.sender != admin && msg.sender != settler) revert Unauthorized();
        _mint(to, amount);
    }

    /// Burns the caller's own tokens; only Stock does, for sells.
    function burn(uint256 amount) external {
        if (msg.sender != stock) revert Unauthorized();
        _burn(msg.sender, amount);
    }

    function setMultiplier(uint256 newMultiplier) external onlyOperators {
        if (newMultiplier == 0) revert InvalidConfig();
        emit MultiplierUpdated(multiplier, newMultiplier);
        multiplier = newMultiplier;
    }
}
