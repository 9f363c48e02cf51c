import { createHmac } from "node:crypto";
import { type RequestListener, request } from "node:http";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import Koa from "koa";
import { describe, expect, onTestFinished, test } from "vitest";
import { certificateFixture } from "../../services/client/client-fixture.ts";
import {
  fastifyPlugin,
  fetchHandler,
  koaHandler,
  nodeHandler,
  type WebhookMessage,
  type WebhookOptions,
} from "../../services/client/index.ts";
import { serveHttp } from "../harness/listeners/serve-http.ts";

const secret = `crs_${"a".repeat(52)}`;
const route = "/webhooks";
const certificate = certificateFixture("crt_1", 1);
const message = { version: 2, event: "issued", shop: "s.example", occurredAt: certificate.updatedAt, certificate };
// Indented, so that parsing and serializing the body again changes its bytes.
const body = JSON.stringify(message, null, 1);

const listen = async (listener: RequestListener) => `${await serveHttp(listener)}${route}`;

/** By server name, a function that starts the server with the handler on {@link route} and returns the route's URL. */
const servers: Readonly<Record<string, (options: WebhookOptions) => Promise<string>>> = {
  "node:http": (options) => listen(nodeHandler(options)),
  Express: (options) => {
    const app = express();
    app.all(route, nodeHandler(options));
    app.use(express.json());
    return listen(app);
  },
  "Express with a parser of raw bodies": (options) => {
    const app = express();
    app.use(express.raw({ type: "*/*", limit: "2mb" }));
    app.all(route, nodeHandler(options));
    return listen(app);
  },
  Koa: (options) => {
    const app = new Koa();
    app.use((ctx, next) => (ctx.path === route ? koaHandler(options)(ctx) : next()));
    return listen(app.callback());
  },
  Fastify: async (options) => {
    const app = fastify();
    app.register(fastifyPlugin({ path: route, ...options }));
    app.post("/other", async (request) => request.body);
    onTestFinished(() => app.close());
    return `${await app.listen({ port: 0, host: "127.0.0.1" })}${route}`;
  },
  "a fetch-style server (Hono)": (options) => {
    const app = new Hono();
    app.all(route, ({ req }) => fetchHandler(options)(req.raw));
    return listen(async (incoming, outgoing) => {
      const { method = "", headers } = incoming;
      const init = { method, headers: headers as Record<string, string>, duplex: "half" as const };
      const hasBody = method === "POST";
      const from = new Request(
        `http://host${incoming.url}`,
        hasBody ? { ...init, body: ReadableStream.from(incoming) } : init,
      );
      outgoing.writeHead((await app.fetch(from)).status).end();
    });
  },
};

function sign(text: string | Buffer, key = secret): string {
  return `sha256=${createHmac("sha256", key).update(text).digest("hex")}`;
}

/** Sends a message. @returns the status, even if the server responds before it has read the body */
function send(url: string, text: string | Buffer, headers: Record<string, string>, method = "POST"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { "content-type": "application/json", ...headers }, agent: false });
    sent.once("response", (response) => {
      response.resume();
      resolve(response.statusCode);
      sent.destroy();
    });
    sent.once("error", reject);
    sent.end(method === "POST" ? text : undefined);
  });
}

describe.each(Object.keys(servers))("on %s", (name) => {
  const start = async (onMessage: WebhookOptions["onMessage"] = () => undefined) => {
    const messages: WebhookMessage[] = [];
    const errors: unknown[] = [];
    const url = await servers[name]?.({
      secret: [secret],
      onMessage: async (received) => {
        messages.push(received);
        await onMessage(received);
      },
      onError: (error) => errors.push(error),
    });
    return { url: url ?? "", messages, errors };
  };

  test("a genuine message gets 204 and is passed on, even if only its Next or Previous signature matches", async () => {
    const { url, messages } = await start();
    const signature = sign(body);
    expect(await send(url, body, { "X-Service-Signature": signature })).toBe(204);
    for (const header of ["X-Service-Signature-Next", "X-Service-Signature-Previous"])
      expect(await send(url, body, { "X-Service-Signature": sign(body, "old"), [header]: signature })).toBe(204);
    expect(messages).toEqual([message, message, message]);
  });

  test("a forged, unsigned, oversized or unreadable message is refused and not passed on", async () => {
    const { url, messages } = await start();
    expect(await send(url, body, { "X-Service-Signature": sign(body, "another secret") })).toBe(401);
    expect(await send(url, `${body} `, { "X-Service-Signature": sign(body) })).toBe(401);
    expect(await send(url, body, {})).toBe(401);
    for (const unreadable of ["{", '{"version":3}', ""])
      expect(await send(url, unreadable, { "X-Service-Signature": sign(unreadable) })).toBe(400);
    const large = Buffer.alloc(1024 * 1024 + 1, " ");
    expect(await send(url, large, { "X-Service-Signature": sign(large) })).toBe(413);
    expect(await send(url, "", {}, "GET")).toBe(name === "Fastify" ? 404 : 405);
    expect(messages).toEqual([]);
  });

  test("a message whose processing fails gets 500, and the error is reported", async () => {
    const { url, errors } = await start(async () => {
      throw new Error("the database is down");
    });
    expect(await send(url, body, { "X-Service-Signature": sign(body) })).toBe(500);
    expect(errors).toEqual([new Error("the database is down")]);
  });
});

test("on Express behind a JSON parser, a message gets 500, and the reported error states the remedy", async () => {
  const errors: unknown[] = [];
  const app = express();
  app.use(express.json());
  app.all(route, nodeHandler({ secret, onMessage: () => undefined, onError: (error) => errors.push(error) }));
  expect(await send(await listen(app), body, { "X-Service-Signature": sign(body) })).toBe(500);
  expect(String(errors[0])).toContain("mount the webhook handler before the parser");
});

test("on Express, a message is verified with the raw body that a parser keeps as an ArrayBuffer", async () => {
  const app = express();
  const parsed = { body: {}, rawBody: Uint8Array.from(Buffer.from(body)).buffer };
  app.use((req, _res, next) => {
    Object.assign(req, parsed);
    next();
  });
  app.all(route, nodeHandler({ secret, onMessage: () => undefined }));
  expect(await send(await listen(app), body, { "X-Service-Signature": sign(body) })).toBe(204);
});

test("on Express, a message is read from the request if a parser of other types has only set an empty body", async () => {
  const app = express();
  // As body parsers of Express 4 and Koa do.
  app.use((req, _res, next) => {
    req.body = {};
    next();
  });
  app.all(route, nodeHandler({ secret, onMessage: () => undefined }));
  expect(await send(await listen(app), body, { "X-Service-Signature": sign(body) })).toBe(204);
});

test.each([
  nodeHandler,
  koaHandler,
  fetchHandler,
  (options: WebhookOptions) => fastifyPlugin({ path: "/", ...options }),
])("a handler without a secret is refused when it is created", (create) => {
  const unset = process.env.NO_SUCH_VARIABLE as string;
  for (const secret of [unset, "", []])
    expect(() => create({ secret, onMessage: () => undefined })).toThrow("secret is missing");
});

test("Fastify's other routes keep their JSON parser", async () => {
  const url = (await servers.Fastify?.({ secret, onMessage: () => undefined })) ?? "";
  const response = await fetch(url.replace(route, "/other"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{ "a": 1 }',
  });
  expect(await response.json()).toEqual({ a: 1 });
});
