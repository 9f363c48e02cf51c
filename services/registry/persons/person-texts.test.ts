import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { erasedPerson, everyonesTexts, personTexts } from "./person-texts.ts";

const ada = personTexts("ada@example.com", ["Ada Lovelace"]);

test.each([
  ["write to ADA@example.com, please", "write to [erased], please"],
  ["Ada@Example.com.", "[erased]."],
  ["nada@example.com", "nada@example.com"],
  ["ada@example.community", "ada@example.community"],
  ["ada@example.com.au", "ada@example.com.au"],
  ["x.ada@example.com", "x.ada@example.com"],
  ["sold by ada lovelace (again)", "sold by [erased] (again)"],
  ["Ada Lovelaces", "Ada Lovelaces"],
])("replaces exactly the mentions of the person in %j", (text, expected) => {
  expect(ada.eraseFrom(text)).toBe(expected);
  expect(ada.isMentionedIn(text)).toBe(text !== expected);
});

test("replaces mentions in another Unicode normalization form", () => {
  expect(personTexts("zo\u00eb@example.com").eraseFrom("zoe\u0308@example.com")).toBe("[erased]");
});

test("replaces the person in nested JSON documents without reordering the members", () => {
  const inner = { id: "crt_1", owner: { name: 'A "L"', email: "Ada@example.com" }, reason: "ada@example.com" };
  const document = JSON.stringify({ results: [JSON.stringify(inner)], other: { name: "Bo", email: "bo@example.com" } });
  const expected = { ...inner, owner: erasedPerson, reason: "[erased]" };
  expect(ada.eraseFromJson(document)).toBe(
    JSON.stringify({ results: [JSON.stringify(expected)], other: { name: "Bo", email: "bo@example.com" } }),
  );
});

test("finds an address with a quoted local part in the bytes of a document", () => {
  const quoted = personTexts('"ada\\l"@example.com');
  const bytes = Buffer.from(JSON.stringify({ email: '"Ada\\L"@example.com' }));
  expect([quoted.isMentionedInBytes(bytes), ada.isMentionedInBytes(bytes)]).toEqual([true, false]);
});

test("finds the person as the requester of an encoded message about another person's certificate", () => {
  const encoded = (requestedBy: string) =>
    toBinary(
      CertificateEventSchema,
      create(CertificateEventSchema, {
        certificateJson: Buffer.from(JSON.stringify({ owner: { name: "Bo", email: "bo@example.com" } })),
        requestedBy,
        queuedAt: timestampFromMs(1_800_000_000_000),
      }),
    );
  const requesters = ["Ada@example.com", "certctl/ada@example.com", "nada@example.com", ""];
  expect(requesters.map((one) => ada.isMentionedInBytes(encoded(one)))).toEqual([true, true, false, false]);
});

test("leaves a document unchanged, byte for byte, if it does not mention the person", () => {
  const document = '{ "total": 1.0, "owner": {"name":"Bo","email":"bo@example.com"} }';
  expect(ada.eraseFromJson(document)).toBe(document);
});

test("leaves a string unchanged if it does not mention the person, whether or not the string is JSON", () => {
  expect(ada.eraseFromJson("rep_1")).toBe("rep_1");
  expect(ada.eraseFromJson('"rep_1"')).toBe('"rep_1"');
});

test.each([
  ["ada@example.com and bo.b+x@shop.example.co.uk!", "[erased] and [erased]!"],
  ["erased@erased.invalid", "erased@erased.invalid"],
  ["order #1 @ 5 pm, a@b", "order #1 @ 5 pm, a@b"],
])("replaces everyone's addresses in %j, but not the placeholder", (text, expected) => {
  expect(everyonesTexts().eraseFrom(text)).toBe(expected);
});

test("replaces every person in a document and clears the customer id, but leaves the placeholder unchanged", () => {
  const order = (buyer: object) => JSON.stringify({ order: { id: "7", buyer }, refunds: [] });
  const buyers = [{ name: "Ada", email: "ada@example.com" }, { name: "Bo", email: "" }, erasedPerson];
  for (const buyer of buyers)
    expect(everyonesTexts().eraseFromJson(order({ ...buyer, customerId: "42" }))).toBe(
      order({ ...erasedPerson, customerId: buyer === erasedPerson ? "42" : "" }),
    );
});
