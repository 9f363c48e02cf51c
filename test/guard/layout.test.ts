import { expect, test } from "vitest";
import { files, isHandWritten, lineCount, textOf } from "./repository.ts";

const modules = files.filter((file) => file.endsWith(".ts") && isHandWritten(file));

test("no main.ts has more than 20 lines", () => {
  const mains = modules.filter((file) => file.endsWith("/main.ts"));
  expect(mains.filter((file) => lineCount(file) > 20)).toEqual([]);
});

// The formatter wraps code, but not comments.
test("no comment line has more than 120 characters", () => {
  const isLong = (line: string) => line.length > 120 && /^\s*(\*|\/\/|\/\*\*) /.test(line);
  const contracts = files.filter((file) => file.endsWith(".proto"));
  const long = [...modules, ...contracts].flatMap((file) =>
    textOf(file)
      .split("\n")
      .flatMap((line, index) => (isLong(line) ? [`${file}:${index + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

test.each(["registry", "edge", "notifier"])("services/%s has main.ts, config.ts and run.ts", (name) => {
  expect(files).toEqual(
    expect.arrayContaining(["main", "config", "run"].map((module) => `services/${name}/${module}.ts`)),
  );
});

test("no test uses .only, .skip or .todo", () => {
  const tests = modules.filter((file) => file.endsWith(".test.ts"));
  // Assembled from parts, so that this file does not match the pattern.
  const switches = new RegExp(`\\b(it|test|describe)\\.(${["only", "skip", "todo"].join("|")})\\(`);
  expect(tests.filter((file) => switches.test(textOf(file)))).toEqual([]);
});

test("no file contains a merge conflict marker", () => {
  expect(files.filter((file) => /^(<{7}|>{7}) /m.test(textOf(file)))).toEqual([]);
});
