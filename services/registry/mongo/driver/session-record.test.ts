import { type Binary, UUID } from "mongodb";
import { expect, test } from "vitest";
import type { Clock } from "#shared/time/clock.ts";
import { SessionRecord, sessionsMax } from "./session-record.ts";

// `sleep` never resolves, so `add` waits for its write without a time limit.
const clock: Clock = { now: () => 0, sleep: () => new Promise(() => undefined) };
const newSession = () => ({ id: { id: new UUID() } });

/** Creates a record whose writes wait until the test completes them. */
function openRecord(pauses = clock) {
  const writes: { readonly ids: readonly Binary[]; readonly done: PromiseWithResolvers<void> }[] = [];
  const store = (ids: readonly Binary[]) => {
    const done = Promise.withResolvers<void>();
    writes.push({ ids, done });
    return done.promise;
  };
  return { record: new SessionRecord({ store, clock: pauses }), writes };
}

const turn = () => new Promise(setImmediate);

test("resolves add() only after the session's id is stored, and writes nothing when the session is added again", async () => {
  const { record, writes } = openRecord();
  const session = newSession();
  let isAdded = false;
  const adding = record.add(session).then(() => {
    isAdded = true;
  });
  await turn();
  expect(writes.map(({ ids }) => ids)).toEqual([[session.id.id]]);
  expect(isAdded).toBe(false);
  writes[0]?.done.resolve();
  await adding;
  await record.add(session);
  expect(writes).toHaveLength(1);
});

test("writes the ids of concurrent sessions together, one write at a time", async () => {
  const { record, writes } = openRecord();
  const sessions = [newSession(), newSession(), newSession()];
  const [first, ...later] = sessions.map((session) => record.add(session));
  await turn();
  expect(writes).toHaveLength(1);
  const more = record.add(newSession());
  await turn();
  expect(writes).toHaveLength(1);
  writes[0]?.done.resolve();
  await Promise.all([first, ...later]);
  await turn();
  expect(writes.map(({ ids }) => ids.length)).toEqual([3, 4]);
  writes[1]?.done.resolve();
  await more;
});

test("writes a session's id again when the session is added after a failed write", async () => {
  const { record, writes } = openRecord();
  const session = newSession();
  for (const index of [0, 1]) {
    const adding = record.add(session);
    await turn();
    writes[index]?.done.reject(new Error("the database is unavailable"));
    await adding;
  }
  expect(writes.map(({ ids }) => ids)).toEqual([[session.id.id], [session.id.id]]);
});

test("does not delay a change for longer than a second when the database does not respond", async () => {
  const { record } = openRecord({ now: () => 0, sleep: async (durationMs) => expect(durationMs).toBe(1_000) });
  await record.add(newSession());
});

test("drops the least recently used sessions above the maximum, and stores them again when they are used", async () => {
  const { record, writes } = openRecord();
  const add = async (session: ReturnType<typeof newSession>) => {
    const adding = record.add(session);
    await turn();
    writes.at(-1)?.done.resolve();
    await adding;
  };
  const sessions = Array.from({ length: sessionsMax + 1 }, newSession);
  const [oldest = newSession(), second = newSession()] = sessions;
  for (const session of sessions.slice(0, sessionsMax)) await add(session);
  await add(oldest);
  await add(sessions.at(-1) ?? oldest);
  expect(writes.at(-1)?.ids).toHaveLength(sessionsMax);
  expect(writes.at(-1)?.ids).toContain(oldest.id.id);
  expect(writes.at(-1)?.ids).not.toContain(second.id.id);
  await add(second);
  expect(writes.at(-1)?.ids).toContain(second.id.id);
});
