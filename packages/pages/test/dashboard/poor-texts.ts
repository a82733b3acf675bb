/** Runs in the page: returns the number of shown texts, and those with a contrast below 4.5 to 1. */
export function findPoorTexts(): { texts: number; poor: string[] } {
  const parse = (colour: string) => [...colour.matchAll(/[\d.]+/g)].map(Number);
  const linear = (part: number) => (part <= 10.3 ? part / 3_294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const lightOf = ([red = 0, green = 0, blue = 0]: number[]) =>
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const groundOf = (element: Element | null): number[] => {
    if (!element) return [];
    const colour = parse(getComputedStyle(element).backgroundColor);
    return colour[3] === 0 ? groundOf(element.parentElement) : colour;
  };
  const hasText = (element: Element) =>
    element.matches("input, select") ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim());
  const texts = [...document.querySelectorAll("body *")]
    .filter((element) => element.checkVisibility() && hasText(element))
    .flatMap((element) =>
      [null, "::placeholder"].slice(0, element.matches("input") ? 2 : 1).map((part) => ({ element, part })),
    );
  const poor = texts.filter(({ element, part }) => {
    const text = lightOf(parse(getComputedStyle(element, part).color));
    const ground = lightOf(groundOf(element));
    return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05) < 4.5;
  });
  return { texts: texts.length, poor: poor.map(({ element, part }) => `${element.outerHTML} ${part}`) };
}
