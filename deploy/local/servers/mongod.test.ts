import type { Db } from "mongodb";
import { MongoServerError } from "mongodb";
import { expect, test } from "vitest";
import { majorVersion } from "./mongod.ts";
import { ensureReplicaSet } from "./replica-set.ts";

test("reads the major version from the output of mongod --version", () => {
  expect(majorVersion('db version v8.0.4\nBuild Info: {\n    "version": "8.0.4"\n')).toBe(8);
  expect(majorVersion("db version v4.4.29\n")).toBe(4);
  expect(majorVersion("Illegal instruction")).toBeUndefined();
});

/** Creates a fake admin database with this stored configuration, or none. Records all commands but replSetGetConfig. */
function adminWith(config: object | undefined) {
  const commands: object[] = [];
  const command = async (sent: object) => {
    if (!("replSetGetConfig" in sent)) commands.push(sent);
    else if (config === undefined) throw new MongoServerError({ message: "no config", code: 94 });
    return { config };
  };
  return { admin: { command } as unknown as Db, commands };
}

const stored = {
  _id: "registry",
  version: 3,
  term: 7,
  members: [{ _id: 0, host: "127.0.0.1:5000", votes: 1 }],
};

test.each<[string, object | undefined, object[]]>([
  [
    "initiates a new replica set",
    undefined,
    [{ replSetInitiate: { _id: "registry", members: [{ _id: 0, host: "127.0.0.1:6000" }] } }],
  ],
  [
    "changes the port in a stored configuration",
    stored,
    [
      {
        replSetReconfig: { ...stored, version: 4, members: [{ _id: 0, host: "127.0.0.1:6000", votes: 1 }] },
        force: true,
      },
    ],
  ],
  [
    "leaves a stored configuration with the same port unchanged",
    { ...stored, members: [{ _id: 0, host: "127.0.0.1:6000" }] },
    [],
  ],
])("ensureReplicaSet %s", async (_, config, sent) => {
  const { admin, commands } = adminWith(config);
  await ensureReplicaSet(admin, "127.0.0.1:6000");
  expect(commands).toEqual(sent);
});
