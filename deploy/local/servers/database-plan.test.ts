import { expect, test } from "vitest";
import { type DatabaseKind, type DatabaseSituation, planDatabase } from "./database-plan.ts";

const nothing: DatabaseSituation = {
  uri: undefined,
  forced: undefined,
  present: new Set(),
  buildFast: false,
};
const having = (...kinds: DatabaseKind[]) => new Set(kinds);

function planned(situation: Partial<DatabaseSituation>): string {
  const steps = planDatabase({ ...nothing, ...situation });
  return steps
    .map((step) => (step.step === "connect" ? `connect ${step.uri}` : `${step.step} ${step.kind}`))
    .join(", ");
}

test.each<[string, Partial<DatabaseSituation>, string]>([
  [
    "a server of somebody else before all",
    { uri: "mongodb://x", present: having("mongod") },
    "connect mongodb://x",
  ],
  [
    "mongod first",
    { present: having("secantusd-py", "secantusd-rs", "memory-server", "mongod") },
    "use mongod",
  ],
  ["then a downloaded mongod", { present: having("secantusd-rs", "memory-server") }, "use memory-server"],
  [
    "then the Rust server, before any download",
    { present: having("secantusd-py", "secantusd-rs") },
    "use secantusd-rs",
  ],
  ["then the wheel that is there", { present: having("secantusd-py") }, "use secantusd-py"],
  ["nothing there: quickest first", {}, "get memory-server, get secantusd-py"],
  [
    "nothing there, fast wanted",
    { buildFast: true },
    "get memory-server, get secantusd-rs, get secantusd-py",
  ],
  [
    "only the wheel there, fast wanted",
    { buildFast: true, present: having("secantusd-py") },
    "get memory-server, get secantusd-rs, use secantusd-py",
  ],
  ["fast wanted and there", { buildFast: true, present: having("secantusd-rs") }, "use secantusd-rs"],
  [
    "forced and there",
    { forced: "secantusd-py", present: having("mongod", "secantusd-py") },
    "use secantusd-py",
  ],
  ["forced and to be had", { forced: "secantusd-py", present: having("mongod") }, "get secantusd-py"],
  ["a forced download", { forced: "memory-server" }, "get memory-server"],
  ["a forced build that may be done", { forced: "secantusd-rs", buildFast: true }, "get secantusd-rs"],
])("%s", (_, situation, steps) => {
  expect(planned(situation)).toBe(steps);
});

test.each<[Partial<DatabaseSituation>, string]>([
  [{ forced: "mongod" }, "REGISTRY_DATABASE_SERVER=mongod, but no mongod 7 or newer is on the PATH"],
  [{ forced: "secantusd-rs" }, "it is not built yet: run `node deploy/local/servers/fetch.ts --fast`"],
  [{ forced: "mysql" }, 'REGISTRY_DATABASE_SERVER is "mysql"; it can be mongod, memory-server,'],
  [{ forced: "mongod", uri: "mongodb://x" }, "contradict each other"],
])("settings that cannot be followed are one sentence: %o", (situation, sentence) => {
  expect(() => planned(situation)).toThrow(sentence);
});
