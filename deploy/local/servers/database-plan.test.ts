import { expect, test } from "vitest";
import { type DatabaseKind, type DatabaseSituation, type OwnerKind, planDatabase } from "./database-plan.ts";

const nothing: DatabaseSituation = {
  uri: undefined,
  forced: undefined,
  owner: undefined,
  installed: new Set(),
  buildFast: false,
};
const having = (...kinds: DatabaseKind[]) => new Set(kinds);
const dataOf = (kind: OwnerKind) => ({ kind, folder: "/data" });

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
    "tries to install faster servers with buildFast before it uses the slow stand-in",
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
  [
    "uses the server that owns the data even if faster servers are installed",
    { owner: dataOf("secantusd-py"), installed: having("mongod", "secantusd-rs", "secantusd-py"), buildFast: true },
    "use secantusd-py",
  ],
  [
    "reinstalls the server that owns the data when it was removed",
    { owner: dataOf("secantusd-py"), installed: having("secantusd-rs") },
    "install secantusd-py",
  ],
  [
    "accepts a forced kind that owns the data",
    { owner: dataOf("secantusd-py"), forced: "secantusd-py", installed: having("secantusd-rs", "secantusd-py") },
    "use secantusd-py",
  ],
  [
    "connects to MONGODB_URI when the server at that address owns the data",
    { owner: dataOf("MONGODB_URI"), uri: "mongodb://x" },
    "connect mongodb://x",
  ],
])("%s", (_, situation, steps) => {
  expect(planned(situation)).toBe(steps);
});

test.each<[Partial<DatabaseSituation>, string]>([
  [{ forced: "mongod" }, "REGISTRY_DATABASE_SERVER=mongod, but no mongod 7 or newer is on the PATH"],
  [{ forced: "secantusd-rs" }, "secantusd-rs is not built yet: run `node deploy/local/servers/fetch.ts --fast`"],
  [{ forced: "mysql" }, 'REGISTRY_DATABASE_SERVER is "mysql"; set it to one of mongod, memory-server,'],
  [{ forced: "mongod", uri: "mongodb://x" }, "contradict each other"],
  [
    { owner: dataOf("secantusd-py"), forced: "secantusd-rs", installed: having("secantusd-rs", "secantusd-py") },
    "The data in /data belongs to secantusd-py, and other servers cannot read it: unset REGISTRY_DATABASE_SERVER, use",
  ],
  [
    { owner: dataOf("secantusd-py"), uri: "mongodb://x" },
    "unset MONGODB_URI, use another data folder, or delete the data (npm start -- --reset).",
  ],
  [
    { owner: dataOf("MONGODB_URI"), installed: having("mongod") },
    "belongs to the server at MONGODB_URI: set MONGODB_URI",
  ],
  [
    { owner: dataOf("mongod"), installed: having("secantusd-rs") },
    "The data in /data belongs to mongod, but no mongod 7 or newer is on the PATH: install one, or use another data",
  ],
  [
    { owner: dataOf("secantusd-rs"), installed: having("mongod") },
    "belongs to secantusd-rs, but secantusd-rs is not built yet",
  ],
])("rejects contradictory settings and unknown or unavailable servers: %o", (situation, sentence) => {
  expect(() => planned(situation)).toThrow(sentence);
});
