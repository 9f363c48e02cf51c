import { expect, test } from "vitest";
import { World } from "./world.ts";

test("maps and sets that a replica holds are found by their size, unless the replica held them when it had started, or is killed", async () => {
  const world = new World(1);
  const held: unknown[] = [];
  const grow = () => {
    const map = new Map(Array.from({ length: 50 }, (_, key) => [key, key]));
    const [added, derived] = [new Set<number>(), new (class extends Map<number, number> {})()];
    for (const key of map.keys()) {
      added.add(key);
      derived.set(key, key);
    }
    held.push(map, new Set(map.keys()), new Set([1]), added, derived);
  };
  await world.run(async () => {
    const replica = world.startReplica("replica", 0);
    world.inProcess(replica, grow);
    world.collections.noteStarted(replica);
    world.inProcess(replica, grow);
    world.inProcess(world.start("server"), grow);
    const killed = world.startReplica("killed", 0);
    world.inProcess(killed, grow);
    world.kill(killed);
  });
  const found = await world.collections.findLarge(40);
  expect(found.map(({ process, size, keys }) => [process.name, size, keys])).toEqual([
    ["replica", 50, "0, 1, 2"],
    ["replica", 50, "0, 1, 2"],
    ["replica", 50, "0, 1, 2"],
    ["replica", 50, "0, 1, 2"],
  ]);
  held.splice(0);
  expect(await world.collections.findLarge(40)).toEqual([]);
});
