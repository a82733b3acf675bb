/** What a test request is signed with. It is in the form's fields and nowhere else: no storage, no URL. */
export interface Credentials {
  apiKey: string;
  apiSecret: string;
  chainId: string;
  productType: string;
}

/** Returns a function that reads the form, and is null where a field is missing; it then shows which. */
export function credentialsForm(form: HTMLFormElement): () => Credentials | null {
  form.addEventListener("submit", (event) => event.preventDefault());
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
