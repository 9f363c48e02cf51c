import { MultiBar } from "cli-progress";
import { type Clock, systemClock } from "#shared/time/clock.ts";

/** Where a progress display writes: a terminal or not. */
export type ProgressStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** How far an import is. */
export interface Progress {
  /** Rows read. */
  readonly rows: number;
  /** Bytes read. */
  readonly bytes: number;
}

/** Shows how far an import is. */
export interface ProgressDisplay {
  /** Shows this progress, now or with the next one. */
  update(progress: Progress): void;
  /** Writes a line of its own (a problem, say), above a bar, at the latest when the display ends. */
  line(text: string): void;
  /** Shows the last progress and ends the display; without it a bar keeps the process alive. Lines may still be written. */
  stop(): void;
}

/** Options of {@link createProgress}. */
export interface ProgressOptions {
  /** Size of the file; null where it is unknown, which gives plain lines. */
  readonly bytesTotal: number | null;
  /** Default: stderr, so that stdout stays free for results. */
  readonly stream?: ProgressStream;
  /** Default: the machine's clock. */
  readonly clock?: Pick<Clock, "now">;
  /** A plain line at least this often; default 5,000. */
  readonly everyMs?: number;
  /** A plain line after this many rows at the latest; default 10,000. */
  readonly everyRows?: number;
}

/** A display of progress: a bar by bytes on a terminal, otherwise a plain line every 5 s or 10,000 rows. */
export function createProgress(options: ProgressOptions): ProgressDisplay {
  const { bytesTotal, stream = process.stderr } = options;
  return stream.isTTY === true && bytesTotal !== null
    ? barDisplay(stream, bytesTotal)
    : lineDisplay(stream, options);
}

function barDisplay(stream: ProgressStream, bytesTotal: number): ProgressDisplay {
  // The display for several bars is the one that can write lines above them; it shows them only with a forced redraw.
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
  const { bytesTotal, clock = systemClock, everyMs = 5_000, everyRows = 10_000 } = options;
  let shown: Progress = { rows: 0, bytes: 0 };
  let last = shown;
  let shownAt = clock.now();
  function show(): void {
    shown = last;
    shownAt = clock.now();
    stream.write(`${asText(last, bytesTotal)}\n`);
  }
  return {
    update(progress) {
      last = progress;
      if (last.rows - shown.rows >= everyRows || clock.now() - shownAt >= everyMs) show();
    },
    line(text) {
      stream.write(`${text}\n`);
    },
    stop() {
      if (last !== shown) show();
    },
  };
}

function asText({ rows, bytes }: Progress, bytesTotal: number | null): string {
  const share =
    bytesTotal === null || bytesTotal === 0 ? "" : ` (${Math.floor((100 * bytes) / bytesTotal)}%)`;
  return `${rows.toLocaleString("en")} rows read${share}`;
}
