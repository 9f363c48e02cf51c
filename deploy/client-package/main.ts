/**
 * `npm run pack:client`: packs the client library for npm into the folder that the edge serves. `--release` packs the
 * archive of a release, to be committed; `--repository <url>` names the public source repository in it.
 */
import { parseArgs } from "node:util";
import { packClient } from "./pack-client.ts";

const { values } = parseArgs({
  options: { release: { type: "boolean", default: false }, repository: { type: "string" } },
});
process.stdout.write(`${await packClient({ isRelease: values.release, repository: values.repository })}\n`);
