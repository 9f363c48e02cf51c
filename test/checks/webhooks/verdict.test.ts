import { expect, test } from "vitest";
import { readRequest } from "../../harness/receiver/http-request.ts";
import { signatureOf } from "../../harness/receiver/received-messages.ts";
import type { LoggedRequest } from "../../harness/receiver/request-log.ts";
import type { ExpectedEvent, LoggedOutcome } from "./expected-state.ts";
import { type Evidence, evaluate } from "./verdict.ts";
import type { StoreWebhook } from "./webhook-stores.ts";

const secret = "whsec_test";
const at = (second: number) => `2026-05-01T10:00:0${second}.000Z`;
const v2: StoreWebhook = { path: "/answers/store-1", format: "v2", secret };
const v1: StoreWebhook = { path: "/answers/store-2", format: "v1", secret: null };
const stores = new Map([
  ["s2", { shop: "two.test", webhook: v2 }],
  ["s1", { shop: "one.test", webhook: v1 }],
  ["s0", { shop: "none.test", webhook: null }],
]);

const first: ExpectedEvent = { id: "e1", storeId: "s2", certificateId: "c1", name: "issued", at: at(1) };
const second: ExpectedEvent = { ...first, id: "e2", name: "revoked", at: at(2) };
const other: ExpectedEvent = { ...first, id: "e3", certificateId: "c2", at: at(3) };
const small: ExpectedEvent = { ...first, id: "e4", storeId: "s1", certificateId: "c3", at: at(4) };
const smallRevoked: ExpectedEvent = { ...small, id: "e5", name: "revoked", at: at(5) };
const unsent: ExpectedEvent = { ...first, id: "e6", storeId: "s0", certificateId: "c4", at: at(6) };
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

/** Differences from the correct message. */
interface Changes {
  readonly path?: string;
  readonly body?: object;
  readonly certificate?: object;
  readonly signature?: string;
  readonly reply?: string;
  /** Number of bytes missing at the end. */
  readonly missingBytes?: number;
}

/** Builds the request with an event's message. */
function post(event: ExpectedEvent, changes: Changes = {}): LoggedRequest {
  const store = stores.get(event.storeId);
  const { path, format } = store?.webhook ?? v2;
  const { certificateId: id, at: occurredAt, name } = event;
  const certificate =
    format === "v1" ? { id, serial: "000001" } : { id, updatedAt: occurredAt, ...changes.certificate };
  const head = { version: format === "v1" ? 1 : 2, event: name, shop: store?.shop, occurredAt };
  const body = JSON.stringify({ ...head, certificate, ...changes.body });
  const signed = format === "v1" ? undefined : signatureOf(Buffer.from(body), secret);
  const signature = changes.signature ?? signed;
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
const good: Evidence = {
  events,
  stores,
  outcomes,
  outcomesBefore: outcomes,
  requests,
  processEnds: 1,
  isSettled: true,
};
const flawless = {
  posts: 4,
  interrupted: 0,
  skipped: 2,
  doubled: 0,
  outOfOrder: 0,
  withoutOutcome: 0,
  unexplained: 0,
  lost: 0,
  untrue: 0,
  wrong: 0,
  findings: [],
};

const evaluateWith = (changes: Partial<Evidence>) => evaluate({ ...good, ...changes });
const withOutcome = (id: string, kind: string) => new Map([...outcomes, [id, logged(kind)]]);
const without = (id: string) => requests.filter(({ headers }) => headers.get("x-service-delivery") !== id);

test("finds no violation when each message arrives once, in order and as logged", () => {
  expect(evaluate(good)).toEqual(flawless);
});

test("counts an event with two POSTs as doubled, even when the second POST is identical or incomplete", () => {
  expect(evaluateWith({ requests: [...requests, post(other)] })).toMatchObject({ doubled: 1, posts: 5 });
  const torn = post(other, { missingBytes: 5 });
  expect(evaluateWith({ requests: [...requests, torn] })).toMatchObject({ doubled: 1, wrong: 0 });
});

test("counts a POST as out of order only relative to other POSTs for the same certificate", () => {
  const [one, two, three, four] = requests as [LoggedRequest, LoggedRequest, LoggedRequest, LoggedRequest];
  expect(evaluateWith({ requests: [two, one, three, four] })).toMatchObject({ outOfOrder: 1 });
  expect(evaluateWith({ requests: [four, three, one, two] })).toMatchObject({ outOfOrder: 0 });
});

test("does not count an event as out of order when its incomplete request is listed last", () => {
  const torn = post(first, { missingBytes: 5 });
  expect(evaluateWith({ requests: [...without("e1"), torn] })).toMatchObject({ outOfOrder: 0 });
});

test.each<[string, expected: object]>([
  ["interrupted", { lost: 0, interrupted: 1 }],
  ["delivered", { lost: 1 }],
  ["refused", { lost: 1 }],
  ["timeout", { lost: 1 }],
  ["connection_failed", { lost: 1 }],
  ["skipped", { lost: 0, untrue: 1 }],
])("classifies an event with outcome %s but without a POST: %o", (kind, expected) => {
  const outcomes = withOutcome("e1", kind);
  const verdict = evaluateWith({ requests: without("e1"), outcomes, outcomesBefore: new Map() });
  expect(verdict).toMatchObject({ untrue: 0, withoutOutcome: 0, ...expected });
});

test("accepts a POST for an event whose outcome is interrupted", () => {
  const verdict = evaluateWith({ outcomes: withOutcome("e1", "interrupted"), outcomesBefore: new Map() });
  expect(verdict).toEqual({ ...flawless, interrupted: 1 });
});

test.each([
  ["all, without a process exit", 0, 3, 3],
  ["none, at the limit for one process exit", 1, 256, 0],
  ["those beyond the limit for one process exit", 1, 258, 2],
])(
  "counts the interrupted events that process exits do not explain: %s",
  (_, processEnds, interrupted, unexplained) => {
    const events = Array.from({ length: interrupted }, (_, index) => ({ ...first, id: `e${index}` }));
    const outcomes = new Map(events.map(({ id }) => [id, logged("interrupted")]));
    const verdict = evaluateWith({ events, outcomes, outcomesBefore: new Map(), requests: [], processEnds });
    expect(verdict).toMatchObject({ interrupted, unexplained, lost: 0 });
    const limit = processEnds * 256;
    const finding = `${interrupted} events were interrupted, but ${processEnds} process exits explain at most ${limit}`;
    expect(verdict.findings).toEqual(unexplained === 0 ? [] : [finding]);
  },
);

test("counts an event without an outcome, and counts it as lost if it never arrived", () => {
  const rest = new Map([...outcomes].filter(([id]) => id !== "e1"));
  const silent = { outcomes: rest, outcomesBefore: rest };
  expect(evaluateWith(silent)).toMatchObject({ withoutOutcome: 1, lost: 0 });
  expect(evaluateWith({ ...silent, requests: without("e1") })).toMatchObject({ withoutOutcome: 1, lost: 1 });
});

test.each<[string, Partial<Evidence>]>([
  ["delivered, although the receiver refused it", { outcomes: withOutcome("e2", "delivered") }],
  ["refused, although the receiver accepted it", { outcomes: withOutcome("e1", "refused") }],
  ["skipped, although it arrived", { outcomes: withOutcome("e1", "skipped") }],
  ["delivered, although its store has no webhook", { outcomes: withOutcome("e6", "delivered") }],
  ["delivered, although its format does not include it", { outcomes: withOutcome("e5", "delivered") }],
  ["of an unknown event", { outcomes: withOutcome("e7", "skipped") }],
])("counts an outcome as untrue: %s", (_, changes) => {
  expect(evaluateWith({ ...changes, outcomesBefore: new Map() })).toMatchObject({ untrue: 1 });
});

test("does not count an event as lost or as lacking an outcome if the run stopped before the event was settled", () => {
  const pending = new Map([...outcomes].filter(([id]) => id !== "e1"));
  const early = { outcomes: pending, outcomesBefore: pending, isSettled: false };
  expect(evaluateWith(early)).toMatchObject({ withoutOutcome: 0, lost: 0 });
  expect(evaluateWith({ ...early, requests: without("e1") })).toMatchObject({ withoutOutcome: 0, lost: 0 });
  // Observed faults still count.
  expect(evaluateWith({ ...early, requests: [...requests, post(first)] })).toMatchObject({ doubled: 1 });
  expect(evaluateWith({ ...early, requests: without("e4") })).toMatchObject({ lost: 1 });
});

test("counts an outcome that changes or disappears as untrue", () => {
  expect(evaluateWith({ outcomesBefore: withOutcome("e3", "interrupted") })).toMatchObject({ untrue: 1 });
  const rest = new Map([...outcomes].filter(([id]) => id !== "e6"));
  expect(evaluateWith({ outcomes: rest })).toMatchObject({ untrue: 1, withoutOutcome: 1 });
});

test.each<[string, LoggedRequest]>([
  ["no event has its id", post({ ...first, id: "e9" })],
  ["its store has no webhook", post(unsent)],
  ["it is sent to the path of another store", post(other, { path: "/answers/store-2" })],
  ["its signature does not match", post(other, { signature: `sha256=${"0".repeat(64)}` })],
  ["it is signed although its store has no secret", post(small, { signature: "sha256=00" })],
  ["it names another event", post(other, { body: { event: "revoked" } })],
  ["it names another store", post(other, { body: { shop: "two.example" } })],
  ["it has another time", post(other, { body: { occurredAt: at(4) } })],
  ["it has another format", post(small, { body: { version: 2 } })],
  ["it contains another certificate", post(other, { certificate: { id: "c1" } })],
  ["it contains another state of the certificate", post(other, { certificate: { updatedAt: at(4) } })],
  ["it has additional fields", post(other, { body: { attempt: 1 } })],
])("counts a request as wrong: %s", (_, request) => {
  expect(evaluateWith({ requests: [request] })).toMatchObject({ wrong: 1 });
});
