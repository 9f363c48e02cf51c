/** `npm run pack:client -- [file]`: packs the client library for npm, by default into the file that the edge serves. */
import path from "node:path";
import { clientPackageFile, packClient } from "./pack-client.ts";

const file = path.resolve(process.argv[2] ?? clientPackageFile);
await packClient(file);
process.stdout.write(`${file}\n`);
