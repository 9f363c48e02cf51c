import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { readRequest } from "./receiver/http-request.ts";
import type { RecordedRequest } from "./receiver/record.ts";
import type { LoggedOutcome, TrueEvent } from "./truth.ts";
import { type Evidence, judge } from "./verdict.ts";
import type { CheckedWebhook } from "./webhook-stores.ts";

const secret = "whsec_test";
const at = (second: number) => `2026-05-01T10:00:0${second}.000Z`;
const v2: CheckedWebhook = { path: "/answers/store-1", format: "v2", secret };
const v1: CheckedWebhook = { path: "/answers/store-2", format: "v1", secret: null };
const stores = new Map([
  ["s2", { shop: "two.test", webhook: v2 }],
  ["s1", { shop: "one.test", webhook: v1 }],
  ["s0", { shop: "none.test", webhook: null }],
]);

const first: TrueEvent = { id: "e1", storeId: "s2", certificateId: "c1", name: "issued", at: at(1) };
const second: TrueEvent = { ...first, id: "e2", name: "revoked", at: at(2) };
const other: TrueEvent = { ...first, id: "e3", certificateId: "c2", at: at(3) };
const small: TrueEvent = { ...first, id: "e4", storeId: "s1", certificateId: "c3", at: at(4) };
const smallRevoked: TrueEvent = { ...small, id: "e5", name: "revoked", at: at(5) };
const unsent: TrueEvent = { ...first, id: "e6", storeId: "s0", certificateId: "c4", at: at(6) };
const events = [first, second, other, small, smallRevoked, unsent];

const logged = (kind: string): LoggedOutcome => ({ kind, httpStatus: 0, at: at(9) });
const outcomes = new Map<string, LoggedOutcome>([
  ["e1", logged("delivered")],
  ["e2", logged("refused")],
  ["e3", logged("timeout")],
  ["e4", logged("delivered")],
  ["e5", logged("skipped")],
  ["e6", logged("skipped")],
]);

/** What differs from the message as it has to be. */
interface Changes {
  readonly path?: string;
  readonly body?: object;
  readonly certificate?: object;
  readonly signature?: string;
  readonly reply?: string;
  /** How many bytes are missing at its end. */
  readonly missingBytes?: number;
}

/** The request of an event's message. */
function post(event: TrueEvent, changes: Changes = {}): RecordedRequest {
  const store = stores.get(event.storeId);
  const { path, format } = store?.webhook ?? v2;
  const { certificateId: id, at: occurredAt, name } = event;
  const certificate =
    format === "v1" ? { id, serial: "000001" } : { id, updatedAt: occurredAt, ...changes.certificate };
  const head = { version: format === "v1" ? 1 : 2, event: name, shop: store?.shop, occurredAt };
  const body = JSON.stringify({ ...head, certificate, ...changes.body });
  const digest = createHmac("sha256", secret).update(body).digest("hex");
  const signature = changes.signature ?? (format === "v1" ? undefined : `sha256=${digest}`);
  const lines = [
    `POST ${changes.path ?? path} HTTP/1.1`,
    `X-Service-Delivery: ${event.id}`,
    ...(signature === undefined ? [] : [`X-Service-Signature: ${signature}`]),
    `Content-Length: ${body.length}`,
  ];
  const bytes = Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
  const request = readRequest(bytes.subarray(0, bytes.length - (changes.missingBytes ?? 0)));
  return { ...request, connection: 1, at: at(8), reply: changes.reply ?? "204" };
}

const requests = [post(first), post(second, { reply: "500" }), post(other, { reply: "hang" }), post(small)];
const good: Evidence = { events, stores, outcomes, outcomesBefore: outcomes, requests };
const flawless = {
  ...{ posts: 4, interrupted: 0, skipped: 2, doubled: 0, outOfOrder: 0, withoutOutcome: 0 },
  ...{ lost: 0, untrue: 0, wrong: 0, findings: [] },
};

const judgeWith = (changes: Partial<Evidence>) => judge({ ...good, ...changes });
const withOutcome = (id: string, kind: string) => new Map([...outcomes, [id, logged(kind)]]);
const without = (id: string) => requests.filter(({ headers }) => headers.get("x-service-delivery") !== id);

test("every event once, in order, as the log says: nothing is wrong", () => {
  expect(judge(good)).toEqual(flawless);
});

test("an event with two POSTs is doubled, also when the second one is incomplete or identical", () => {
  expect(judgeWith({ requests: [...requests, post(other)] })).toMatchObject({ doubled: 1, posts: 5 });
  const torn = post(other, { missingBytes: 5 });
  expect(judgeWith({ requests: [...requests, torn] })).toMatchObject({ doubled: 1, wrong: 0 });
});

test("a POST after that of a later event of its certificate is out of order; certificates do not wait for each other", () => {
  const [one, two, three, four] = requests as [
    RecordedRequest,
    RecordedRequest,
    RecordedRequest,
    RecordedRequest,
  ];
  expect(judgeWith({ requests: [two, one, three, four] })).toMatchObject({ outOfOrder: 1 });
  expect(judgeWith({ requests: [four, three, one, two] })).toMatchObject({ outOfOrder: 0 });
});

test.each<[string, expected: object]>([
  ["interrupted", { lost: 0, interrupted: 1 }],
  ["delivered", { lost: 1 }],
  ["refused", { lost: 1 }],
  ["timeout", { lost: 1 }],
  ["connection_failed", { lost: 1 }],
  ["skipped", { lost: 0, untrue: 1 }],
])("an event without a POST whose outcome is %s: %o", (kind, expected) => {
  const outcomes = withOutcome("e1", kind);
  const verdict = judgeWith({ requests: without("e1"), outcomes, outcomesBefore: new Map() });
  expect(verdict).toMatchObject({ untrue: 0, withoutOutcome: 0, ...expected });
});

test("an interrupted event may have come", () => {
  const verdict = judgeWith({ outcomes: withOutcome("e1", "interrupted"), outcomesBefore: new Map() });
  expect(verdict).toEqual({ ...flawless, interrupted: 1 });
});

test("an event that the log tells nothing of has no outcome, and is lost unless it came", () => {
  const rest = new Map([...outcomes].filter(([id]) => id !== "e1"));
  const silent = { outcomes: rest, outcomesBefore: rest };
  expect(judgeWith(silent)).toMatchObject({ withoutOutcome: 1, lost: 0 });
  expect(judgeWith({ ...silent, requests: without("e1") })).toMatchObject({ withoutOutcome: 1, lost: 1 });
});

test.each<[string, Partial<Evidence>]>([
  ["delivered, though the receiver refused it", { outcomes: withOutcome("e2", "delivered") }],
  ["refused, though the receiver took it", { outcomes: withOutcome("e1", "refused") }],
  ["skipped, though it came", { outcomes: withOutcome("e1", "skipped") }],
  ["delivered, though its store has no URL", { outcomes: withOutcome("e6", "delivered") }],
  ["delivered, though its format does not have it", { outcomes: withOutcome("e5", "delivered") }],
  ["there, though it never happened", { outcomes: withOutcome("e7", "skipped") }],
])("an outcome is untrue: %s", (_, changes) => {
  expect(judgeWith({ ...changes, outcomesBefore: new Map() })).toMatchObject({ untrue: 1 });
});

test("an outcome that changes or goes away is untrue", () => {
  expect(judgeWith({ outcomesBefore: withOutcome("e3", "interrupted") })).toMatchObject({ untrue: 1 });
  const rest = new Map([...outcomes].filter(([id]) => id !== "e6"));
  expect(judgeWith({ outcomes: rest })).toMatchObject({ untrue: 1, withoutOutcome: 1 });
});

test.each<[string, RecordedRequest]>([
  ["no event has its id", post({ ...first, id: "e9" })],
  ["its store has no URL", post(unsent)],
  ["it goes to another store's path", post(other, { path: "/answers/store-2" })],
  ["its signature is another one's", post(other, { signature: `sha256=${"0".repeat(64)}` })],
  ["it is signed without a secret", post(small, { signature: "sha256=00" })],
  ["it tells of another event", post(other, { body: { event: "revoked" } })],
  ["it tells of another store", post(other, { body: { shop: "two.example" } })],
  ["it tells another time", post(other, { body: { occurredAt: at(4) } })],
  ["it has another format", post(small, { body: { version: 2 } })],
  ["its certificate is another one", post(other, { certificate: { id: "c1" } })],
  ["its certificate is in another state", post(other, { certificate: { updatedAt: at(4) } })],
  ["it holds more than a message", post(other, { body: { attempt: 1 } })],
])("a request is wrong: %s", (_, request) => {
  expect(judgeWith({ requests: [request] })).toMatchObject({ wrong: 1 });
});
