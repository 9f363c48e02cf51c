import { expect, test } from "vitest";
import { byteSlices } from "./byte-slices.ts";

test("a large chunk comes in small pieces, and each piece is told when it is done with", async () => {
  const done: number[] = [];
  const sizes: number[] = [];
  const doneBefore: number[] = [];
  async function* source() {
    yield new Uint8Array(150_000);
    yield new Uint8Array(0);
    yield new Uint8Array(10);
  }
  for await (const slice of byteSlices(source(), (bytes) => done.push(bytes))) {
    sizes.push(slice.byteLength);
    doneBefore.push(done.length);
  }
  expect(sizes).toEqual([65_536, 65_536, 18_928, 10]);
  expect(doneBefore).toEqual([0, 1, 2, 3]);
  expect(done).toEqual([65_536, 131_072, 150_000, 150_010]);
});
