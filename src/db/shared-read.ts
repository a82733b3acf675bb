/**
 * Returns a read that all who ask at once share, as metrics do that are collected together. It answers null where the read
 * fails: the database being down is shown by /readyz, and /metrics answers all the same.
 */
export function createSharedRead<T>(read: () => Promise<T>): () => Promise<T | null> {
  let reading: Promise<T | null> | null = null;
  return () => {
    reading ??= read()
      .catch(() => null)
      .finally(() => {
        reading = null;
      });
    return reading;
  };
}
