/** Decisions about requests: each worker asks about its own key, again and again. */
import { Binary } from "mongodb";
import { MongoAdmissions } from "../../../services/registry/mongo/mongo-admissions.ts";
import { openBare } from "../bare/open-bare.ts";
import { serveLoad } from "../load/serve-load.ts";
import { admissions } from "./setups.ts";

serveLoad(admissions, async ({ uri, keyHashes, policy, way }) => {
  const { access } = (await openBare(uri, keyHashes.length)).collections;
  const ours = new MongoAdmissions(access, policy);
  return keyHashes.map((text) => {
    const hash = Buffer.from(text, "hex");
    return async () => {
      if (way === "admit") await ours.admit(hash);
      else await access.findOne({ "keys.hash": new Binary(hash) }, { projection: { plan: 1 } });
      return 1;
    };
  });
});
