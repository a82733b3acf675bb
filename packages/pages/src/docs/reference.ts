import { credentialsForm } from "./credentials.ts";
import { hintFor } from "./hint.ts";
import { signedFetch } from "./signed-fetch.ts";
import { requestOf } from "./test-request.ts";

/** Shows the forms of test requests, which the service's markup has hidden, and sends what they say. */
const base = new URL("..", location.href);
const credentials = document.querySelector<HTMLDetailsElement>("#credentials");
const credentialFields = credentials?.querySelector("form");
if (!credentials || !credentialFields) throw new Error("the page has no form of credentials");

const send = signedFetch({
  send: window.fetch.bind(window),
  base,
  credentials: credentialsForm(credentialFields, () => {
    credentials.open = true;
  }),
});

/** Sends a request and shows the answer. */
async function test(form: HTMLFormElement, shown: HTMLElement): Promise<void> {
  shown.hidden = false;
  shown.textContent = "…";
  try {
    const response = await send(...requestOf(form, base));
    const hint = await hintFor(response.clone(), Date.now());
    const text = `HTTP ${response.status}\n\n${pretty(await response.text())}`;
    shown.textContent = hint === null ? text : `${hint}\n\n${text}`;
  } catch (error) {
    shown.textContent = error instanceof Error ? error.message : String(error);
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

credentials.hidden = false;
for (const details of document.querySelectorAll<HTMLElement>("details.test")) {
  const form = details.querySelector("form");
  const shown = details.querySelector<HTMLElement>(".answer");
  if (!form || !shown) continue;
  details.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void test(form, shown);
  });
}
