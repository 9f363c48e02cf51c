import { describe, expect, test } from "vitest";
import { HeldRows } from "./held-rows.ts";

describe("HeldRows", () => {
  test("releases the rows of a key in FIFO order, and each row only once", () => {
    const held = new HeldRows<string>(10);
    held.hold("a", "a1");
    held.hold("b", "b1");
    held.hold("a", "a2");
    expect(held.release("a")).toEqual(["a1", "a2"]);
    expect(held.release("a")).toEqual([]);
    expect(held.releaseAll()).toEqual(["b1"]);
    expect(held.releaseAll()).toEqual([]);
  });

  test("evicts the oldest row, whatever its key, when the limit is exceeded", () => {
    const held = new HeldRows<string>(2);
    expect(held.hold("a", "a1")).toBeNull();
    expect(held.hold("b", "b1")).toBeNull();
    expect(held.hold("a", "a2")).toBe("a1");
    expect(held.hold("c", "c1")).toBe("b1");
    expect(held.release("a")).toEqual(["a2"]);
    expect(held.hold("b", "b2")).toBeNull();
    expect(held.releaseAll()).toEqual(["c1", "b2"]);
  });
});
