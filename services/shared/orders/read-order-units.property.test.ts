import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, cellsOf, drain, fixtureColumns, headRow, lineRow, recordText } from "./csv-fixture.ts";
import { anyFile, type PlacedLine, placedLines, textAndLines } from "./export-model-fixture.ts";
import type { OrderUnitRow } from "./order-unit-row.ts";
import { readOrderUnits } from "./read-order-units.ts";

const shown = (text: string) => text.replace(/[\r\n\t]+/g, " ").trim();

function expectedRows(rows: readonly PlacedLine[], lines: readonly number[]): OrderUnitRow[] {
  return rows.flatMap((row, at): OrderUnitRow[] => {
    const { order: owner, number, line: item } = row;
    const position = lines[at] ?? 0;
    const order = { id: String(5_000 + number), name: `#${1000 + number}` };
    if (owner.cancelled) return [{ kind: "withdrawn", line: position, reason: "cancelled", order }];
    if (owner.status === "refunded") return [{ kind: "withdrawn", line: position, reason: "refunded", order }];
    if (owner.status !== "paid") return [{ kind: "skipped", line: position, reason: "notPaid" }];
    const place = rows.slice(0, at + 1).filter((each) => each.number === number).length;
    const product = {
      id: "",
      title: shown(item.title),
      variant: shown(item.variant),
      sku: item.sku,
    } as const;
    const buyer = { name: shown(owner.buyer), email: owner.email };
    return Array.from({ length: item.quantity }, (_, unit) => {
      const key = { ...order, line: String(place), unit: unit + 1 };
      return { kind: "unit", line: position, item: { product, buyer, order: key } };
    });
  });
}

test("yields exactly the units and the skipped and withdrawn rows of any valid export, with line numbers", async () => {
  await fc.assert(
    fc.asyncProperty(anyFile, async (model) => {
      const rows = placedLines(model);
      const { text, lines } = textAndLines(model, rows);
      const { values, failure } = await drain(readOrderUnits(bytesOf(text, model.chunkBytes)));
      expect(failure).toBeNull();
      expect(values.toSorted((a, b) => a.line - b.line)).toEqual(expectedRows(rows, lines));
    }),
    { numRuns: 300 },
  );
});

test("yields the same rows wherever the chunk boundary falls", async () => {
  const head = headRow("#1", "11", {
    "Billing Name": "Zoë 李\u{1f5bc}\r\n",
    "Lineitem name": 'Say ""hé""\n - "A"',
  });
  const text = `\ufeff${[fixtureColumns, cellsOf(head), cellsOf(lineRow("#1"))].map((cells) => recordText(cells)).join("\r\n")}`;
  const bytes = new TextEncoder().encode(text);
  const whole = await drain(readOrderUnits(bytesOf(text, 1_000_000)));
  expect(whole.values).toHaveLength(2);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const source = Array.of(bytes.subarray(0, cut), bytes.subarray(cut));
    async function* chunks() {
      yield* source;
    }
    expect(await drain(readOrderUnits(chunks()))).toEqual(whole);
  }
});
