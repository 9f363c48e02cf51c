#!/usr/bin/env node
import { lineOf, listen } from "./listen/listen.ts";
import { sendSample } from "./listen/listen-api.ts";

// The package is compiled without Node's types.
interface Output {
  write(text: string): unknown;
  on(event: "error", handle: (error: Error & { readonly code?: string }) => void): unknown;
}
declare const process: {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  exit(): void;
  exitCode?: number;
};

const usage = `Usage: certificate-registry-client listen [--forward-to <url>]
       certificate-registry-client trigger <event>

listen    receive copies of a store's webhook messages, and forward them to a local server
trigger   send a test message to those who listen: issued, verified, transferred, reported, revoked or reactivated

Variables: REGISTRY_URL, the URL of the service; REGISTRY_LISTEN_TOKEN, a listen token from the store's settings.
`;

const print = (text: string) => process.stdout.write(`${text}\n`);
const note = (text: string) => process.stderr.write(`${text}\n`);

const forwardOption = "--forward-to";

async function run([command, ...args]: readonly string[]): Promise<void> {
  if ([command, ...args].some((word) => word === "--help" || word === "-h")) return void process.stdout.write(usage);
  const { REGISTRY_URL: baseUrl = "", REGISTRY_LISTEN_TOKEN: token = "" } = process.env;
  const joined = `${forwardOption}=`;
  const words = args.flatMap((word) => (word.startsWith(joined) ? [forwardOption, word.slice(joined.length)] : [word]));
  const [option, value] = words;
  const isListen = command === "listen" && (words.length === 0 || (words.length === 2 && option === forwardOption));
  const isTrigger = command === "trigger" && words.length === 1;
  if (!isListen && !isTrigger) return refuse(usage);
  if (baseUrl === "" || token === "") return refuse("Set REGISTRY_URL and REGISTRY_LISTEN_TOKEN.\n");
  if (isTrigger) return void print(await sendSample({ baseUrl, token }, option ?? ""));
  await listen({
    baseUrl,
    token,
    forwardTo: value,
    onReady: ({ signingSecret, expiresAt }) => print(`Listening until ${expiresAt}. Signing secret: ${signingSecret}`),
    onMessage: (message) => print(lineOf(message)),
    onNote: note,
  });
}

function refuse(text: string): void {
  process.stderr.write(text);
  process.exitCode = 2;
}

// A reader that closes its pipe early, as `head` does, ends the program quietly; without one of messages, it goes on.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});
process.stderr.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
});

run(process.argv.slice(2)).catch((error: unknown) => {
  note(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
