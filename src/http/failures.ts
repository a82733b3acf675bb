import { toDatabaseError } from "../db/errors.ts";
import { ApiError } from "../protocol/errors.ts";

/**
 * Returns the ApiError that callers get, for anything that was thrown: the ApiError itself, also where GraphQL wrapped
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

/**
 * Returns true for an error of `fetch`, which calls to chain nodes and market data use. A socket's error does not name its
 * owner.
 */
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
