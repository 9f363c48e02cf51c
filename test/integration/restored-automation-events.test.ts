import { connect } from "nats";
import { expect, test } from "vitest";
import { automationStreamName } from "#shared/nats/automation-stream.ts";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { findInStream } from "../harness/find-text.ts";
import { issueOne } from "../harness/issue-items.ts";
import { startTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctlFor } from "../harness/run-certctl.ts";
import { createTestStore } from "../harness/test-stores.ts";
import { closing, soon } from "./notifier-rig.ts";
import { backup, openRig } from "./restore-rig.ts";

const ada = { name: "Ada Lovelace", email: "ada@example.test" };
const bob = { name: "Bob Example", email: "bob@example.test" };

test("after a restore, automation events wait for release-automation, so that an erasure repeated before it removes a person from them", async (context) => {
  const env = { REGISTRY_AUTOMATION_EVENTS: "on" };
  const { database, nats, folder, start } = await openRig(context, env);
  const { automationOutbox } = database.collections;
  // Without NATS, so that the backup contains the events.
  const before = await startTestRegistry({ database, env });
  const storeId = await createTestStore(before);
  await issueOne(before, storeId, { buyer: ada });
  await issueOne(before, storeId, { buyer: bob });
  expect(await backup(database, "save", "--folder", folder)).toMatchObject({ code: 0 });
  await before.stop();
  await database.db.dropDatabase();
  const restored = await backup(database, "restore", "--folder", folder);
  expect(restored).toMatchObject({ code: 0, out: expect.stringContaining("release-automation") });

  const { lines, onLogLine } = captureLog();
  const after = await start({ onLogLine });
  context.onTestFinished(() => after.stop());
  const connection = closing(context, await connect({ servers: nats.url }));
  const inStream = (email: string) => findInStream(connection, email, automationStreamName);
  await issueOne(after, storeId, { buyer: bob });
  const notices = () => lines.filter(({ msg }) => String(msg).includes("release-automation"));
  await soon(() => expect(notices()).toHaveLength(1));
  expect([await inStream(ada.email), await inStream(bob.email)]).toEqual([[], []]);
  expect(await automationOutbox.countDocuments()).toBe(3);

  expect(await runCertctlFor(after, storeId, "person", "erase", ada.email, "--yes")).toMatchObject({ code: 0 });
  expect(await automationOutbox.countDocuments()).toBe(2);
  expect(await backup(database, "release-automation")).toMatchObject({ code: 0 });
  await soon(async () => expect(await inStream(bob.email)).toHaveLength(2));
  expect(notices()).toHaveLength(1);
  expect(await inStream(ada.email)).toEqual([]);
}, 120_000);
