import { escapeHtml } from "../markdown.ts";
import type { Endpoint, Parameter } from "./document.ts";

/**
 * Renders the form of a test request. It is hidden: the script that signs and sends what is typed shows it
 * (packages/pages/src/docs/reference.ts).
 * @param body example of the body; null where the request has none
 */
export function testForm(
  { method, path, operation: { operationId } }: Endpoint,
  parameters: readonly Parameter[],
  body: unknown,
): string {
  const fields = parameters.map((parameter) => field(operationId, parameter));
  const area =
    body === null
      ? ""
      : `<label class="body">Body <textarea name="body" rows="8" spellcheck="false">${escapeHtml(JSON.stringify(body, null, 2))}</textarea></label>\n`;
  return `<details class="test" hidden><summary>Test request</summary>
<form method="post" autocomplete="off" aria-label="Test request: ${method} ${escapeHtml(path)}" data-method="${method}" data-path="${escapeHtml(path)}">
${fields.join("")}${area}<button type="submit">Send</button>
</form>
<pre class="answer" role="status" hidden></pre>
</details>`;
}

/** A parameter of the path has its example, others are empty. */
function field(operationId: string, { name, in: place, example, required }: Parameter): string {
  const value = place === "path" && example !== undefined ? ` value="${escapeHtml(String(example))}"` : "";
  const hint =
    place !== "path" && example !== undefined ? ` placeholder="${escapeHtml(String(example))}"` : "";
  const id = `${operationId}-${name}`;
  return `<label for="${id}">${escapeHtml(name)}</label> <input id="${id}" name="${place}:${escapeHtml(name)}"${value}${hint}${required ? " required" : ""} spellcheck="false">\n`;
}
