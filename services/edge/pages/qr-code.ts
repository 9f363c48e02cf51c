import { setTimeout } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { encode } from "uqr";
import { ServiceError } from "#shared/errors/service-error.ts";
import { Places } from "#shared/limits/places.ts";
import { type Html, html, raw } from "./html.ts";

// Encoding takes 2 ms, and the result is the same in every language. A code has about 6 KB.
const codes = new LRUCache<string, Html>({ max: 1_000 });

// The codes of one long page are encoded at a time, with pauses of three times what a code takes. They therefore use at
// most a quarter of the processor, and the codes of a page are still known when it is rendered. Few pages wait, because
// those that do occupy places of other pages.
const places = new Places({ inFlightMax: 1, inFlightPerStoreMax: 1, waitingMax: 32 }, tooManyPages);
const pauseMs = 6;

// Width of the quiet zone in modules. ISO/IEC 18004 requires four; the pages add more white space around the code.
const quietZone = 2;

/** Returns the error for a page that cannot be prepared now. */
export function tooManyPages(): ServiceError {
  return new ServiceError("unavailable", "Too many pages are being opened. Try again in a few seconds.");
}

/** Renders the QR code of a string as SVG, in `currentColor`. It can be read even if about 15% of it is damaged. */
export function qrCode(text: string): Html {
  const code = codes.get(text) ?? encoded(text);
  codes.set(text, code);
  return code;
}

/**
 * Encodes QR codes of a long page one per turn of the event loop; {@link qrCode} then returns them without delay.
 * Stores take turns.
 *
 * @throws ServiceError `unavailable` if too many pages wait, and once the client has left
 */
export function prepareQrCodes(shop: string, texts: readonly string[], signal: AbortSignal): Promise<void> {
  return places.run(shop, async () => {
    for (const text of texts) {
      if (signal.aborted) throw new ServiceError("unavailable", "The client has left.", { cause: signal.reason });
      const isNew = !codes.has(text);
      qrCode(text);
      if (isNew) await setTimeout(pauseMs);
    }
  });
}

function encoded(text: string): Html {
  const { data, size } = encode(text, { ecc: "M", border: 0 });
  const path = data
    .flatMap((row, y) => runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`))
    .join("");
  const edge = size + 2 * quietZone;
  return html`<svg viewBox="${-quietZone} ${-quietZone} ${edge} ${edge}" fill="currentColor" shape-rendering="crispEdges" aria-hidden="true"><path d="${raw(path)}"/></svg>`;
}

/** Returns the runs of dark modules in a row: where each starts, and how long it is. */
function runsOf(row: readonly boolean[]): [start: number, length: number][] {
  const runs: [number, number][] = [];
  row.forEach((isDark, x) => {
    const last = runs.at(-1);
    if (!isDark) return;
    if (last !== undefined && last[0] + last[1] === x) last[1]++;
    else runs.push([x, 1]);
  });
  return runs;
}
