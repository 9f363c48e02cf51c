/** The webhook receiver of a stack, as a program. */
import { readFileSync } from "node:fs";
import { seededRandom } from "../seeded-random.ts";
import { receiverConfig } from "./config.ts";
import { listenAsReceiver } from "./listen.ts";
import { RequestLogWriter } from "./request-log-writer.ts";

const config = receiverConfig(process.env);
listenAsReceiver({
  port: config.RECEIVER_PORT,
  cert: readFileSync(config.RECEIVER_CERT_FILE),
  key: readFileSync(config.RECEIVER_KEY_FILE),
  log: new RequestLogWriter(config.RECEIVER_LOG_FILE),
  random: seededRandom(config.RECEIVER_SEED),
});
