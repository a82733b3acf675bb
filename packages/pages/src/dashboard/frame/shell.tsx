import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ChainPage } from "../detail/chain-page.tsx";
import { KeyPage } from "../detail/key-page.tsx";
import { RequestPage } from "../detail/request-page.tsx";
import { TimelinePage } from "../detail/timeline-page.tsx";
import { UserPage } from "../detail/user-page.tsx";
import { WalletPage } from "../detail/wallet-page.tsx";
import { DeliveryPage, WebhookPage } from "../detail/webhook-page.tsx";
import { listNamed } from "../lists/index.ts";
import { Overview } from "../overview/overview.tsx";
import { Problems } from "../service/documents.ts";
import { useSession } from "../service/session.ts";
import { type Answer, NO_EVENT, useAsk } from "../service/use-ask.ts";
import { useEvery } from "../service/use-every.ts";
import { ListPage } from "../table/list-page.tsx";
import { exactTime } from "../values/format.ts";
import { Help } from "./help.tsx";
import { InstallationProvider } from "./installation-provider.tsx";
import { LiveBadge } from "./live-badge.tsx";
import { OutageContext } from "./reading.tsx";
import { hrefOf, type Route } from "./route.ts";
import { SearchBox } from "./search-box.tsx";
import { isField, listenForShortcuts } from "./shortcuts.ts";
import { StatusStrip } from "./status-strip.tsx";
import { toggleTheme, useTheme } from "./theme.ts";
import { useRoute } from "./use-route.ts";
import { currentOf, mayGo, VIEWS } from "./views.ts";

const TITLE = document.title;
/** Interval of reading problems, ms: no event reports them. */
const PROBLEMS_MS = 3_000;

/** Frame around every view: navigation, search, state of the connection. */
export function Shell() {
  const route = useRoute();
  const { me, environment } = useSession();
  const main = useRef<HTMLElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const [isHelpOpen, setHelpOpen] = useState(false);
  useEffect(
    () => listenForShortcuts({ search: () => search.current?.focus(), help: () => setHelpOpen(true) }),
    [],
  );
  useEffect(() => {
    document.title = [environment?.name, TITLE].filter(Boolean).join(" · ");
    return () => {
      document.title = TITLE;
    };
  }, [environment]);
  const view = route.path[0] ?? "overview";
  const state = useAsk(Problems, {}, NO_EVENT);
  useEvery(PROBLEMS_MS, state.reload);
  const isOut = useOutage(state);
  // A new view begins at its top, also for the keyboard, unless a field got the focus meanwhile.
  useLayoutEffect(() => {
    if (!isField(document.activeElement)) main.current?.focus();
    scrollTo(0, 0);
    // On a phone the views have no room beside each other.
    document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [route.path.join("/")]);
  return (
    <InstallationProvider>
      <header class="top" data-colour={environment?.colour}>
        <a class="name" href={hrefOf(["overview"])}>
          Trading operations
        </a>
        {environment && (
          <strong class="environment" data-colour={environment.colour}>
            {environment.name}
          </strong>
        )}
        <SearchBox field={search} />
        <LiveBadge state={state} />
        <Buttons onHelp={() => setHelpOpen(true)} />
      </header>
      <nav aria-label="Views">
        {VIEWS.filter(({ name }) => mayGo(name, me.role)).map(({ name, title }) => (
          <a key={name} href={hrefOf([name])} aria-current={currentOf(name, view)}>
            {title}
          </a>
        ))}
      </nav>
      <main ref={main} tabIndex={-1}>
        <StatusStrip state={state} isOverview={view === "overview"} />
        <OutageContext.Provider value={isOut}>
          {mayGo(view, me.role) ? <View route={route} name={view} /> : <ForOperators />}
        </OutageContext.Provider>
      </main>
      <Help isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </InstallationProvider>
  );
}

/** Time after an outage within which everything is read again, ms. */
const RETURN_MS = 5_000;

/** Returns true while the service does not answer, and until the page has read everything again. */
function useOutage({ error, isLate }: Answer<unknown>): boolean {
  const { live } = useSession();
  const hasFailed = error !== null;
  const [isOut, setOut] = useState(false);
  useEffect(() => {
    if (hasFailed) return setOut(true);
    if (!isOut) return;
    live.readAgain();
    const timer = setTimeout(() => setOut(false), RETURN_MS);
    return () => clearTimeout(timer);
  }, [hasFailed]);
  return hasFailed || isOut || isLate;
}

const TIMELINES = ["order", "operation", "send", "transaction"];

function View({ route, name }: { route: Route; name: string }) {
  const list = listNamed(name);
  if (list) return <ListPage key={name} spec={list} query={route.query} />;
  if (name === "overview") return <Overview query={route.query} />;
  const id = route.path[1];
  if (id) return <Detail kind={name} id={id} chainId={Number(route.query.chainId) || undefined} />;
  return <UnknownView name={name} />;
}

function Detail({ kind, id, chainId }: { kind: string; id: string; chainId: number | undefined }) {
  if (TIMELINES.includes(kind)) return <TimelinePage key={id} kind={kind} id={id} chainId={chainId} />;
  if (kind === "user") return <UserPage key={id} address={id} />;
  if (kind === "key") return <KeyPage key={id} keyId={id} />;
  if (kind === "request") return <RequestPage key={id} uuid={id} />;
  if (kind === "webhook") return <WebhookPage key={id} webhookId={id} />;
  if (kind === "delivery") return <DeliveryPage key={id} deliveryId={id} />;
  if (kind === "chain") return <ChainPage key={id} id={id} />;
  if (kind === "wallet") return <WalletPage key={id} wallet={id} chainId={chainId} />;
  return <UnknownView name={kind} />;
}

function ForOperators() {
  return (
    <>
      <h1>For operators alone</h1>
      <p>The role viewer has no user addresses and no audit log.</p>
    </>
  );
}

function UnknownView({ name }: { name: string }) {
  return (
    <>
      <h1>Nothing is here</h1>
      <p>
        This page knows no view “{name}”. <a href={hrefOf(["overview"])}>Go to the overview</a>.
      </p>
    </>
  );
}

function Buttons({ onHelp }: { onHelp: () => void }) {
  const { me, signOut } = useSession();
  const theme = useTheme();
  return (
    <span class="buttons">
      <button type="button" class="quiet" onClick={toggleTheme}>
        {theme === "dark" ? "Light" : "Dark"}
      </button>
      <button type="button" class="quiet" onClick={onHelp} aria-label="Keys">
        ?
      </button>
      <span
        class="me"
        title={me.expiresAt === null ? undefined : `The token ends ${exactTime(me.expiresAt)}`}
      >
        {me.name}, {me.role}
      </span>
      <button type="button" class="quiet" onClick={signOut}>
        Sign out
      </button>
    </span>
  );
}
