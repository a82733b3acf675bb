import { find, forgetOffers, offer } from "./dom.js";
import { mountPanel } from "./panel.js";
import { PANELS } from "./panels.js";
import { connect, messageOf, readMissing, TokenRefused } from "./service.js";

const REFRESH_MS = 5_000;

const entry = find(document, "#entry", HTMLFormElement);
const entryProblem = find(document, "#entry-problem", HTMLElement);
const tokenField = find(document, "#token", HTMLInputElement);
const view = find(document, "#view", HTMLElement);
const pauseButton = find(document, "#pause", HTMLButtonElement);
const refreshedAt = find(document, "#refreshed-at", HTMLElement);

/** Asks with the token that was typed; null before one was accepted. @type {import("./service.js").Ask | null} */
let ask = null;
let isPaused = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** What else an answer is good for. @type {Record<string, (dashboard: any) => void>} */
const LESSONS = { chains: offerScopes, keys: offerKeys };

const panels = Object.entries(PANELS).map(([id, panel]) =>
  mountPanel(find(document, `#${id}`, HTMLElement), panel, {
    ask: async (...request) => {
      if (!ask) throw new TokenRefused();
      return ask(...request);
    },
    missing: () => (id === "chains" ? readMissing() : Promise.resolve(null)),
    onAnswer: LESSONS[id],
    onRefused: () => {
      // Whoever was first has closed the page already.
      if (ask) close("The service does not accept this token any more.");
    },
  }),
);

/** Every open table once; tables that are closed cost the service nothing. */
async function refresh() {
  clearTimeout(timer);
  if (!ask) return;
  await Promise.all(panels.filter((panel) => panel.isOpen()).map((panel) => panel.load()));
  if (!ask) return;
  refreshedAt.textContent = new Date().toISOString().slice(11, 19);
  schedule();
}

function schedule() {
  clearTimeout(timer);
  if (ask && !isPaused && !document.hidden) timer = setTimeout(refresh, REFRESH_MS);
}

/** @param {string} token */
async function open(token) {
  entryProblem.textContent = "";
  const candidate = connect(token);
  try {
    await candidate(PANELS.chains.query, {});
  } catch (error) {
    entryProblem.textContent =
      error instanceof TokenRefused
        ? "Wrong token: the service does not know it. Check that all of it was pasted."
        : messageOf(error);
    tokenField.focus();
    return;
  }
  ask = candidate;
  entry.hidden = true;
  view.hidden = false;
  pauseButton.focus();
  await refresh();
}

/** Forgets the token and everything that was shown with it. @param {string} why */
function close(why) {
  ask = null;
  clearTimeout(timer);
  for (const panel of panels) panel.clear();
  forgetOffers();
  view.hidden = true;
  entry.hidden = false;
  entryProblem.textContent = why;
  tokenField.focus();
}

/** @param {any} dashboard */
function offerScopes({ chains }) {
  const chainIds = chains.map((/** @type {any} */ { chainId }) => String(chainId));
  const products = chains.flatMap((/** @type {any} */ chain) => chain.products);
  for (const [name, values] of Object.entries({ chainId: chainIds, productType: [...new Set(products)] })) {
    for (const choice of document.querySelectorAll(`select[name="${name}"]`)) {
      if (choice instanceof HTMLSelectElement) {
        offer(
          choice,
          values.map((/** @type {any} */ value) => ({ value, label: value })),
        );
      }
    }
  }
}

/** @param {any} dashboard */
function offerKeys({ keys }) {
  const choice = find(document, "#known-keys", HTMLDataListElement);
  offer(
    choice,
    keys.edges.map((/** @type {any} */ { node }) => ({ value: node.keyId, label: node.name })),
  );
}

entry.addEventListener("submit", (event) => {
  event.preventDefault();
  const token = tokenField.value.trim();
  tokenField.value = "";
  open(token);
});
find(document, "#forget", HTMLButtonElement).addEventListener("click", () => close(""));
find(document, "#refresh", HTMLButtonElement).addEventListener("click", refresh);
pauseButton.addEventListener("click", () => {
  isPaused = !isPaused;
  pauseButton.textContent = isPaused ? "Go on" : "Pause";
  if (isPaused) clearTimeout(timer);
  else refresh();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) clearTimeout(timer);
  else if (!isPaused) refresh();
});
tokenField.focus();
