import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { PageSchema } from "#gen/registry/v1/edge_service_pb.js";
import { serviceErrorOf } from "../testing/service-error-of.ts";
import { certificateIn, refusalOf } from "./get-certificate.ts";

const id = `crt_${"0123456789abcdefghjkmnpq"}`;

test.each([
  [id, ""],
  [id, "&&"],
])("a request for an id with no parameter needs a read: %s?%s", (text, query) => {
  expect(refusalOf(text, query)).toBeUndefined();
});

test.each([
  ["", "not_found"],
  ["crt_", "not_found"],
  [id.slice(0, -1), "not_found"],
  [`${id}0`, "not_found"],
  [`${id}\n`, "not_found"],
  [id.toUpperCase(), "not_found"],
  [id.replace("crt", "smp"), "not_found"],
  [id.replace("crt", "evt"), "not_found"],
  [`%63${id.slice(1)}`, "not_found"],
])("a text that cannot be an id is refused without a read: %j", (text, code) => {
  expect(refusalOf(text, "")).toMatchObject({ code });
});

test.each([
  ["limit=1", "limit is not a known parameter. This path has no parameters."],
  ["%zz", "%zz has invalid percent-encoding. Percent-encode it as UTF-8; a percent sign is %25."],
  [`a=${"a".repeat(2_047)}`, "query is longer than 2,048 bytes. Send fewer or shorter parameters."],
])("a parameter is refused before the id is looked at: %s", (query, message) => {
  for (const text of [id, "x"]) expect(refusalOf(text, query)).toMatchObject({ code: "bad_request", message });
});

test("the certificate's JSON is passed on unchanged", () => {
  const json = Buffer.from('{"id":"crt_1", "n":1.50}');
  expect(certificateIn({ page: create(PageSchema, { json }) })).toBe(json);
});

test("a page without a certificate is not_found, like a text that cannot be an id", () => {
  const error = serviceErrorOf(() => certificateIn({ page: create(PageSchema) }));
  expect(error).toMatchObject({ code: "not_found", message: refusalOf("x", "")?.message });
});
