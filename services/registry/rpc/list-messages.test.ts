import { expect, test } from "vitest";
import { listRequestOf } from "./list-messages.ts";

test.each([
  ["key_sha256", { keySha256: new Uint8Array(31) }],
  ["admission_id", { admissionId: new Uint8Array(17) }],
])("rejects a list request with an invalid %s", (field, change) => {
  const request = { keySha256: new Uint8Array(32), admissionId: new Uint8Array(16), ...change };
  const limits = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
  expect(() => listRequestOf(request, limits)).toThrow(expect.objectContaining({ code: "bad_request", field }));
});
