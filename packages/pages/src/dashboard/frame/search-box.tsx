import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { hrefOfHit, onlyView } from "../detail/hits.ts";
import { messageOf, TokenRefused } from "../service/ask.ts";
import { type HitFragment, Search } from "../service/documents.ts";
import { useSession } from "../service/session.ts";
import { navigate } from "./use-route.ts";

/** Pause of typing after which the search runs. */
const REST_MS = 250;
const LENGTH_MIN = 2;

const LOOKED_FOR =
  "orders, operations, transactions, requests to send, users, wallets, tokens, keys, webhooks, deliveries, events and requests";

interface Found {
  text: string;
  hits: readonly HitFragment[];
  error: string | null;
}

/** Searches by an id, a name or a hash. Enter opens the chosen hit, or an only one. */
export function SearchBox({ field }: { field: RefObject<HTMLInputElement> }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(-1);
  /** Entry chosen by the arrow keys, even before it is drawn. */
  const chosenNow = useRef(-1);
  const choose = (index: number) => {
    chosenNow.current = index;
    setChosen(index);
  };
  const [isOpen, setOpen] = useState(false);
  const goesAt = useRef<string | null>(null);
  const found = useSearch(text);
  const isCurrent = found?.text === text.trim();
  const go = (href: string | undefined) => {
    if (!href) return;
    navigate(href);
    setText("");
    setOpen(false);
    field.current?.blur();
  };
  // Before the hits show: an effect after the paint would undo a key pressed as soon as they do.
  useLayoutEffect(() => {
    choose(-1);
    if (!found || goesAt.current !== found.text) return;
    goesAt.current = null;
    go(onlyView(found.hits));
  }, [found]);
  const keydown = (event: KeyboardEvent) => {
    const hits = found?.hits ?? [];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      choose(Math.min(Math.max(chosenNow.current + step, 0), hits.length - 1));
    }
    if (event.key === "Escape") setOpen(false);
    if (event.key !== "Enter") return;
    event.preventDefault();
    const hit = hits[chosenNow.current];
    if (!isCurrent) goesAt.current = text.trim();
    else go(hit ? hrefOfHit(hit) : onlyView(hits));
  };
  const shows = isOpen && isCurrent && found !== null;
  return (
    <search class="search">
      <input
        ref={field}
        type="search"
        role="combobox"
        aria-label="Search"
        aria-expanded={shows}
        aria-controls="hits"
        aria-activedescendant={shows && chosen >= 0 ? `hit-${chosen}` : undefined}
        placeholder="Search id, hash, address, key (/)"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={keydown}
      />
      {shows && <Hits found={found} chosen={chosen} onGo={go} />}
    </search>
  );
}

function Hits({
  found,
  chosen,
  onGo,
}: {
  found: Found;
  chosen: number;
  onGo: (href: string | undefined) => void;
}) {
  return (
    <div class="hits" id="hits" role="listbox" aria-label="Hits">
      {found.error && <p class="problem">{found.error}</p>}
      {!found.error && found.hits.length === 0 && (
        <p role="status">
          Nothing has this id, hash, address or name: looked for {LOOKED_FOR}. A request that only read, or
          that was answered over 14 days ago, is in the logs alone.
        </p>
      )}
      {found.hits.map((hit, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of the list
        <div
          key={`${hit.kind} ${hit.id} ${hit.chainId}`}
          id={`hit-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          // The field keeps the focus, so that the list does not close before the click.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onGo(hrefOfHit(hit))}
        >
          <span class="kind">{hit.kind}</span>
          <span class="what">{hit.title}</span>
          <span class="unit">{hit.chainId ?? ""}</span>
        </div>
      ))}
    </div>
  );
}

/** Returns the search's hits, once typing pauses. */
function useSearch(typed: string): Found | null {
  const { ask, refuse } = useSession();
  const [found, setFound] = useState<Found | null>(null);
  const text = typed.trim();
  useEffect(() => {
    if (text.length < LENGTH_MIN) return setFound(null);
    const asking = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const { dashboard } = await ask(Search, { text }, asking.signal);
        if (!asking.signal.aborted) setFound({ text, hits: dashboard.search, error: null });
      } catch (error) {
        if (asking.signal.aborted) return;
        if (error instanceof TokenRefused) return refuse();
        setFound({ text, hits: [], error: messageOf(error) });
      }
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [text, ask, refuse]);
  return found;
}
