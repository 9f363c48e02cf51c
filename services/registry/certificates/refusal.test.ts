import { expect, test } from "vitest";
import { isRefusal, type Refusal, unwrap } from "./refusal.ts";

const refusal: Refusal = { refused: "conflict", message: "Used before.", field: "idempotency_key" };

test("a refusal becomes the error that the caller sees, with its field where it has one", () => {
  expect(() => unwrap(refusal)).toThrow(
    expect.objectContaining({ code: "conflict", message: "Used before.", field: "idempotency_key" }),
  );
  expect(() => unwrap({ refused: "not_found", message: "None." })).toThrow(
    expect.objectContaining({ code: "not_found", field: undefined }),
  );
});

test.each([[""], ["refused"], [true], [false], [null], [0], [[refusal]], [{ message: "refused" }]])(
  "%o is a result",
  (result) => {
    expect(isRefusal(result)).toBe(false);
    expect(unwrap(result)).toBe(result);
  },
);
