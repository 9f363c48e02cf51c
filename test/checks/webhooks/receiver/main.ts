import { readFileSync } from "node:fs";
import { seededRandom } from "../../../harness/seeded-random.ts";
import { receiverConfig } from "./config.ts";
import { ReceiverRecord } from "./record.ts";
import { listenAsReceiver } from "./server.ts";

/** The receiver of the webhook checker: the one part that is never killed. */
const config = receiverConfig(process.env);
listenAsReceiver({
  port: config.RECEIVER_PORT,
  cert: readFileSync(config.RECEIVER_CERT_FILE),
  key: readFileSync(config.RECEIVER_KEY_FILE),
  record: new ReceiverRecord(config.RECEIVER_RECORD_FILE),
  random: seededRandom(config.RECEIVER_SEED),
});
