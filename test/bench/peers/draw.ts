/** A contestant with its medians. */
export interface Row {
  who: string;
  wall: number;
  cpu: number;
  /** Processor time relative to bare sharp at the same numbers. */
  ratio: number;
  bytes: number;
  worst: number;
  mean: number;
}

const [LEFT, TOP, WIDTH, HEIGHT] = [60, 30, 520, 300];

/** Draws processor seconds against bytes, with the worst score of each, as an SVG. */
export function drawPeers(title: string, rows: Row[]): string {
  const most = {
    cpu: 1.15 * Math.max(...rows.map(({ cpu }) => cpu)),
    bytes: 1.1 * Math.max(...rows.map(({ bytes }) => bytes)),
  };
  const x = (bytes: number) => LEFT + (bytes / most.bytes) * WIDTH;
  const y = (cpu: number) => TOP + HEIGHT - (cpu / most.cpu) * HEIGHT;
  const points = rows.map(({ who, cpu, bytes, worst }, index) => {
    const isOurs = who.startsWith('Imagewright');
    const beside =
      x(bytes) > LEFT + WIDTH * 0.7
        ? `x="${(x(bytes) - 9).toFixed(0)}" text-anchor="end"`
        : `x="${(x(bytes) + 9).toFixed(0)}"`;
    const label = `${who}: worst ${worst.toFixed(1)}`;
    // Neighbours often take the same: their labels lie on two lines.
    const at = `${beside} y="${(y(cpu) + (index % 2 ? 14 : -2)).toFixed(0)}"`;
    return `<circle cx="${x(bytes).toFixed(0)}" cy="${y(cpu).toFixed(0)}" r="5" fill="${isOurs ? '#1b6e3c' : '#1f4e9c'}"/><text ${at} font-size="11">${label}</text>`;
  });
  const axes = `<path d="M${LEFT} ${TOP}V${TOP + HEIGHT}H${LEFT + WIDTH}" stroke="#333" fill="none"/>`;
  const names = `<text x="${LEFT + WIDTH}" y="${TOP + HEIGHT + 34}" text-anchor="end">megabytes</text><text x="8" y="18">processor seconds</text>`;
  const ticks = [0.25, 0.5, 0.75, 1].map((share) => {
    const [bytes, cpu] = [share * most.bytes, share * most.cpu];
    return `<text x="${x(bytes).toFixed(0)}" y="${TOP + HEIGHT + 18}" text-anchor="middle">${(bytes / 1e6).toFixed(1)}</text><text x="${LEFT - 6}" y="${(y(cpu) + 4).toFixed(0)}" text-anchor="end">${cpu.toFixed(1)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 380" width="640" height="380" font-family="sans-serif" font-size="12"><title>${title}</title><rect width="100%" height="100%" fill="#fff"/>${axes}${names}${ticks.join('')}${points.join('')}</svg>\n`;
}

/** Writes the rows as a table in Markdown. */
export function tableOf(rows: Row[]): string {
  const lines = rows.map(
    ({ who, wall, cpu, ratio, bytes, worst, mean }) =>
      `| ${who} | ${wall.toFixed(1)} | ${cpu.toFixed(1)} | ${ratio.toFixed(2)} | ${(bytes / 1e6).toFixed(2)} | ${worst.toFixed(1)} | ${mean.toFixed(1)} |`,
  );
  return [
    '| who | wall s | processor s | relative | MB | worst score | mean score |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}
