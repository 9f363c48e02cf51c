/** Admission decisions, made in this process with direct access to the database. Each worker uses its own API key. */
import { randomBytes } from "node:crypto";
import { Binary } from "mongodb";
import { z } from "zod";
import { MongoAdmissions } from "../../../services/registry/mongo/admissions/mongo-admissions.ts";
import { openBaseline } from "../baseline/open-baseline.ts";
import { serveLoad } from "../load/serve-load.ts";
import { admissionTime } from "./admission-time.ts";

const setup = z.object({
  uri: z.string(),
  /** SHA-256 of each key, in hexadecimal. */
  keyHashes: z.array(z.string()).min(1),
  policy: z.object({ limit: z.number(), windowMs: z.number() }),
  /**
   * `admit`, `refuse`: the expected decision. The opposite decision is an error; `unknown_key` is not.
   * `find_one`: no decision, only a `findOne` by the key's hash.
   */
  mode: z.enum(["admit", "refuse", "find_one"]),
});

serveLoad(setup, async ({ uri, keyHashes, policy, mode }) => {
  const { access } = (await openBaseline(uri, keyHashes.length)).collections;
  const refusing = new MongoAdmissions(access, policy);
  return keyHashes.map((text) => {
    const hash = Buffer.from(text, "hex");
    if (mode === "find_one")
      return async () => {
        await access.findOne({ "keys.hash": new Binary(hash) }, { projection: { plan: 1 } });
        return 1;
      };
    let count = policy.limit - 1;
    const databaseTime = () => admissionTime(policy, count++);
    const deciding = mode === "admit" ? new MongoAdmissions(access, policy, { databaseTime }) : refusing;
    const unexpected = mode === "admit" ? "rate_limited" : "admitted";
    return async () => {
      const { admission } = await deciding.admit(hash, { id: randomBytes(16) });
      if (admission === unexpected) throw new Error(`unexpected decision: ${admission}`);
      return 1;
    };
  });
});
