import { EventEmitter } from "node:events";

/**
 * The little of a browser that the page uses, so that its scripts run here: elements made of page.html, events, forms.
 * It knows no layout and reads no markup from scripts: what goes in as text comes out as text.
 */
export class StandIn extends EventEmitter {
  readonly tag: string;
  readonly attributes = new Map<string, string>();
  children: (StandIn | string)[] = [];
  parent: StandIn | null = null;
  hidden = false;
  disabled = false;
  private filled: string | null = null;

  constructor(tag = "") {
    super();
    this.tag = tag;
  }

  get elements(): StandIn[] {
    return this.children.flatMap((child) => (typeof child === "string" ? [] : [child, ...child.elements]));
  }
  get textContent(): string {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }
  set textContent(text: string) {
    this.replaceChildren(...(text === "" ? [] : [text]));
  }
  get value(): string {
    if (this.tag === "option") return this.attributes.get("value") ?? this.textContent;
    return this.filled ?? "";
  }
  set value(value: string) {
    this.filled = value;
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
    if (name === "hidden") this.hidden = true;
  }
  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }
  append(...children: (StandIn | string)[]): void {
    for (const child of children) if (typeof child !== "string") child.parent = this;
    this.children.push(...children);
  }
  replaceChildren(...children: (StandIn | string)[]): void {
    this.children = [];
    this.append(...children);
  }
  remove(): void {
    if (this.parent) this.parent.children = this.parent.children.filter((child) => child !== this);
  }
  /** Knows `tag`, `#id` and `tag[name]` or `tag[name="value"]`. */
  querySelectorAll(selector: string): StandIn[] {
    const [, tag, id, name, value] =
      /^(\w*)(?:#([\w-]+))?(?:\[([\w-]+)(?:="([^"]*)")?\])?$/.exec(selector) ?? [];
    return this.elements.filter(
      (element) =>
        (!tag || element.tag === tag) &&
        (!id || element.attributes.get("id") === id) &&
        (!name ||
          (value === undefined ? element.hasAttribute(name) : element.attributes.get(name) === value)),
    );
  }
  querySelector(selector: string): StandIn | null {
    return this.querySelectorAll(selector)[0] ?? null;
  }
  addEventListener(name: string, listener: (event: unknown) => void): void {
    this.on(name, listener);
  }
  /** Does what a reader does. */
  act(name: string): void {
    if (!this.disabled) this.emit(name, { preventDefault: () => undefined });
  }
  reset(): void {
    for (const element of this.elements) element.value = "";
  }
  focus(): void {}
}

class Form extends StandIn {}
class Input extends StandIn {}
class Button extends StandIn {}
class Select extends StandIn {}
class DataList extends StandIn {}
const KINDS: Record<string, new (tag: string) => StandIn> = {
  form: Form,
  input: Input,
  button: Button,
  select: Select,
  datalist: DataList,
};
const make = (tag: string) => new (KINDS[tag] ?? StandIn)(tag);

const VOID = new Set(["meta", "link", "input"]);

function parsePage(html: string): StandIn {
  const root = make("document");
  let open = root;
  for (const [, end, tag = "", attributes = "", text] of html.matchAll(/<(\/?)([a-z]\w*)([^>]*)>|([^<]+)/g)) {
    if (text !== undefined) {
      if (text.trim()) open.append(text.trim());
    } else if (end) open = open.parent ?? root;
    else {
      const made = make(tag);
      for (const [, name = "", value = ""] of attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)) {
        made.setAttribute(name, value);
      }
      open.append(made);
      if (!VOID.has(tag)) open = made;
    }
  }
  return root;
}

/** Puts the page and the browser's names where scripts look for them. */
export function openBrowser(
  html: string,
  fetch: (path: string, request: RequestInit) => Promise<Response>,
): StandIn {
  const document = parsePage(html);
  class Filled {
    constructor(private readonly form: StandIn) {}
    *[Symbol.iterator]() {
      for (const field of this.form.elements) {
        const name = field.attributes.get("name");
        if (name) yield [name, field.value];
      }
    }
  }
  Object.assign(globalThis, {
    document: Object.assign(document, { createElement: make }),
    HTMLElement: StandIn,
    HTMLFormElement: Form,
    HTMLInputElement: Input,
    HTMLButtonElement: Button,
    HTMLSelectElement: Select,
    HTMLDataListElement: DataList,
    FormData: Filled,
    fetch,
  });
  return document;
}
