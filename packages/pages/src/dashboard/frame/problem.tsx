/** Shows a failed call to the service, and a button that repeats it. */
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
