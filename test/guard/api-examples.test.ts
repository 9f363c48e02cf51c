import { describe, expect, test } from "vitest";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { openApiDocument } from "../../services/edge/openapi/document.ts";
import recordedExamples from "../../services/edge/openapi/recorded-examples.json" with { type: "json" };
import type { Json, JsonObject } from "../../services/edge/openapi/schema.ts";
import { expectValid, objectAt, type Place } from "../harness/api-document.ts";
import { caseEntries } from "../harness/lifecycle-cases.ts";

interface Example {
  readonly place: Place;
  readonly schema: Place;
  readonly value: Json;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the examples of schemas, headers and bodies, each with the place of its schema. */
function examplesIn(value: Json, place: Place = []): Example[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => examplesIn(item, [...place, String(index)]));
  if (!isObject(value)) return [];
  const { example, examples, ...rest } = value;
  const found = Object.entries(rest).flatMap(([name, member]) => examplesIn(member, [...place, name]));
  const ofSchema = Array.isArray(examples) ? examples.map((one) => ({ place, schema: place, value: one })) : [];
  const schema = [...place, "schema"];
  const named = examples !== undefined && isObject(examples) ? Object.entries(examples) : [];
  const ofBody = named.map(([name, one]) => ({ place: [...place, name], schema, value: objectOf(one).value ?? null }));
  const ofHeader = example === undefined ? [] : [{ place, schema, value: example }];
  return [...found, ...ofSchema, ...ofBody, ...ofHeader];
}

const objectOf = (value: Json): JsonObject => (isObject(value) ? value : {});
const examples = examplesIn(openApiDocument);

test("the OpenAPI document has examples of schemas, headers, errors and webhook messages", () => {
  const sections = new Set(examples.map(({ place }) => place.slice(0, 2).join(" ")));
  for (const section of ["components schemas", "components headers", "components responses", "webhooks revoked"])
    expect([...sections]).toContain(section);
});

test.each(examples.map((example) => ({ at: example.place.join(" "), ...example })))(
  "the example at $at matches its schema",
  ({ schema, value }) => {
    expectValid(schema, value);
  },
);

/** Returns the examples of a body, by name. */
function bodyExamples(place: Place): Map<string, JsonObject> {
  const { examples: named = {} } = objectAt([...place, "content", "application/json"]);
  return new Map(Object.entries(objectOf(named)).map(([name, one]) => [name, objectOf(objectOf(one).value ?? null)]));
}

const events = Object.keys(objectAt(["webhooks"]));

describe.each(events)("the examples of the %s webhook", (name) => {
  const bodies = bodyExamples(["webhooks", name, "post", "requestBody"]);

  test("name this event and cover each format that supports it", () => {
    expect([...bodies.values()].map(({ event }) => event)).toEqual([...bodies].map(() => name));
    const { schema } = objectAt(["webhooks", name, "post", "requestBody", "content", "application/json"]);
    const versions = new Set([...bodies.values()].map(({ version }) => version));
    expect([...versions].sort()).toEqual("oneOf" in objectOf(schema ?? null) ? [1, 2] : [2]);
  });

  test("show, in format v2, a certificate whose status, times and reason match the event", () => {
    const { occurredAt, certificate } = bodies.get("v2") ?? {};
    const { status, updatedAt, issuedAt, expiresAt, revokedAt, revokedReason } = objectOf(certificate ?? null);
    expect(updatedAt).toBe(occurredAt);
    expect(String(issuedAt) <= String(updatedAt) && String(updatedAt) < String(expiresAt)).toBe(true);
    expect({ status, revokedAt, revokedReason }).toEqual(stateAfter(name));
  });
});

type ShownState = Pick<PublicCertificate, "status" | "revokedAt" | "revokedReason">;

/** Returns what the examples' certificate shows of its state after an event. */
function stateAfter(name: string): ShownState {
  const last = caseEntries.findIndex(([, { event }]) => event.toLowerCase() === name);
  let state: ShownState = { status: "active", revokedAt: null, revokedReason: null };
  for (const [, one] of caseEntries.slice(0, last + 1))
    state = { ...state, ...one.contentOf(0).changes(one.recordedAt) };
  const { status, revokedAt, revokedReason } = state;
  return { status, revokedAt, revokedReason };
}

test("the examples include a redelivery that shows the current state, and a test message about a sample certificate", () => {
  const redelivery = objectOf(bodyExamples(["webhooks", "revoked", "post", "requestBody"]).get("redelivery") ?? null);
  expect(redelivery).toMatchObject({ event: "revoked", certificate: { status: "active", revokedAt: null } });
  const testMessage = bodyExamples(["webhooks", "issued", "post", "requestBody"]).get("test");
  expect(testMessage).toMatchObject({ certificate: { id: expect.stringMatching(/^smp_/) } });
});

test("the example of each error response has the error code that the response's description specifies", () => {
  for (const name of Object.keys(objectAt(["components", "responses"]))) {
    const place = ["components", "responses", name];
    const code = /^`(\w+)`:/.exec(String(objectAt(place).description))?.[1];
    const bodies = [...bodyExamples(place).values()];
    expect(bodies.map(({ error }) => error)).toEqual([code]);
  }
});

test("the example of the Certificate schema is a recorded certificate, and that of CertificatePage is the recorded page", () => {
  const { certificate } = bodyExamples(["webhooks", "transferred", "post", "requestBody"]).get("v2") ?? {};
  expect(objectAt(["components", "schemas", "Certificate"]).examples).toEqual([certificate]);
  expect(objectAt(["components", "schemas", "CertificatePage"]).examples).toEqual([recordedExamples.page]);
});

test("the published schemas accept unknown members, so that later releases can add members", () => {
  expect(JSON.stringify(openApiDocument)).not.toContain("additionalProperties");
});
