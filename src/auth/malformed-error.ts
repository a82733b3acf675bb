/** Reports a malformed value from an operator: exit code 2 of a command. */
export class MalformedError extends Error {
  override readonly name = "MalformedError";
}
