import { expect, test } from "vitest";
import { type DatabaseKind, type DatabaseSituation, planDatabase } from "./database-plan.ts";

const nothing: DatabaseSituation = {
  uri: undefined,
  forced: undefined,
  installed: new Set(),
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
  ["prefers the server at MONGODB_URI", { uri: "mongodb://x", installed: having("mongod") }, "connect mongodb://x"],
  [
    "prefers mongod to other programs",
    { installed: having("secantusd-py", "secantusd-rs", "memory-server", "mongod") },
    "use mongod",
  ],
  ["uses a downloaded mongod", { installed: having("secantusd-rs", "memory-server") }, "use memory-server"],
  [
    "uses the installed fast stand-in rather than downloading mongod",
    { installed: having("secantusd-py", "secantusd-rs") },
    "use secantusd-rs",
  ],
  ["uses the installed slow stand-in", { installed: having("secantusd-py") }, "use secantusd-py"],
  [
    "downloads mongod, or else installs the slow stand-in, when no server is installed",
    {},
    "install memory-server, install secantusd-py",
  ],
  [
    "builds the fast stand-in with buildFast when mongod cannot be downloaded",
    { buildFast: true },
    "install memory-server, install secantusd-rs, install secantusd-py",
  ],
  [
    "tries to install faster servers with buildFast before using the slow stand-in",
    { buildFast: true, installed: having("secantusd-py") },
    "install memory-server, install secantusd-rs, use secantusd-py",
  ],
  [
    "builds nothing with buildFast when the fast stand-in is installed",
    { buildFast: true, installed: having("secantusd-rs") },
    "use secantusd-rs",
  ],
  [
    "uses a forced kind that is installed",
    { forced: "secantusd-py", installed: having("mongod", "secantusd-py") },
    "use secantusd-py",
  ],
  [
    "installs a forced slow stand-in that is not installed",
    { forced: "secantusd-py", installed: having("mongod") },
    "install secantusd-py",
  ],
  ["downloads a forced memory-server", { forced: "memory-server" }, "install memory-server"],
  ["builds a forced fast stand-in with buildFast", { forced: "secantusd-rs", buildFast: true }, "install secantusd-rs"],
])("%s", (_, situation, steps) => {
  expect(planned(situation)).toBe(steps);
});

test.each<[Partial<DatabaseSituation>, string]>([
  [{ forced: "mongod" }, "REGISTRY_DATABASE_SERVER=mongod, but no mongod 7 or newer is on the PATH"],
  [{ forced: "secantusd-rs" }, "it is not built yet: run `node deploy/local/servers/fetch.ts --fast`"],
  [{ forced: "mysql" }, 'REGISTRY_DATABASE_SERVER is "mysql"; set it to mongod, memory-server,'],
  [{ forced: "mongod", uri: "mongodb://x" }, "contradict each other"],
])("rejects contradictory or unavailable settings: %o", (situation, sentence) => {
  expect(() => planned(situation)).toThrow(sentence);
});
