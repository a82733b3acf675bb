/** Credentials that sign a test request. They are in the form's fields and nowhere else: no storage, no URL. */
export interface Credentials {
  apiKey: string;
  apiSecret: string;
  chainId: string;
  productType: string;
}

/**
 * Returns a function that reads the form. It returns null where a field is missing, and shows which.
 * @param open shows the form, which may be folded
 */
export function credentialsForm(form: HTMLFormElement, open: () => void): () => Credentials | null {
  form.addEventListener("submit", (event) => event.preventDefault());
  return () => {
    if (!form.checkValidity()) {
      open();
      form.reportValidity();
      return null;
    }
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
