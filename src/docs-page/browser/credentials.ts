/** The credentials that a test request is signed with. They are in the form's fields and nowhere else: no storage, no URL. */
export interface Credentials {
  apiKey: string;
  apiSecret: string;
  chainId: string;
  productType: string;
}

/** Events by which Scalar's window for test requests keeps the focus to itself. */
const FOCUS_EVENTS = ["focusin", "mousedown", "touchstart", "click"] as const;

/** Returns a function that reads the form, and is null where a field is missing; it then shows which. */
export function credentialsForm(form: HTMLFormElement): () => Credentials | null {
  form.addEventListener("submit", (event) => event.preventDefault());
  // The form is usable beside that window: the window's listeners, on the document, do not see what happens in the form.
  const keep = (event: Event) => {
    if (event.target instanceof Node && form.contains(event.target)) event.stopPropagation();
  };
  for (const type of FOCUS_EVENTS) window.addEventListener(type, keep, { capture: true });
  return () => {
    if (!form.reportValidity()) return null;
    const data = new FormData(form);
    const text = (name: keyof Credentials) => String(data.get(name) ?? "").trim();
    return {
      apiKey: text("apiKey"),
      apiSecret: text("apiSecret"),
      chainId: text("chainId"),
      productType: text("productType"),
    };
  };
}
