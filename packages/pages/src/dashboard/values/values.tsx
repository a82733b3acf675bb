import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { amount, coins, exactTime, NOTHING, relativeTime, shortCode, toneOf } from "./format.ts";
import { useNow } from "./use-now.ts";

type Maybe<T> = T | null | undefined;

/** Shows a time as its age, with the exact time as its title. */
export function Time({ at }: { at: Maybe<number> }) {
  const now = useNow();
  if (typeof at !== "number" || !Number.isFinite(at)) return <>{NOTHING}</>;
  const exact = exactTime(at);
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={exact}>
      {relativeTime(at, now)}
    </time>
  );
}

/** Shows a word of a fixed set in the colour of its tone. */
export function Status({ word }: { word: Maybe<string> }) {
  if (!word) return <>{NOTHING}</>;
  return (
    <span class="status" data-tone={toneOf(word)}>
      {word}
    </span>
  );
}

/** Shows an address, a hash or an identifier: shortened, with its whole as the title and for copying. */
export function Code({ value, href }: { value: Maybe<string>; href?: string | undefined }) {
  if (!value) return <>{NOTHING}</>;
  const code = <code title={value}>{shortCode(value)}</code>;
  return (
    <span class="code">
      {href ? <a href={href}>{code}</a> : code}
      <Copy value={value} />
    </span>
  );
}

/** Copies a text, even where the page is served without TLS: browsers then offer no clipboard, but obey this command. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  const { activeElement } = document;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
}

const COPIED_MS = 1_500;

/** Copies a text at a click. */
export function Copy({ value }: { value: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button
      type="button"
      class="copy"
      aria-label={`Copy ${value}`}
      data-copied={isCopied || undefined}
      onClick={copy}
    >
      <svg
        viewBox="0 0 16 16"
        width="13"
        height="13"
        aria-hidden="true"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
      >
        {isCopied ? <path d="M3 8.5 6.5 12 13 4.5" /> : <path d="M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z" />}
      </svg>
    </button>
  );
}

/** Shows a decimal number with separators and few digits; its title, and what is copied, have all of them. */
export function Amount({ value, unit }: { value: Maybe<string>; unit?: Maybe<string> }) {
  if (value === null || value === undefined) return <>{NOTHING}</>;
  const copy = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", value);
    event.preventDefault();
  };
  return (
    <>
      <data value={value} title={value} onCopy={copy}>
        {amount(value)}
      </data>
      {unit && <span class="unit"> {unit}</span>}
    </>
  );
}

export function Coins({ wei }: { wei: Maybe<string> }) {
  if (!wei) return <>{NOTHING}</>;
  return <span title={`${wei} wei`}>{coins(wei)}</span>;
}

/** Shows a text of any length in one line of a table: its title has all of it. */
export function Line({ text }: { text: Maybe<string> }) {
  if (!text) return <>{NOTHING}</>;
  return (
    <span class="name" title={text}>
      {text}
    </span>
  );
}

export function Text({ children }: { children?: ComponentChildren }) {
  const isNothing = children === null || children === undefined || children === "";
  return <>{isNothing ? NOTHING : children}</>;
}
