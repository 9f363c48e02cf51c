import { MongoClient } from "mongodb";
import { expect, test } from "vitest";
import { everyCollection, isBackedUp } from "../../services/registry/mongo/backup/backed-up.ts";
import { textOf } from "./repository.ts";

test("SIZING.md says of each collection that a backup contains whether a move of a store copies it", () => {
  const [, paragraph = ""] = /^3\. Copy its documents([\s\S]*?)^4\. /m.exec(textOf("deploy/SIZING.md")) ?? [];
  const named = [...paragraph.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  // The client does not connect.
  const backedUp = everyCollection(new MongoClient("mongodb://unused").db())
    .map(({ collectionName }) => collectionName)
    .filter(isBackedUp);
  expect(named.toSorted()).toEqual(backedUp.toSorted());
});
