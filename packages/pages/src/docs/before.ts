/**
 * Lets Scalar's script, which runs later, style the page under `style-src 'self'`. Scalar makes <style> elements and sets style
 * attributes, which that policy blocks because markup from elsewhere could do the same. Style sheets that a script constructs,
 * and properties that it sets, are not inline: the same rules arrive by those ways.
 */
const createElement = document.createElement.bind(document);
const sheets = new Map<HTMLElement, CSSStyleSheet>();
const texts = new WeakMap<CSSStyleSheet, string>();

/** Adopts the text of every stand-in that is in the document, and drops those that have left it. */
function adopt(): void {
  for (const [element, sheet] of sheets) {
    const text = element.textContent ?? "";
    if (texts.get(sheet) === text) continue;
    texts.set(sheet, text);
    sheet.replaceSync(text);
  }
  const present = [...sheets].filter(([element]) => element.isConnected).map(([, sheet]) => sheet);
  const adopted = document.adoptedStyleSheets;
  const isSame =
    adopted.length === present.length && present.every((sheet, index) => sheet === adopted[index]);
  if (!isSame) document.adoptedStyleSheets = present;
}

const observer = new MutationObserver(adopt);
observer.observe(document, { childList: true, subtree: true, characterData: true });

document.createElement = (name: string, options?: ElementCreationOptions) => {
  if (name.toLowerCase() !== "style") return createElement(name, options);
  const standIn = createElement("adopted-style");
  standIn.hidden = true;
  sheets.set(standIn, new CSSStyleSheet());
  return standIn;
};

const { setAttribute } = Element.prototype;
Element.prototype.setAttribute = function (this: Element, name: string, value: string) {
  if (name === "style" && this instanceof HTMLElement) this.style.cssText = value;
  else setAttribute.call(this, name, value);
};
