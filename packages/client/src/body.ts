/**
 * Reads a body chunk by chunk, until it ends or the signal is aborted. Node.js 20 drops the signal of `fetch` once the response
 * is garbage-collected, and then waits for a silent body forever. So the signal cancels the body here.
 * @throws the signal's reason
 */
export async function* readChunks(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  // A broken one cannot be canceled.
  const cancel = () => reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", cancel);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    // Frees the connection even where the reader leaves early.
    await cancel();
  }
}

/** Returns the body of a response as text. @throws the signal's reason */
export async function readText({ body }: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  if (body)
    for await (const chunk of readChunks(body, signal)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
