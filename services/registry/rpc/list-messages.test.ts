import { expect, test } from "vitest";
import { listRequestOf } from "./list-messages.ts";

const limits = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
const admission = { keySha256: new Uint8Array(32), admissionId: new Uint8Array(16) };

test("an id is read as a page of at most one certificate, and neither a page nor an id as no page", () => {
  expect(listRequestOf({ ...admission, certificateId: "crt_1" }, limits).page).toEqual({
    filter: { certificateId: "crt_1" },
    limit: 1,
  });
  expect(listRequestOf(admission, limits).page).toBeUndefined();
});

test.each([
  ["key_sha256", { keySha256: new Uint8Array(31) }],
  ["admission_id", { admissionId: new Uint8Array(17) }],
])("rejects a list request with an invalid %s", (field, change) => {
  expect(() => listRequestOf({ ...admission, ...change }, limits)).toThrow(
    expect.objectContaining({ code: "bad_request", field }),
  );
});

test("the key hash and the admission's id do not keep what the connection has read", () => {
  const read = new Uint8Array(64 * 1_024);
  const request = { keySha256: read.subarray(100, 132), admissionId: read.subarray(140, 156) };
  const { keyHash, admissionId } = listRequestOf(request, limits);
  expect([keyHash, admissionId].map(({ buffer }) => buffer.byteLength)).toEqual([32, 16]);
});
