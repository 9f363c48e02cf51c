/**
 * A separate process, started by memory-server-binary.ts: `node download-mongod.ts <folder> <marker>` downloads MongoDB
 * into the folder and prints the marker and the binary's path. Prints only an error message if the download fails or
 * its host does not respond within 3 s.
 */
import { MongoBinary } from "mongodb-memory-server";
import { messageOf } from "./setup-error.ts";

const [downloadDir = "", marker = ""] = process.argv.slice(2);
const { MONGOMS_DOWNLOAD_URL, MONGOMS_DOWNLOAD_MIRROR } = process.env;
const host = MONGOMS_DOWNLOAD_URL || MONGOMS_DOWNLOAD_MIRROR || "https://fastdl.mongodb.org";

async function download(): Promise<string> {
  try {
    await fetch(host, { method: "HEAD", signal: AbortSignal.timeout(3_000) });
  } catch {
    throw new Error(`${host} cannot be reached.`);
  }
  return MongoBinary.getPath({ downloadDir });
}

try {
  process.stdout.write(`\n${marker}${await download()}\n`);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
