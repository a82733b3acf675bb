/** What was read does not fit together now, as during a reorg: the same may work a moment later. */
export class TryAgain extends Error {
  override readonly name = "TryAgain";

  constructor(message: string, options?: ErrorOptions) {
    super(`${message}: try again`, options);
  }
}
