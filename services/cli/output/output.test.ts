import { afterEach, expect, test, vi } from "vitest";
import { createOutput } from "./output.ts";

afterEach(() => void vi.restoreAllMocks());

test("on a terminal, a remark between two items of a list leaves out neither", () => {
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((text) => {
      written.push(String(text).trim());
      return true;
    });
  const output = createOutput(false, { columns: 80 });
  const columns = [{ title: "NAME", value: (name: string) => name }];
  const show = output.list({ columns, toJson: (name: string) => ({ name }) });
  show("one");
  output.note("The registry is unavailable. Retrying …");
  show("two");
  output.flush();
  expect(written).toEqual(["NAME", "one", "The registry is unavailable. Retrying …", "NAME", "two"]);
});
