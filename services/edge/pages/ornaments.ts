// Guilloche ornaments of many fine lines, as on banknotes and share certificates.

// Visible on light and dark backgrounds.
const gold = "#a9854b";
const fullTurn = 2 * Math.PI;

type Point = readonly [x: number, y: number];

/** A ring of curves: their distance from the centre varies around `radius` by up to `depth`, in `lobes` waves. */
interface Rosette {
  readonly id: string;
  /** The x and the y coordinate of the centre, which are equal. */
  readonly centre: number;
  readonly radius: number;
  readonly depth: number;
  readonly lobes: number;
  /** Number of curves, which differ in the position of their waves. */
  readonly curves: number;
}

/** Returns the SVG of a square frame of 300 × 300 pixels for `border-image`, to be sliced 100 pixels from each edge. */
export function frameSvg(): string {
  const waves = Array.from({ length: 7 }, (_, index) => wavePath((index * fullTurn) / 7));
  const lines = (path: string) => `<path d="${path}" stroke-width="1"/>`;
  const edge = (path: string) => `<path d="${path}" stroke-width="3"/>`;
  const side = `<g id="s"><path d="${waves.join("")}"/>${lines("M100 20H200M100 80H200")}${edge("M100 12H200")}</g>`;
  const petals = rosette({ id: "p", centre: 50, radius: 21, depth: 9, lobes: 8, curves: 6 });
  const corner = `<g id="c">${petals}${lines("M20 100V20H100M80 100V80H100")}${edge("M12 100V12H100")}</g>`;
  const turned = (id: string) =>
    [90, 180, 270].map((angle) => `<use href="#${id}" transform="rotate(${angle} 150 150)"/>`).join("");
  return svg(300, 0.9, side + corner + turned("s") + turned("c"));
}

/** Returns the SVG of a large rosette for the background of a certificate. */
export function rosetteSvg(): string {
  const rings = [
    rosette({ id: "a", centre: 200, radius: 40, depth: 26, lobes: 7, curves: 8 }),
    rosette({ id: "b", centre: 200, radius: 88, depth: 30, lobes: 12, curves: 8 }),
    rosette({ id: "c", centre: 200, radius: 140, depth: 34, lobes: 18, curves: 8 }),
  ];
  return svg(400, 0.7, rings.join(""));
}

/** Returns the SVG of the ring around a state's symbol; also the ornament of pages without a certificate. */
export function sealSvg(): string {
  const ring = rosette({ id: "r", centre: 60, radius: 50, depth: 6, lobes: 24, curves: 4 });
  const circles = `<circle cx="60" cy="60" r="40" stroke-width="1.6"/><circle cx="60" cy="60" r="58.5" stroke-width=".8"/>`;
  return svg(120, 0.7, ring + circles);
}

/** Renders a rosette: one curve, and copies of it rotated by fractions of a wave. */
function rosette({ id, centre, radius, depth, lobes, curves }: Rosette): string {
  const points = sample(lobes * 6, (part): Point => {
    const angle = fullTurn * part;
    const distance = radius + depth * Math.cos(lobes * angle);
    return [centre + distance * Math.cos(angle), centre + distance * Math.sin(angle)];
  });
  const turns = Array.from({ length: curves - 1 }, (_, index) => {
    const degrees = rounded(((index + 1) * 360) / (lobes * curves), 100);
    return `<use href="#${id}" transform="rotate(${degrees} ${centre} ${centre})"/>`;
  });
  return `<path id="${id}" d="${closedCurve(points)}"/>${turns.join("")}`;
}

/** Returns the path of two full periods of a sine wave from x = 100 to 200, so that copies of it join seamlessly. */
function wavePath(phase: number): string {
  const points = sample(20, (part): Point => [100 + 100 * part, 50 + 22 * Math.sin(2 * fullTurn * part + phase)]);
  const [start, ...rest] = [...points, [200, 50 + 22 * Math.sin(phase)] as const];
  return `M${coordinates(start ?? [0, 0])}L${rest.map(coordinates).join(" ")}`;
}

/** Returns a smooth closed curve (a quadratic B-spline) through the midpoints between neighbouring points. */
function closedCurve(points: readonly Point[]): string {
  const middles = points.map(([x, y], index): Point => {
    const [nextX, nextY] = points[(index + 1) % points.length] ?? [x, y];
    return [(x + nextX) / 2, (y + nextY) / 2];
  });
  const parts = points.map((point, index) => `Q${coordinates(point)} ${coordinates(middles[index] ?? point)}`);
  return `M${coordinates(middles.at(-1) ?? [0, 0])}${parts.join("")}z`;
}

/** Returns the points of a curve for equally spaced values of its parameter, from 0 up to, but not including, 1. */
function sample(steps: number, at: (parameter: number) => Point): Point[] {
  return Array.from({ length: steps }, (_, step) => at(step / steps));
}

function coordinates([x, y]: Point): string {
  return `${rounded(x, 10)} ${rounded(y, 10)}`;
}

function rounded(value: number, precision: number): number {
  return Math.round(value * precision) / precision;
}

function svg(size: number, lineWidth: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}" fill="none" stroke="${gold}" stroke-width="${lineWidth}">${content}</svg>`;
}
