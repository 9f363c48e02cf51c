import { loadConfig } from "./config.ts";
import { startDemoShop } from "./run.ts";

const print = (line: string) => process.stdout.write(`${line}\n`);
const fail = (error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
};

const starting = (async () => startDemoShop(loadConfig(process.env), print))();
let isStopping = false;
const stop = () => {
  if (isStopping) process.exit(1);
  isStopping = true;
  starting.then((shop) => shop.stop()).then(() => process.exit(0));
};
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
starting.catch(fail);
