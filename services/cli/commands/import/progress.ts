import { MultiBar } from "cli-progress";
import type { ReadCounts } from "#shared/orders/read-order-units.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";

type ProgressStream = NodeJS.WritableStream & { readonly isTTY?: boolean };
type Progress = Pick<ReadCounts, "rows" | "bytes">;

/** Shows how many rows and bytes an import has read. */
interface ProgressDisplay {
  /** Records the progress, which is shown now or with a later update. */
  update(progress: Progress): void;
  /** Writes a separate line, such as a problem; while a bar is shown, the line appears above it. */
  line(text: string): void;
  /** Shows the last progress and ends the display. A bar that is not stopped keeps the process alive. */
  stop(): void;
}

interface ProgressOptions {
  readonly bytesTotal: number;
  /** Default: standard error, which leaves standard output to the results. */
  readonly stream?: ProgressStream;
  readonly clock?: Pick<Clock, "now">;
}

const lineIntervalMs = 5_000;
const lineIntervalRows = 10_000;

/** Creates a display: on a terminal, a progress bar; otherwise a plain line every 5 s or 10,000 rows. */
export function createProgress(options: ProgressOptions): ProgressDisplay {
  const { bytesTotal, stream = process.stderr } = options;
  return stream.isTTY === true ? barDisplay(stream, bytesTotal) : lineDisplay(stream, options);
}

/** Creates a display that shows no progress. @param onLine called with each separate line */
export function silentProgress(onLine: (text: string) => void): ProgressDisplay {
  const ignore = () => undefined;
  return { update: ignore, line: onLine, stop: ignore };
}

function barDisplay(stream: ProgressStream, bytesTotal: number): ProgressDisplay {
  // Only cli-progress's multi-bar display can write lines above a bar, and it needs forceRedraw to show them.
  const bars = new MultiBar({
    stream,
    format: "{bar} {percentage}% | {rows} rows | {eta_formatted} left",
    forceRedraw: true,
    linewrap: true,
  });
  const bar = bars.create(bytesTotal, 0, { rows: 0 });
  return {
    update({ bytes, rows }) {
      bar.update(bytes, { rows });
    },
    line(text) {
      if (bars.isActive) bars.log(`${text}\n`);
      else stream.write(`${text}\n`);
    },
    stop() {
      if (!bars.isActive) return;
      bars.update();
      bars.stop();
    },
  };
}

function lineDisplay(stream: ProgressStream, options: ProgressOptions): ProgressDisplay {
  const { bytesTotal, clock = steadyClock } = options;
  let shown: Progress = { rows: 0, bytes: 0 };
  let last = shown;
  let shownAt = clock.now();
  function show(): void {
    shown = last;
    shownAt = clock.now();
    const share = bytesTotal === 0 ? "" : ` (${Math.floor((100 * last.bytes) / bytesTotal)}%)`;
    stream.write(`${last.rows.toLocaleString("en")} rows read${share}\n`);
  }
  return {
    update(progress) {
      last = progress;
      if (last.rows - shown.rows >= lineIntervalRows || clock.now() - shownAt >= lineIntervalMs) show();
    },
    line(text) {
      stream.write(`${text}\n`);
    },
    stop() {
      if (last !== shown) show();
    },
  };
}
