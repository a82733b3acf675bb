/** What went wrong with a question to the service, and a button that asks again. */
export function Problem({ text, onRetry }: { text: string; onRetry: () => void }) {
  return (
    <p class="problem" role="alert">
      {text}{" "}
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}
