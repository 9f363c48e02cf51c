import { expect, test } from "vitest";
import { files, textOf } from "./repository.ts";

// The simulation replaces these functions of Node: code that keeps a reference from before would use the real ones.
const kept = [
  /\b(?:Math\.random|Date\.now|performance\.now|process\.hrtime(?:\.bigint)?)\b(?!\s*\(|\.)/,
  /=\s*(?:Math|Date|performance|globalThis|process)\s*;/,
  /\bpromisify\(\s*set(?:Timeout|Immediate)\b/,
];

test("no code of the services or the client keeps a clock, a timer or a source of randomness of Node", () => {
  const simulated = files.filter((file) =>
    /^services\/(?:registry|notifier|edge|shared|client)\/.*(?<!\.test)\.ts$/.test(file),
  );
  expect(simulated.length).toBeGreaterThan(500);
  const found = simulated.flatMap((file) =>
    textOf(file)
      .split("\n")
      .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line) && kept.some((pattern) => pattern.test(line)))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
