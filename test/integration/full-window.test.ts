import { expect, onTestFinished, test } from "vitest";
import { MongoAdmissions } from "../../services/registry/mongo/admissions/mongo-admissions.ts";
import { insertAccess } from "../harness/access-of-store.ts";
import { eventually } from "../harness/eventually.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const limit = 3;

// With the server's own time ($$NOW), which not every server compares with stored dates as MongoDB does.
test("admits a store again after more requests than the limit, once the window has passed on the database's clock", async () => {
  const database = await openTestDatabase(onTestFinished);
  const { access } = database.collections;
  const { hashes } = await insertAccess({ access });
  const [keyHash = Buffer.alloc(0)] = hashes;
  const minute = new MongoAdmissions(access, { limit, windowMs: 60_000 });
  const answers = [];
  for (let request = 0; request < limit + 2; request++) answers.push((await minute.admit(keyHash)).admission);
  expect(answers).toEqual(["admitted", "admitted", "admitted", "rate_limited", "rate_limited"]);

  // A window of one millisecond instead of a minute passes at once.
  const millisecond = new MongoAdmissions(access, { limit, windowMs: 1 });
  const fullAt = await database.now();
  await eventually(async () => expect((await database.now()).getTime()).toBeGreaterThan(fullAt.getTime() + 1));
  for (let request = 0; request < limit; request++)
    expect(await millisecond.admit(keyHash)).toMatchObject({ admission: "admitted" });
});
