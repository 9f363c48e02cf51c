import { expect, test } from "vitest";
import { roomPerStore } from "./room-per-store.ts";

/** Rooms for two in each store, of which one is stored, and a clock that stands still. */
function openRooms() {
  const state = { nowMs: 1_000_000, stored: 1, counted: 0 };
  const hasRoom = roomPerStore(
    async (_storeId, countMax) => {
      state.counted += 1;
      return Math.min(state.stored, countMax);
    },
    { countMax: 2, clock: { now: () => state.nowMs } },
  );
  return { state, hasRoom };
}

test("a flood of refusals counts the stored ones once a minute", async () => {
  const { state, hasRoom } = openRooms();
  const answers: boolean[] = [];
  for (let call = 0; call < 1_000; call += 1) answers.push(await hasRoom("sto_a"));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect(state.counted).toBe(1);
});

test("notices within a minute that there is room again, and what other replicas have stored", async () => {
  const { state, hasRoom } = openRooms();
  expect([await hasRoom("sto_a"), await hasRoom("sto_a")]).toEqual([true, false]);
  state.nowMs += 60_001;
  state.stored = 0;
  expect([await hasRoom("sto_a"), await hasRoom("sto_a"), await hasRoom("sto_a")]).toEqual([true, true, false]);
  state.nowMs += 60_001;
  state.stored = 5;
  expect(await hasRoom("sto_a")).toBe(false);
});

test("each store has its own room", async () => {
  const { hasRoom } = openRooms();
  expect([await hasRoom("sto_a"), await hasRoom("sto_b")]).toEqual([true, true]);
});
