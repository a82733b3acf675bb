import { useMemo, useState } from "preact/hooks";
import { createAsk } from "../service/ask.ts";
import { createLive } from "../service/live.ts";
import { type Entry, type Session, SessionContext } from "../service/session.ts";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";

const REFUSED =
  "The service does not accept this token any more: it has expired or was revoked. Sign in again to go on where you were.";

/** The page's root. The token lives in its state alone, so it is gone with the page. */
export function App() {
  const [entry, setEntry] = useState<Entry | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  if (entry === null) {
    return <SignIn reason={reason} onEntry={setEntry} />;
  }
  const end = (why: string | null) => {
    setReason(why);
    setEntry(null);
  };
  return <SignedIn {...entry} onEnd={end} />;
}

interface Props extends Entry {
  onEnd: (reason: string | null) => void;
}

function SignedIn({ token, me, environment, onEnd }: Props) {
  const session = useMemo((): Session => {
    const end = (reason: string | null) => {
      live.close();
      onEnd(reason);
    };
    const refuse = () => end(REFUSED);
    const live = createLive(token, refuse);
    const ask = createAsk(token, me.role);
    return { me, environment, ask, live, answers: new Map(), refuse, signOut: () => end(null) };
  }, [token, me, environment]);
  return (
    <SessionContext.Provider value={session}>
      <Shell />
    </SessionContext.Provider>
  );
}
