import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Ask } from "./ask.ts";
import type { Live } from "./live.ts";

/** The signed-in user. */
export interface Me {
  name: string;
  role: string;
  expiresAt: number | null;
}

/** Name and colour of this installation; null without a name. */
type Environment = { name: string; colour: string } | null;

/** Result of a sign-in. */
export interface Entry {
  token: string;
  me: Me;
  environment: Environment;
}

/** An answer, and when it came, milliseconds. */
interface KeptAnswer {
  data: unknown;
  at: number;
}

/** Session of one sign-in. It ends with the tab, or when the reader signs out. */
export interface Session {
  me: Me;
  environment: Environment;
  ask: Ask;
  live: Live;
  /** Answers by document and variables, so that going back shows the earlier content at once. */
  answers: Map<string, KeptAnswer>;
  /** Ends the session because the service refuses the token. */
  refuse(): void;
  signOut(): void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("no session");
  return session;
}
