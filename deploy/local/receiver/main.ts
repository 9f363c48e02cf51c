import { receiverConfig } from "./config.ts";
import { startReceiver } from "./run.ts";

try {
  const receiver = await startReceiver(receiverConfig(process.env), (line) =>
    process.stdout.write(`${line}\n`),
  );
  let isStopping = false;
  const stop = () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    receiver.stop().then(() => process.exit(0));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
