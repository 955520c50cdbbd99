// Computes medians and ranges, and prints the table of results.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function spread(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), all: values };
}

// Compares the service with the bare engine, round by round. `least` and `goal` are lower bounds of the median ratio.
// `most: [a, b]` requires that, in the median round, the service takes at most a × the bare engine + b.
/** @param {{ service: number[], bare?: number[], [member: string]: any }} row */
export function ratio({ service, bare, ...row }) {
  if (!bare) return { ...row, service: spread(service) };
  const ratios = service.map((value, round) => value / bare[round]);
  return { ...row, service: spread(service), bare: spread(bare), ratio: spread(ratios) };
}

function digits(value) {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

function shown(figures, unit = '') {
  if (!figures) return '–';
  const { median: middle, min, max, all } = figures;
  const range = all.length > 1 ? ` [${digits(min)}–${digits(max)}]` : '';
  return `${digits(middle)}${range}${unit && ` ${unit}`}`;
}

function wantedOf({ least, most, mostRatio, goal, unit, ratio: measured, service, bare, median: figure }) {
  const aim = goal ? `, goal ${goal}` : '';
  if (least) return [`≥ ${least}${aim}`, measured.median >= least];
  if (mostRatio) return [`≤ ${mostRatio}`, measured.median <= mostRatio];
  if (Array.isArray(most)) {
    const [factor, extra] = most;
    const parts = service.all.map((value, round) => value / (factor * bare.all[round] + extra));
    return [`≤ ${factor} × + ${extra} ${unit}`, median(parts) <= 1];
  }
  if (most) return [`≤ ${most}${aim} ${unit}`, (figure ?? service.median) <= most];
  return ['', null];
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function print(report) {
  const { machine, postgresql, versions, run } = report;
  console.log(`${run.date}, ${run.rounds} rounds of ${run.seconds} s, median [least–most]`);
  const { server_version: server, ...settings } = postgresql;
  const set = Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
  console.log(`${machine.cores} cores (${machine.processor}), ${machine.memoryMb} MB; shopbell ${versions.shopbell}`);
  console.log(`PostgreSQL ${server}, ${set}`);
  const rows = [['path', 'service', 'bare', 'ratio', 'wanted', 'met', 'what']];
  for (const row of [...report.paths, ...report.process]) {
    const [wanted, met] = wantedOf(row);
    rows.push([
      row.name,
      shown(row.service ?? row, row.unit),
      shown(row.bare, row.unit),
      shown(row.ratio),
      wanted,
      met === null ? '' : met ? 'yes' : 'no',
      row.what,
    ]);
  }
  console.log(`\n${table(rows)}`);
}
