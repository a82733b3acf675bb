/** Reports a value of an operator's that is not of the form it must have: exit code 2 of a command. */
export class MalformedError extends Error {
  override readonly name = "MalformedError";
}
