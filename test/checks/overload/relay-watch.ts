import { type FileHandle, open } from "node:fs/promises";
import type { Stack } from "../../harness/stack/start-stack.ts";

/** Counts, from the logs of the registries, how often a relay became ready to publish, and how often a relay failed. */
export interface RelayWatch {
  read(): Promise<RelayCounts>;
}

/** Counts since the start of the stack. */
interface RelayCounts {
  /** Number of starts; a relay that neither fails nor loses its lease starts once. */
  readonly starts: number;
  readonly failures: number;
}

const started = '"msg":"outbox relay is ready"';
const failed = '"msg":"outbox relay failed; retrying"';

/** Opens the registries' logs for counting; they are closed with the stack. */
export async function watchRelay({ supervisor, registries }: Stack): Promise<RelayWatch> {
  const counts = { starts: 0, failures: 0 };
  const readers = await Promise.all(
    registries.map(async ({ process }) => {
      const handle = await open(supervisor.path(`${process.name}.log`), "r");
      supervisor.onClose(() => handle.close());
      return lineReader(handle);
    }),
  );
  return {
    read: async () => {
      for (const readLines of readers) {
        await readLines((line) => {
          if (line.includes(started)) counts.starts++;
          else if (line.includes(failed)) counts.failures++;
        });
      }
      return { ...counts };
    },
  };
}

/** Returns a function that reads the complete lines that were appended since its last call. */
function lineReader(handle: FileHandle) {
  const decoder = new TextDecoder();
  const chunk = Buffer.alloc(1_048_576);
  let rest = "";
  return async (onLine: (line: string) => void) => {
    for (;;) {
      const { bytesRead } = await handle.read(chunk);
      if (bytesRead === 0) return;
      const lines = (rest + decoder.decode(chunk.subarray(0, bytesRead), { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      lines.forEach(onLine);
    }
  };
}
