import { randomBytes, randomUUID } from "node:crypto";
import { Binary, type Document } from "mongodb";
import {
  admissionPipeline,
  admissionProjection,
  returnPipeline,
  windowPipeline,
} from "../../../../services/registry/mongo/admissions/admission-pipelines.ts";
import type { AccessDecision, AccessDocument } from "../../../../services/registry/mongo/documents/access-documents.ts";
import { settingsFixture } from "../../../../services/registry/values/store-settings-fixture.ts";
import { type ContractCase, type ContractRig, contractCase, sendTwice, withTypes } from "./contract-case.ts";

const startMs = Date.parse("2026-05-01T12:00:00.000Z");
const time = (ms: number) => new Date(startMs + ms);
const policy = { limit: 2, windowMs: 1_000 };
const dayMs = 86_400_000;
const ids = ["first", "second", "third"].map((id) => new Binary(Buffer.from(id)));
const [first = new Binary(), second = new Binary(), third = new Binary()] = ids;
const other = new Binary(Buffer.from("other"));

/** A stored decision that admitted one request. */
function decisionAt(at: Date): AccessDecision {
  return { at, group: { id: first, keyIsValid: true, plan: "pro", admitted: [true] } };
}

/** Inserts the access of a store with one key. */
async function insertAccess({ collections }: ContractRig, fields: Partial<AccessDocument>) {
  const hash = new Binary(randomBytes(32));
  const key = { id: "key", label: "", prefix: "crk_", hash, createdAt: time(0) };
  const _id = randomUUID();
  const empty = { epoch: "", settings: settingsFixture, admitted: [], decision: null };
  await collections.access.insertOne({ _id, plan: "pro", keys: [key], ...empty, ...fields });
  return { _id, hash, group: { hash, ids } };
}

/** Returns the fields of the rate limit, as stored. */
async function windowOf({ collections }: ContractRig, _id: string): Promise<Document | null> {
  return collections.access.findOne({ _id }, { projection: { _id: 0, admitted: 1 }, ...withTypes });
}

/** Admits three requests at a time. @returns what the update returns, and what it stores */
async function admit(rig: ContractRig, fields: Partial<AccessDocument>, now: Date) {
  const { _id, group } = await insertAccess(rig, fields);
  const returned = await rig.collections.access.findOneAndUpdate(
    { "keys.hash": group.hash },
    admissionPipeline(policy, now, [group]),
    { returnDocument: "after", projection: { _id: 0, ...admissionProjection }, ...withTypes },
  );
  return { returned, stored: await windowOf(rig, _id) };
}

/** The update of an admission, the return of places, and the reading of a window. */
export const admissionCases: readonly ContractCase[] = [
  contractCase(
    "the pipeline of an admission, with one of two places free",
    (rig) => {
      const admitted = [
        { at: time(-1_000), ids: [third] },
        { at: time(-999), ids: [other] },
      ];
      return admit(rig, { admitted }, time(0));
    },
    {
      returned: {
        plan: "pro",
        settings: settingsFixture,
        epoch: "",
        decision: {
          at: time(0),
          group: { id: first, keyIsValid: true, plan: "pro", admitted: [true, false, false] },
        },
        count: 2,
        oldest: time(-999),
      },
      stored: {
        admitted: [
          { at: time(-999), ids: [other] },
          { at: time(0), ids: [first] },
        ],
      },
    },
  ),
  contractCase(
    "the pipeline of an admission, after the clock was set back by a day",
    (rig) => {
      const at = time(dayMs);
      return admit(rig, { admitted: [{ at, ids: [first] }], decision: decisionAt(at) }, time(0));
    },
    {
      returned: {
        plan: "pro",
        settings: settingsFixture,
        epoch: "",
        decision: { at: time(0), group: { id: first, keyIsValid: true, plan: "pro", admitted: [true, true, false] } },
        count: 2,
        oldest: time(0),
      },
      stored: {
        admitted: [
          { at: time(0), ids: [first] },
          { at: time(0), ids: [second] },
        ],
      },
    },
  ),
  contractCase(
    "the pipeline of an admission with $$NOW, when the window was full a minute ago",
    async (rig) => {
      const at = new Date(Date.now() - 60_000);
      const { _id, group } = await insertAccess(rig, {
        admitted: [{ at, ids: [other, third] }],
        decision: decisionAt(at),
      });
      await rig.collections.access.updateMany({ _id }, admissionPipeline(policy, "$$NOW", [group]));
      const stored = await rig.collections.access.findOne({ _id });
      return { admitted: stored?.decision?.group.admitted, isLater: (stored?.decision?.at ?? at) > at };
    },
    { admitted: [true, true, false], isLater: true },
  ),
  contractCase(
    "a findAndModify with the pipeline of an admission that is sent twice with one transaction number",
    async (rig) => {
      const { _id, group } = await insertAccess(rig, {});
      const answers = await sendTwice(rig, {
        findAndModify: rig.collections.access.collectionName,
        query: { "keys.hash": group.hash },
        update: admissionPipeline({ ...policy, limit: 5 }, time(0), [group]),
        new: true,
        fields: admissionProjection,
      });
      const decisions = answers.map(({ value }) => value.decision.group.admitted);
      const stored = await rig.collections.access.findOne({ _id });
      return { decisions, admitted: stored?.admitted.map(({ ids }) => ids.length) };
    },
    {
      decisions: [
        [true, true, true],
        [true, true, true],
      ],
      admitted: [3],
    },
  ),
  contractCase(
    "the pipeline that returns places",
    async (rig) => {
      const admitted = [
        { at: time(-5), ids: [third] },
        { at: time(0), ids: [first, second] },
      ];
      const { _id } = await insertAccess(rig, { admitted });
      const filter = { _id, "admitted.ids": { $in: [second, third] } };
      await rig.collections.access.updateOne(filter, returnPipeline([second, third, other]));
      return windowOf(rig, _id);
    },
    { admitted: [{ at: time(0), ids: [first] }] },
  ),
  contractCase(
    "the pipeline that reads a window",
    async (rig) => {
      const admitted = [-1_000, -1, 0, 1].map((ms) => ({ at: time(ms), ids: [first] }));
      const { hash } = await insertAccess(rig, { admitted, decision: decisionAt(time(0)) });
      const pipeline = [
        ...windowPipeline(policy, [hash], time(-5)),
        { $set: { validHashes: { $size: "$validHashes" } } },
      ];
      const [window] = await rig.collections.access.aggregate(pipeline, withTypes).toArray();
      return { ...window, _id: null };
    },
    { _id: null, plan: "pro", validHashes: 1, at: time(0), count: 2, oldest: time(-1) },
  ),
];
