// Guilloche ornaments, as on banknotes and share certificates: waves and rosettes of many fine lines, computed here
// because nobody can draw them by hand. The colour suits light and dark paper.

const gold = "#a9854b";
const fullTurn = 2 * Math.PI;

type Point = readonly [x: number, y: number];

/** Returns the SVG of a square frame for `border-image`: each corner and each side is a third of its width. */
export function frameSvg(): string {
  const waves = phases(7).map((phase) =>
    pathOf(sample(20, (part) => [100 + 100 * part, 50 + 22 * Math.sin(2 * fullTurn * part + phase)])),
  );
  const petals = phases(6).map((phase) => rosette([50, 50], 21, 9, 8, phase, 64));
  const side = `<g id="s"><path d="${waves.join("")}"/><path d="M100 20H200M100 80H200" stroke-width="1"/><path d="M100 12H200" stroke-width="3"/></g>`;
  const corner = `<g id="c"><path d="${petals.join("")}"/><path d="M20 100V20H100M80 100V80H100" stroke-width="1"/><path d="M12 100V12H100" stroke-width="3"/></g>`;
  const turned = (id: string) =>
    [90, 180, 270].map((angle) => `<use href="#${id}" transform="rotate(${angle} 150 150)"/>`);
  return svg(300, `stroke-width=".9"`, [side, corner, ...turned("s"), ...turned("c")].join(""));
}

/** Returns the SVG of a large rosette for the background of a certificate. */
export function rosetteSvg(): string {
  const rings: readonly (readonly [radius: number, depth: number, lobes: number])[] = [
    [40, 26, 7],
    [88, 30, 12],
    [140, 34, 18],
  ];
  const paths = rings.flatMap(([radius, depth, lobes]) =>
    phases(8).map((phase) => rosette([200, 200], radius, depth, lobes, phase, lobes * 9)),
  );
  return svg(400, `stroke-width=".7"`, `<path d="${paths.join("")}"/>`);
}

/** Returns the SVG of the ring around a state's symbol, for use as a mask. */
export function sealSvg(): string {
  const ring = phases(4).map((phase) => rosette([60, 60], 50, 6, 24, phase, 192));
  const circles = `<circle cx="60" cy="60" r="40" stroke-width="1.6"/><circle cx="60" cy="60" r="58.5" stroke-width=".8"/>`;
  return svg(120, `stroke-width=".7"`, `<path d="${ring.join("")}"/>${circles}`);
}

/** Returns the angles that spread curves of equal shape evenly over half a turn. */
function phases(count: number): number[] {
  return Array.from({ length: count }, (_, index) => (index * fullTurn) / count);
}

function rosette([x, y]: Point, radius: number, depth: number, lobes: number, phase: number, steps: number): string {
  const curve = sample(steps, (part): Point => {
    const angle = fullTurn * part;
    const distance = radius + depth * Math.cos(lobes * angle + phase);
    return [x + distance * Math.cos(angle), y + distance * Math.sin(angle)];
  });
  return `${pathOf(curve)}z`;
}

function sample(steps: number, at: (part: number) => Point): Point[] {
  return Array.from({ length: steps + 1 }, (_, step) => at(step / steps));
}

/** Returns a path through points, in relative coordinates with one decimal, which compress best. */
function pathOf(points: readonly Point[]): string {
  let [lastX, lastY] = [0, 0];
  return points
    .map(([x, y], index) => {
      const [roundX, roundY] = [Math.round(x * 10), Math.round(y * 10)];
      const [dx, dy] = [(roundX - lastX) / 10, (roundY - lastY) / 10];
      [lastX, lastY] = [roundX, roundY];
      return `${index === 0 ? "M" : "l"}${dx} ${dy}`;
    })
    .join("");
}

function svg(size: number, attributes: string, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}" fill="none" stroke="${gold}" ${attributes}>${content}</svg>`;
}
