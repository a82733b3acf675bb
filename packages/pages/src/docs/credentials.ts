/** Credentials that sign a test request. They are in the form's fields and nowhere else: no storage, no URL. */
export interface Credentials {
  apiKey: string;
  apiSecret: string;
  chainId: string;
  productType: string;
}

/** Events by which Scalar's window for test requests keeps the focus. */
const FOCUS_EVENTS = ["focusin", "mousedown", "touchstart", "click"] as const;

/** Returns a function that reads the form. It returns null where a field is missing, and shows which. */
export function credentialsForm(form: HTMLFormElement): () => Credentials | null {
  form.addEventListener("submit", (event) => event.preventDefault());
  // Keeps the form's events from the window's listeners on the document, so that the form works beside that window.
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
