/** Returns a number as so many bytes, for hashes and addresses that tests make up. */
export const hex = (bytes: number, value: number): `0x${string}` =>
  `0x${value.toString(16).padStart(bytes * 2, "0")}`;

/** A product's contracts, where rows alone are tested and no chain is asked. */
export const CONTRACTS = {
  startBlock: 0,
  stockRouter: hex(20, 1),
  cashier: hex(20, 2),
  stock: hex(20, 3),
  oneClickRouter: hex(20, 4),
};
