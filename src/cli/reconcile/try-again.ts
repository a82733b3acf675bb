/** Reads that do not fit together, as during a reorg: a moment later they may. */
export class TryAgain extends Error {
  override readonly name = "TryAgain";

  constructor(message: string, options?: ErrorOptions) {
    super(`${message}: try again`, options);
  }
}
