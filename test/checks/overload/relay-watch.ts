import { AppendedLines } from "../../../deploy/local/stack/follow-file.ts";
import type { Stack } from "../../harness/stack/start-stack.ts";

/** Counts, from the logs of the registries, how often a relay became ready to publish, and how often a relay failed. */
export type RelayWatch = Awaited<ReturnType<typeof watchRelay>>;

const started = '"msg":"outbox relay is ready"';
const failed = '"msg":"outbox relay failed; retrying"';

/** Opens the registries' logs for counting; they are closed with the stack. */
export async function watchRelay({ supervisor, registries }: Stack) {
  const counts = { starts: 0, failures: 0 };
  const logs = await Promise.all(
    registries.map(async ({ process }) => {
      const appended = await AppendedLines.open(supervisor.path(`${process.name}.log`));
      supervisor.onClose(() => appended.close());
      return appended;
    }),
  );
  return {
    read: async () => {
      for (const log of logs)
        for (const line of await log.read()) {
          if (line.includes(started)) counts.starts++;
          else if (line.includes(failed)) counts.failures++;
        }
      return { ...counts };
    },
  };
}
