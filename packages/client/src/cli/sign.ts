import { API_PREFIX } from "../../../../src/protocol/signing.ts";
import { type CredentialOptions, type Credentials, findCredentials, withCredentials } from "./credentials.ts";
import { causeOf, send } from "./exchange.ts";
import { rightDraft } from "./explain/draft.ts";
import { type Evidence, readEvidence } from "./explain/evidence.ts";
import { explainPayload, explainSignature, type Finding } from "./explain/find.ts";
import { presentCanonical, presentDifference } from "./explain/visible.ts";
import { describeSkew } from "./failure.ts";
import { queryOf, queryText, type SignedRequest, signRequest } from "./signed-request.ts";
import { readTarget, type Target, withTarget } from "./target.ts";
import { CommandError, createCommand, print, type Terminal } from "./terminal.ts";

interface SignOptions extends CredentialOptions, Evidence {
  explain?: true;
}

const EXAMPLES = `
Examples:
  $ partner-trading sign GET /orders status=New limit=5 --explain
  $ partner-trading sign GET /orders status=New limit=5 --payload what-we-signed.txt
  $ partner-trading sign POST /orders/send @body.json --signature 5f0c… --timestamp 1795226400000 --nonce 3f2b…
  $ curl -H @<(partner-trading sign GET /symbols) https://api.example.com/api/v1/symbols`;

/** `partner-trading sign`: prints the headers of a request, and explains its signature. */
export function signCommand(terminal: Terminal) {
  const command = createCommand("sign", terminal)
    .description("Prints the headers of a signed request; finds out why a signature is refused")
    .option(
      "--explain",
      "show the string that is signed line by line, and the clock's difference from the server's",
    )
    .option("--payload <text>", "what your program signed, or a file with it: finds the first difference")
    .option("--signature <hex>", "what your program sent as x-api-sign: finds the mistake that makes it")
    .option("--timestamp <ms>", "x-api-ts that your program sent")
    .option("--nonce <uuid>", "x-api-nonce that your program sent")
    .action(async (method: string, path: string, pairs: string[], options: SignOptions) => {
      const target = await readTarget(terminal, [method, path, pairs]);
      const credentials = await findCredentials(terminal, options);
      const evidence = await readEvidence(terminal, options);
      const signed = await signRequest(credentials, target, evidence);
      const { payload, signature } = evidence;
      if (options.explain || payload !== undefined || signature !== undefined)
        await explain(terminal, credentials, { target, signed, evidence });
      else for (const [name, value] of Object.entries(signed.headers)) print(terminal, `${name}: ${value}`);
    });
  return withCredentials(withTarget(command)).addHelpText("after", EXAMPLES);
}

interface Explained {
  target: Target;
  signed: SignedRequest;
  evidence: Evidence;
}

/** @throws CommandError where the evidence differs from the right request */
async function explain(terminal: Terminal, credentials: Credentials, found: Explained): Promise<void> {
  const { target, signed, evidence } = found;
  if (target.query.length > 0) print(terminal, presentQuery(target, signed));
  print(
    terminal,
    `The string to sign; each ↵ is one newline, the byte 0x0a:\n${presentCanonical(signed.payload)}`,
  );
  print(terminal, `\nIts HMAC-SHA256 under the API secret, in hex, with the other headers:`);
  for (const [name, value] of Object.entries(signed.headers)) print(terminal, `  ${name}: ${value}`);
  print(terminal, `\nThis machine's clock: ${await askClock(terminal, credentials)}.`);
  if (evidence.payload !== undefined || evidence.signature !== undefined)
    print(terminal, `\n${checkEvidence(credentials, found)}`);
}

function presentQuery({ query }: Target, { uri }: SignedRequest): string {
  const [typed, right] = [queryText(query), queryOf(uri)];
  const how = typed === right ? "it is sorted by name already" : `sorted by name ${right}`;
  return `Query as typed   ${typed}\n${typed === right ? `                 ${how}` : `  ${how}`}\n`;
}

/** Reads the server's time: every answer carries it, even one to a path that does not exist. */
async function askClock(terminal: Terminal, credentials: Credentials): Promise<string> {
  try {
    const request = { uri: `${API_PREFIX}/`, headers: {} };
    const { aheadMs } = await send(terminal, credentials, { method: "GET", body: "" }, request);
    return aheadMs === null ? "unknown, the answer carries no time" : describeSkew(aheadMs);
  } catch (error) {
    return `unknown. ${causeOf(error)}`;
  }
}

/**
 * Returns a confirmation of a program's signature.
 * @throws CommandError with its mistakes
 */
function checkEvidence(
  { apiKey, apiSecret: secret, baseUrl }: Credentials,
  { target, signed, evidence }: Explained,
): string {
  const request = { target, baseUrl };
  const right = rightDraft(target, signed);
  const { payload, signature } = evidence;
  if (payload !== undefined) {
    const finding = explainPayload(request, right, payload);
    const difference = presentDifference(signed.payload, payload);
    if (finding === null || finding.length > 0)
      throw new CommandError(`${difference}\n${presentFinding(finding, "string")}`);
    if (signature === undefined)
      return "Your string is right. Give --signature to check what was made of it.";
  }
  if (signature === undefined) return "";
  if (evidence.timestamp === undefined || evidence.nonce === undefined)
    throw new CommandError(
      "A signature is checked with --timestamp and --nonce of its request, or --payload.",
    );
  const known = payload === undefined ? {} : { payload };
  const finding = explainSignature(request, right, { signature, secret, apiKey, ...known });
  if (finding?.length === 0)
    return "Your signature is right. After a 401, check that the headers above are sent exactly so, and the clock.";
  throw new CommandError(`Your signature is wrong.\n${presentFinding(finding, "signature")}`);
}

function presentFinding(finding: Finding, what: string): string {
  if (finding === null)
    return what === "string"
      ? "No typical mistake, nor two of them, makes this string: compare the two from there on."
      : "No typical mistake, nor two of them, makes this signature: is the secret this key's? Give what was signed as --payload.";
  return finding.map(({ does, fix }) => `The mistake: your program ${does}.\n  ${fix}`).join("\n");
}
