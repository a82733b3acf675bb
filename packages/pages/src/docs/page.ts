import { credentialsForm } from "./credentials.ts";
import { hintFor } from "./hint.ts";
import { signedFetch } from "./signed-fetch.ts";

/** Global of Scalar's script, which is loaded before this one. */
declare const Scalar: {
  createApiReference(selector: string, configuration: Record<string, unknown>): void;
};

/** Part of the OpenAPI document that the page changes. */
interface Reference {
  security?: unknown;
  components?: Record<string, unknown>;
}

function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no #${id}`);
  return found;
}

const base = new URL("..", location.href);
const hint = element("hint", HTMLParagraphElement);

async function explain(response: Response): Promise<void> {
  const text = await hintFor(response, Date.now());
  hint.hidden = text === null;
  hint.textContent = text;
}

/** Returns the document without its security schemes: the page signs by itself, so Scalar needs no form for six headers. */
function withoutSecurity({ security: _security, components = {}, ...rest }: Reference): Reference {
  const { securitySchemes: _schemes, ...others } = components;
  return { ...rest, components: others };
}

async function show(): Promise<void> {
  const answer = await fetch(new URL("openapi.json", base));
  if (!answer.ok) throw new Error(`openapi.json answered ${answer.status}`);
  // Scalar sends through the global fetch, for every kind of request.
  window.fetch = signedFetch({
    send: window.fetch.bind(window),
    base,
    credentials: credentialsForm(element("credentials", HTMLFormElement)),
    onAnswer: (response) => void explain(response),
  });
  Scalar.createApiReference("#reference", {
    content: withoutSecurity((await answer.json()) as Reference),
    // Every request to services elsewhere is off. The content security policy blocks them, too.
    telemetry: false,
    withDefaultFonts: false,
    hideClientButton: true,
    showDeveloperTools: "never",
    agent: { disabled: true },
    persistAuth: false,
    // Samples are the document's own (x-codeSamples), because Scalar's cannot sign.
    hiddenClients: true,
    documentDownloadType: "none",
    orderSchemaPropertiesBy: "preserve",
  });
}

void show().catch((error: unknown) => {
  hint.hidden = false;
  hint.textContent = `The reference cannot be shown: ${error instanceof Error ? error.message : error}`;
});
