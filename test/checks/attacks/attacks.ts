import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { exportText } from "#shared/orders/csv-fixture.ts";
import { orderPayload } from "../../harness/storefront/order-payload.ts";
import type { PlatformMessage } from "../../harness/storefront/test-platform-app.ts";
import type { Attack } from "./attack.ts";
import { mutatedBodies } from "./mutated-bodies.ts";

const mebibyte = 1_024 * 1_024;

/** Sends bodies that the platform's secret signs, but that are no messages of the store and topic in the headers. */
const forgedMessages: Attack = {
  perSecond: 10,
  open: ({ app, edgeUrl, shop }) => {
    const send = (name: string, status: number, message: Omit<PlatformMessage, "shop">) => ({
      name: `forged message: ${name}`,
      // 503 while other bodies use up the memory for bodies, or the registry is overloaded.
      expected: [status, 503],
      send: () => app.send(edgeUrl, { ...message, shop, webhookId: randomUUID() }),
    });
    const product = '{"id":1,"title":"Print","tags":"","updated_at":"2030-01-31T10:00:00Z"}';
    const foreign = '{"shop_domain":"other.example","customer":null,"orders_to_redact":[]}';
    const order = JSON.stringify(orderPayload());
    const longTags = `{"id":1,"title":"Print","updated_at":"2030-01-31T10:00:00Z","tags":[${"0,".repeat(2 * mebibyte)}0]}`;
    return [
      // The first two parts of a session token, which some platforms sign with the same secret.
      send("a session token", 400, { topic: "orders/paid", payload: `${"e30".repeat(20)}.${"eyJ9".repeat(100)}` }),
      send("a long text", 400, { topic: "orders/paid", payload: JSON.stringify("x".repeat(65_536)) }),
      ...["app/uninstalled", "app/installed", "customers/redact", "customers/data_request", "shop/redact"].flatMap(
        (topic) => [
          send(`a product as ${topic}`, 400, { topic, payload: product, triggeredAt: "2100-01-01T00:00:00Z" }),
          send(`an order as ${topic}`, 400, { topic, payload: order }),
          send(`another store's erasure as ${topic}`, 400, { topic, payload: foreign }),
        ],
      ),
      send("4 MiB of tags", 400, { topic: "products/update", payload: longTags }),
      // Kept with its fault, for operators; bounded.
      send("an order without an id", 200, { topic: "orders/paid", payload: '{"id":"odd"}' }),
      send("a wrong signature", 401, { topic: "orders/paid", payload: order, signature: "AAAA" }),
    ];
  },
};

/** Sends small files of images with many pixels as the store's logo. */
const logoBombs: Attack = {
  perSecond: 1,
  open: async ({ merchant }) => {
    const black = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: "black" }, limitInputPixels: false });
    const square = await black(4_800, 4_800).png().toBuffer();
    const progressive = await black(4_800, 4_800).jpeg({ progressive: true, quality: 1 }).toBuffer();
    // 74 bytes that claim a width of 1 and a height of 24,000,000.
    const long = Buffer.from(await black(1, 1).png().toBuffer());
    long.writeUInt32BE(24_000_000, 20);
    const { formToken: token } = merchant;
    return Object.entries({ long, square, progressive }).map(([name, content]) => ({
      name: `logo bomb: ${name}`,
      // A plain image is encoded. One that takes too much is refused by a redirect too, and so are images while others
      // are decoded.
      expected: [303, 503],
      send: () =>
        merchant.post(
          "/store",
          { action: "setLogo", nonce: randomUUID(), token },
          new File([new Uint8Array(content)], "l"),
        ),
    }));
  },
};

/** Imports files of 10 MiB that are cheap to make and costly to parse. */
const costlyImports: Attack = {
  perSecond: 0.1,
  open: ({ merchant }) => {
    const header = exportText([]);
    const contents: Readonly<Record<string, readonly [string, string]>> = {
      commas: ["", ","],
      "empty quoted cells": ["", '"",'],
      "short rows": [header, "#1\n"],
      "wide rows": [header, `${",".repeat(999)}\n`],
      "quotation marks": [header, `a${'"'.repeat(100_000)}\n`],
    };
    return Object.entries(contents).map(([name, [start, unit]]) => ({
      name: `import of ${name}`,
      // Accepted, and then examined: its page names the fault. On a busy machine, not received within the time limit.
      expected: [303, 408, 429, 503],
      send: () => {
        const text = start + unit.repeat(Math.floor((10 * mebibyte - start.length) / unit.length));
        const fields = { action: "upload", nonce: randomUUID(), token: merchant.formToken };
        return merchant.post("/certificates/import", fields, new File([text], "orders.csv"));
      },
    }));
  },
};

/** Signs in with tokens of the platform that were used before, or that the platform has not signed. */
const replayedTokens: Attack = {
  perSecond: 2,
  open: async ({ edgeUrl, platform, shop }) => {
    const signIn = (token: string) =>
      fetch(`${edgeUrl}/settings/sign-in?token=${token}`, {
        method: "POST",
        headers: { "Sec-Fetch-Site": "same-origin" },
        body: new URLSearchParams(),
        redirect: "manual",
      });
    const used = await platform.sign(shop);
    const statusOfUse = async () => {
      const { status, body } = await signIn(used);
      await body?.cancel();
      return status;
    };
    // Attacks of the window before may have used up what this address may guess. 401: an earlier attempt used it.
    while (![303, 401].includes(await statusOfUse())) await delay(500);
    const [head = "", claims = ""] = (await platform.sign(shop)).split(".");
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${claims}.`;
    const forged = `${head}.${claims}.${randomBytes(32).toString("base64url")}`;
    return Object.entries({ used, unsigned, forged }).map(([name, token]) => ({
      name: `platform's token: ${name}`,
      expected: [401, 429],
      send: () => signIn(token),
    }));
  },
};

/** Guesses keys, links, ids and cursors, with queries that are costly to read. */
const guesses: Attack = {
  perSecond: 10,
  open: ({ edgeUrl }) => {
    const random = () => randomBytes(24).toString("base64url");
    const get = (path: string, headers: Readonly<Record<string, string>> = {}) => fetch(edgeUrl + path, { headers });
    const withKey = (path: string) => get(path, { Authorization: `Bearer ${generateApiKey()}` });
    const list = (query: string) => withKey(`/v1/certificates?${query}`);
    const certificate = (id: string) => withKey(`/v1/certificates/${id}`);
    return [
      { name: "guessed link", expected: [404, 429], send: () => get(`/verify/${random()}`) },
      { name: "guessed sign-in link", expected: [200], send: () => get(`/settings/sign-in/${random()}`) },
      { name: "guessed logo", expected: [404, 429], send: () => get(`/verify/logos/lgo_${random()}`) },
      { name: "guessed key", expected: [401, 429], send: () => list("limit=50") },
      { name: "guessed certificate", expected: [401, 429], send: () => certificate(`crt_${random()}`) },
      { name: "encoded id", expected: [401, 429], send: () => certificate("%2e%00".repeat(680)) },
      { name: "guessed cursor", expected: [401, 429], send: () => list(`cursor=${random().repeat(40)}`) },
      { name: "encoded query", expected: [400, 401, 429], send: () => list(`email=${"%2B".repeat(680)}`) },
      { name: "repeated parameters", expected: [401, 429], send: () => list("limit=1&".repeat(200)) },
    ];
  },
};

/** Opens the pages of the settings with most codes and most calls, as a program with a session. */
const longPages: Attack = {
  perSecond: 5,
  open: ({ merchant }) =>
    ["/certificates/print", "/certificates/sheets", "/certificates?q=o", ""].map((path) => ({
      name: `long page: ${path}`,
      // Shown, or too many for the store at once.
      expected: [200, 429, 503],
      send: () => merchant.get(path),
    })),
};

/** The names of all attacks. */
export const attackNames = ["bodies", "messages", "logos", "imports", "tokens", "guesses", "pages"] as const;

/** One of {@link attackNames}. */
export type AttackName = (typeof attackNames)[number];

/** All attacks by name. */
export const attacks: Readonly<Record<AttackName, Attack>> = {
  bodies: { perSecond: 20, open: mutatedBodies },
  messages: forgedMessages,
  logos: logoBombs,
  imports: costlyImports,
  tokens: replayedTokens,
  guesses,
  pages: longPages,
};
