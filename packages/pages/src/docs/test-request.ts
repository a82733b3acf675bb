/** Returns the request that a form describes, as fetch takes it: fields that are empty are left out. */
export function requestOf(form: HTMLFormElement, base: URL): [URL, RequestInit] {
  const values = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()] as const);
  const given = (place: string) =>
    values.flatMap(([name, value]) => {
      const isGiven = name.startsWith(`${place}:`) && value !== "";
      return isGiven ? [[name.slice(place.length + 1), value] as const] : [];
    });
  const path = given("path").reduce(
    (template, [name, value]) => template.replace(`{${name}}`, encodeURIComponent(value)),
    form.dataset.path ?? "",
  );
  const url = new URL(path.slice(1), base);
  // Blanks as %20: the service signs the pairs as they are sent.
  url.search = given("query")
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  const body = values.find(([name]) => name === "body")?.[1] ?? "";
  const headers = new Headers(given("header").map(([name, value]) => [name, value]));
  if (body !== "") headers.set("content-type", "application/json");
  return [url, { method: form.dataset.method, headers, ...(body === "" ? {} : { body }) }];
}
