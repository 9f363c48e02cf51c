import { expect, test } from "vitest";
import { mutations } from "../simulation/mutations.ts";
import { textOf } from "./repository.ts";

test.each(mutations)("the mutation that takes back “$name” fits the code", ({ changes }) => {
  for (const { file, from, to } of changes) {
    expect(textOf(file).split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
  }
});
