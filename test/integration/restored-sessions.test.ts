import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { inStore } from "../harness/in-store.ts";
import { openSettingsSession, signInLink } from "../harness/settings-session.ts";
import { createTestStore } from "../harness/test-stores.ts";
import { backup, openRig } from "./restore-rig.ts";

test.concurrent.for(["restore", "finish-restore"])(
  "after %s, earlier sessions and sign-in links are refused, no message is kept for listeners, and used platform tokens remain marked as used",
  async (command, context) => {
    const { database, start, folder } = await openRig(context);
    const before = await start();
    const storeId = await createTestStore(before);
    const link = await signInLink(before, storeId);
    const headers = await openSettingsSession(before, storeId);
    await before.admin.createListenToken({}, inStore(storeId));
    await database.collections.platformTokens.insertOne({ _id: "used", expiresAt: new Date(systemClock.now() + 9e5) });
    const saved = await backup(database, "save", "--folder", folder);
    expect(saved.out).not.toMatch(/sessions|settingsLinks/);
    await before.admin.revokeSessions({}, inStore(storeId));
    await before.stop();
    if (command === "restore") {
      await database.db.dropDatabase();
    } else {
      // Simulates a restore by another tool, which also restores the sessions as they were before their revocation.
      await database.collections.sessions.updateMany({}, { $unset: { revokedAt: true } });
    }
    const options = command === "restore" ? ["--folder", folder] : [];
    expect(await backup(database, command, ...options)).toMatchObject({ code: 0 });

    expect(await database.collections.stores.countDocuments({ listenUntil: { $exists: true } })).toBe(0);

    const after = await start();
    context.onTestFinished(() => after.stop());
    await expect(after.settings.session.getSession({}, { headers })).rejects.toMatchObject({
      code: Code.Unauthenticated,
    });
    await expect(after.settings.session.openSession(link)).rejects.toMatchObject({ code: Code.Unauthenticated });
    await openSettingsSession(after, storeId);
    expect(await database.collections.platformTokens.findOne({ _id: "used" })).not.toBeNull();
  },
);
