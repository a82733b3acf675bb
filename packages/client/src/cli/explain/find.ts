import { canonicalUris } from "../../../../../src/protocol/signing.ts";
import { normalizedSignature, rightSignature, SIGNATURE_MISTAKES } from "./digests.ts";
import { type Draft, draftText, type Request } from "./draft.ts";
import { PAYLOAD_MISTAKES } from "./mistakes.ts";

/** A mistake for display: its description, and its correction. */
export interface NamedMistake {
  does: string;
  fix: string;
}

/** Mistakes found, none where all is right; null where no typical mistakes explain it. */
export type Finding = readonly NamedMistake[] | null;

interface Candidate {
  draft: Draft;
  mistakes: readonly NamedMistake[];
}

/** Finds the mistakes behind a signed string. */
export function explainPayload(request: Request, right: Draft, payload: string): Finding {
  return candidates(request, right).get(payload) ?? null;
}

/**
 * Finds the mistakes behind a sent signature.
 * @param payload the signed string, where it is known; else it is one of the strings that typical mistakes make
 */
export function explainSignature(
  request: Request,
  right: Draft,
  {
    signature,
    payload,
    secret,
    apiKey,
  }: { signature: string; payload?: string; secret: string; apiKey: string },
): Finding {
  const sought = normalizedSignature(signature);
  const texts = payload === undefined ? candidates(request, right) : new Map([[payload, []]]);
  for (const [text, mistakes] of texts) if (rightSignature(text, secret) === sought) return mistakes;
  for (const [text, mistakes] of texts) {
    // Three mistakes at once are not searched for.
    const mistake =
      mistakes.length < 2 && SIGNATURE_MISTAKES.find(({ sign }) => sign(text, secret, apiKey) === sought);
    if (mistake) return [...mistakes, mistake];
  }
  return null;
}

/** Returns the strings that result from no mistake, one, or two of them. Where several mistakes give one string, the fewest count. */
function candidates(request: Request, right: Draft): Map<string, readonly NamedMistake[]> {
  const none: Candidate = { draft: right, mistakes: [] };
  const once = applyMistakes(request, none);
  const twice = once.flatMap((candidate) => applyMistakes(request, candidate));
  const found = new Map<string, readonly NamedMistake[]>(acceptedTexts(right).map((text) => [text, []]));
  for (const { draft, mistakes } of [...once, ...twice]) {
    const text = draftText(draft);
    if (!found.has(text)) found.set(text, mistakes);
  }
  return found;
}

function applyMistakes(request: Request, { draft, mistakes }: Candidate): Candidate[] {
  return PAYLOAD_MISTAKES.filter((mistake) => !mistakes.includes(mistake)).flatMap((mistake) =>
    mistake.make(draft, request).map((wrong) => ({ draft: wrong, mistakes: [...mistakes, mistake] })),
  );
}

/** Returns the texts that the server accepts: with the query as sent, and percent-decoded where that is unambiguous. */
function acceptedTexts(right: Draft): string[] {
  const { path, query } = right;
  const decoded = canonicalUris(query === "" ? path : `${path}?${query}`)?.decoded;
  const forms = decoded ? [right, { ...right, path: decoded, query: "" }] : [right];
  return forms.map(draftText);
}
