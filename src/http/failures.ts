import { toDatabaseError } from "../db/errors.ts";
import { ApiError } from "../protocol/errors.ts";

/**
 * Returns the ApiError that callers are told of, for anything that was thrown: the ApiError itself, also where GraphQL wrapped
 * it; what the database's failure means; INTERNAL for everything else, with the original as its cause.
 */
export function toApiError(error: unknown): ApiError {
  const thrown = unwrap(error);
  if (thrown instanceof ApiError) return thrown;
  const database = causes(thrown).some(isFetchError) ? null : toDatabaseError(thrown);
  return database ?? new ApiError("INTERNAL", { cause: thrown });
}

/** Unwraps what GraphQL wrapped, once or more often. */
function unwrap(error: unknown): unknown {
  let current = error;
  while (isObject(current) && "originalError" in current && current.originalError) {
    current = current.originalError;
  }
  return current;
}

/** A socket's error does not name its owner. Those of chain nodes and of market data come through fetch. */
function isFetchError(error: object): boolean {
  return "name" in error && error.name === "TypeError";
}

function causes(error: unknown): object[] {
  const found: object[] = [];
  let current = error;
  while (isObject(current) && !found.includes(current)) {
    found.push(current);
    current = "cause" in current ? current.cause : undefined;
  }
  return found;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
