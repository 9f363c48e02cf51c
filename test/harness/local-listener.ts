import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { type ForwardedMessage, listen } from "../../services/client/listen/listen.ts";
import { serveHttp } from "./listeners/serve-http.ts";
import { openStack } from "./stack/open-stack.ts";
import { withReceiver } from "./stack/start-stack.ts";

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Starts a local server that accepts every message. */
export async function startLocalServer() {
  const received: Received[] = [];
  const url = await serveHttp(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(204).end();
  });
  return { url: `${url}/hook`, received };
}

/** Starts a listener. `ready` resolves once it listens; `ended` resolves with the error that ended it. */
export function startListener(baseUrl: string, token: string, forwardTo?: string) {
  const stop = new AbortController();
  const messages: ForwardedMessage[] = [];
  const notes: string[] = [];
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const ended = listen({
    baseUrl,
    token,
    forwardTo,
    signal: stop.signal,
    onReady: () => resolve(),
    onMessage: (message) => messages.push(message),
    onNote: (note) => notes.push(note),
  }).catch((error: unknown) => error);
  onTestFinished(() => stop.abort());
  return { ready, ended, messages, notes, stop: () => stop.abort() };
}

/** Opens a stack with a receiver and two replicas of the services that a listener depends on. */
export async function openListeningStack() {
  const stack = await openStack({
    name: "listening",
    registries: [{}, {}],
    edges: [{}, {}],
    notifiers: [{}],
    receiverSeed: 1,
  });
  return withReceiver(stack);
}
