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

const [LEFT, TOP, WIDTH, HEIGHT] = [60, 30, 540, 260];
/** Top of the first line of the legend, and height of a line. */
const [LEGEND, LINE] = [TOP + HEIGHT + 64, 20];

/** Draws processor seconds against bytes as an SVG, each contestant as a number that the legend names with its worst score. */
export function drawPeers(title: string, rows: Row[]): string {
  const most = {
    cpu: 1.15 * Math.max(...rows.map(({ cpu }) => cpu)),
    bytes: 1.1 * Math.max(...rows.map(({ bytes }) => bytes)),
  };
  const x = (bytes: number) => Math.round(LEFT + (bytes / most.bytes) * WIDTH);
  const y = (cpu: number) => Math.round(TOP + HEIGHT - (cpu / most.cpu) * HEIGHT);
  const dot = (cx: number, cy: number, who: string) =>
    `<circle cx="${cx}" cy="${cy}" r="5" fill="${who.startsWith('Imagewright') ? '#1b6e3c' : '#1f4e9c'}"/>`;
  const points = rows.map(({ who, cpu, bytes }, index) => {
    // IPX is often where bare sharp is: their numbers are on both sides.
    const beside = who.startsWith('IPX') ? `x="${x(bytes) - 9}" text-anchor="end"` : `x="${x(bytes) + 9}"`;
    return `${dot(x(bytes), y(cpu), who)}<text ${beside} y="${y(cpu) + 4}">${index + 1}</text>`;
  });
  const legend = rows.map(({ who, worst }, index) => {
    const top = LEGEND + index * LINE;
    return `${dot(LEFT, top - 4, who)}<text x="${LEFT + 14}" y="${top}">${index + 1} ${who}: worst score ${worst.toFixed(1)}</text>`;
  });
  const axes = `<path d="M${LEFT} ${TOP}V${TOP + HEIGHT}H${LEFT + WIDTH}" stroke="#333" fill="none"/>`;
  const names = `<text x="${LEFT + WIDTH}" y="${TOP + HEIGHT + 34}" text-anchor="end">megabytes</text><text x="8" y="18">processor seconds</text>`;
  const ticks = [0.25, 0.5, 0.75, 1].map((share) => {
    const [bytes, cpu] = [most.bytes * share, most.cpu * share];
    return `<text x="${x(bytes)}" y="${TOP + HEIGHT + 18}" text-anchor="middle">${(bytes / 1e6).toFixed(2)}</text><text x="${LEFT - 6}" y="${y(cpu) + 4}" text-anchor="end">${cpu.toFixed(1)}</text>`;
  });
  const height = LEGEND + rows.length * LINE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 ${height}" width="640" height="${height}" font-family="sans-serif" font-size="12"><title>${title}</title><rect width="100%" height="100%" fill="#fff"/>${axes}${names}${ticks.join('')}${points.join('')}${legend.join('')}</svg>\n`;
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
