import { Binary } from "mongodb";
import { expect, test } from "vitest";
import type { Collections } from "../documents/collections.ts";
import { MongoAdmissions } from "./mongo-admissions.ts";

const at = new Date("2026-11-22T12:00:30.000Z");
const oldest = new Date("2026-11-22T12:00:00.000Z");
const admitted = [oldest, at].map((at) => ({ at, ids: [new Binary(new Uint8Array(16))] }));
const stored = {
  _id: "sto_1",
  plan: "pro",
  keys: [],
  decision: { at, group: { keyIsValid: true, plan: "pro", admitted: [true] } },
};

test.each([
  ["as projected", { ...stored, count: 2, oldest }],
  ["as a whole, because the driver repeated the update", { ...stored, admitted }],
])("reports the window of a document that MongoDB returns %s", async (_name, document) => {
  const access = { findOneAndUpdate: async () => document } as unknown as Collections["access"];
  const admissions = new MongoAdmissions(access, { limit: 120, windowMs: 60_000 });
  expect(await admissions.admit(new Uint8Array(32))).toMatchObject({
    admission: "admitted",
    rateLimit: { limit: 120, remaining: 118, resetSeconds: 30 },
  });
});
