/** Thrown where reads do not fit together, as during a reorg; a later try may succeed. */
export class TryAgain extends Error {
  override readonly name = "TryAgain";

  constructor(message: string, options?: ErrorOptions) {
    super(`${message}: try again`, options);
  }
}
