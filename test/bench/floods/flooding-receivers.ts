/**
 * The flooding receivers of the benchmark, in a separate process so that they do not delay other measurements.
 */
import { readFile } from "node:fs/promises";
import { floods, startFloodingReceiver } from "../../../services/notifier/webhook/flooding-receiver-fixture.ts";
import { type FloodState, floodSetup } from "./start-floods.ts";

async function start(message: unknown): Promise<() => FloodState> {
  const { certFile, keyFile, count } = floodSetup.parse(message);
  const certificate = { certPem: await readFile(certFile, "utf8"), keyPem: await readFile(keyFile, "utf8") };
  const receivers = await Promise.all(
    // Of all floods, session tickets cost their sender the least CPU, which leaves more for the measured processes.
    Array.from({ length: count }, () => startFloodingReceiver(certificate, floods.sessionTickets)),
  );
  return () => ({
    ports: receivers.map(({ port }) => port),
    floods: receivers.reduce((sum, { floodsBegun }) => sum + floodsBegun(), 0),
  });
}

let state: Promise<() => FloodState> | undefined;
process.on("message", async (message) => {
  state ??= start(message);
  process.send?.((await state)());
});
process.once("disconnect", () => process.exit());
