import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { NoPlaceLeft, Places } from "./places.ts";

const onePlace = { inFlightMax: 1, inFlightPerStoreMax: 1, waitingMax: 10 };

test("lets other work run during a pause, after which the paused work waits until a place is free", async () => {
  const places = new Places(onePlace);
  const log: string[] = [];
  const paused = Promise.withResolvers<void>();
  const working = Promise.withResolvers<void>();
  const first = places.run("sto_1", async (aroundPause) => {
    await aroundPause(() => paused.promise);
    log.push("first continues");
  });
  const second = places.run("sto_2", async () => {
    log.push("second starts");
    await working.promise;
    log.push("second ends");
  });
  await turn();
  paused.resolve();
  await turn();
  expect([log, places.inFlight]).toEqual([["second starts"], 1]);
  working.resolve();
  await Promise.all([first, second]);
  expect([log, places.inFlight]).toEqual([["second starts", "second ends", "first continues"], 0]);
});

test("releases the place when a pause or the work fails", async () => {
  const places = new Places(onePlace);
  const failing = () => Promise.reject(new Error("no"));
  await expect(places.run("sto_1", (aroundPause) => aroundPause(failing))).rejects.toThrow("no");
  await expect(places.run("sto_1", failing)).rejects.toThrow("no");
  expect(places.inFlight).toBe(0);
});

test("refuses work that finds no room to wait, and keeps room for other stores", async () => {
  const places = new Places({ ...onePlace, waitingMax: 2 });
  const working = Promise.withResolvers<void>();
  const greedy = [1, 2].map(() => places.run("sto_1", () => working.promise));
  await expect(places.run("sto_1", async () => undefined)).rejects.toThrow(NoPlaceLeft);
  const other = places.run("sto_2", async () => "done");
  working.resolve();
  expect(await other).toBe("done");
  await Promise.all(greedy);
});
