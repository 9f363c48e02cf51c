/** Decisions about requests: each worker asks about its own key, again and again. */
import { Binary } from "mongodb";
import { MongoAdmissions } from "../../../services/registry/mongo/mongo-admissions.ts";
import { openBare } from "../bare/open-bare.ts";
import { serveLoad } from "../load/serve-load.ts";
import { admissionTime } from "./admission-time.ts";
import { admissions } from "./setups.ts";

serveLoad(admissions, async ({ uri, keyHashes, policy, way }) => {
  const { access } = (await openBare(uri, keyHashes.length)).collections;
  const all = new MongoAdmissions(access, policy);
  return keyHashes.map((text) => {
    const hash = Buffer.from(text, "hex");
    if (way === "find_one")
      return async () => {
        await access.findOne({ "keys.hash": new Binary(hash) }, { projection: { plan: 1 } });
        return 1;
      };
    let count = policy.limit - 1;
    const databaseTime = () => admissionTime(policy, count++);
    const ours = way === "admit" ? new MongoAdmissions(access, policy, { databaseTime }) : all;
    const wrong = way === "admit" ? "rate_limited" : "admitted";
    return async () => {
      const { admission } = await ours.admit(hash);
      if (admission === wrong) throw new Error(`a request was ${admission}`);
      return 1;
    };
  });
});
