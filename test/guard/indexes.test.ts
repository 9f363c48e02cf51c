import { expect, test } from "vitest";
import { z } from "zod";
import { indexes } from "../../services/registry/mongo/opening/indexes.ts";
import { textOf } from "./repository.ts";

const fixture = "test/fixtures/indexes-v1.json";

/** The definition of every index that a database may have, by collection and name, without the lifetime of a TTL. */
const recorded = z.record(z.string(), z.record(z.string(), z.unknown())).parse(JSON.parse(textOf(fixture)));

// MongoDB refuses an index whose name has another definition, so the registry would not start on the older database.
test(`an index whose definition changes has a new name, which is added to ${fixture}`, () => {
  const changed = Object.entries(indexes).flatMap(([collection, ofCollection]) =>
    ofCollection.flatMap(({ name = "", expireAfterSeconds: _, ...definition }) =>
      // As text, because the order of the fields counts.
      JSON.stringify(definition) === JSON.stringify(recorded[collection]?.[name]) ? [] : `${collection}.${name}`,
    ),
  );
  expect(changed).toEqual([]);
});
