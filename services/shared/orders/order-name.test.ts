import { describe, expect, test } from "vitest";
import { orderNameFault } from "./order-name.ts";

describe("orderNameFault", () => {
  test.each(["#1001", "#EU-1001", `#${"1".repeat(63)}`])("accepts %s", (name) => {
    expect(orderNameFault(name)).toBeNull();
  });

  test.each([
    ["", "empty"],
    ["1001", "begin with #"],
    ["#", "no characters after"],
    [`#${"1".repeat(64)}`, "64 characters"],
    ["#10\u000001", "control character"],
    ["#10\n01", "control character"],
  ])("rejects %j", (name, why) => {
    expect(orderNameFault(name)).toContain(why);
  });
});
