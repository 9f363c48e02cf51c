import { expect, test } from "vitest";
import { isRefusal, type Refusal, unlessRefused } from "./refusal.ts";

const refusal: Refusal = { refused: "conflict", message: "Used before.", field: "request_id" };

test("a refusal becomes the error that the caller sees, with its field where it has one", () => {
  expect(() => unlessRefused(refusal)).toThrow(
    expect.objectContaining({ code: "conflict", message: "Used before.", field: "request_id" }),
  );
  expect(() => unlessRefused({ refused: "not_found", message: "None." })).toThrow(
    expect.objectContaining({ code: "not_found", field: undefined }),
  );
});

test.each([[""], ["refused"], [true], [false], [null], [0], [[refusal]], [{ message: "refused" }]])(
  "%o is a result",
  (result) => {
    expect(isRefusal(result)).toBe(false);
    expect(unlessRefused(result)).toBe(result);
  },
);
