import { useEffect, useRef, useState } from "preact/hooks";
import { createAsk, messageOf, TokenRefused } from "../service/ask.ts";
import { Me as MeDocument } from "../service/documents.ts";
import type { Entry } from "../service/session.ts";

interface Props {
  /** Reason for a new sign-in. */
  reason: string | null;
  onEntry: (entry: Entry) => void;
}

/** Asks for the token, and tries it before the page opens. */
export function SignIn({ reason, onEntry }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState(reason);
  const [isTrying, setTrying] = useState(false);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? "";
    if (isTrying || !token) return;
    setTrying(true);
    setProblem(null);
    try {
      const { dashboard } = await createAsk(token)(MeDocument, {});
      onEntry({ token, ...dashboard });
    } catch (error) {
      setTrying(false);
      setProblem(
        error instanceof TokenRefused ? "Wrong token: the service does not accept it." : messageOf(error),
      );
    }
  };
  return (
    <main class="sign-in">
      <h1>Trading operations</h1>
      <form id="entry" method="post" onSubmit={submit}>
        <label for="token">Dashboard token</label>
        <input
          ref={field}
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          aria-describedby="token-note entry-problem"
        />
        <button type="submit" class="primary" disabled={isTrying}>
          {isTrying ? "Signing in…" : "Sign in"}
        </button>
        <p id="entry-problem" class="problem" role="alert">
          {problem}
        </p>
        <p id="token-note" class="note">
          The token stays in this page's memory. Reloading or closing the page signs out.
        </p>
      </form>
    </main>
  );
}
