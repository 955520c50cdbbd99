// The tools of the benchmarks: wrk, pgbench, psql, and child processes, which are stopped by their id.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pgBin = '/usr/lib/postgresql/17/bin';
const graceMs = 30_000; // a command that takes this much longer than planned is considered hung
const clockTicks = 100; // /proc counts CPU time in 1/100 s on every Linux

const directory = mkdtempSync(`${tmpdir()}/shopbell-bench.`);
const children = new Set();

export function stopAll() {
  for (const child of children) child.kill('SIGTERM');
  rmSync(directory, { recursive: true, force: true });
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    stopAll();
    process.exit(1);
  });
}

/**
 * @param {string} file
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, stdout?: import('node:child_process').IOType }} [options]
 */
export function start(file, args, { env = {}, stdout = 'ignore' } = {}) {
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', stdout, 'ignore'] });
  children.add(child);
  const ended = new Promise((resolve) => child.once('exit', resolve)).then(() => children.delete(child));
  return Object.assign(child, { ended });
}

export async function stop(child) {
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await child.ended;
  clearTimeout(late);
}

// Starts a program and returns the URL that it prints as url=… when it listens.
export async function startEngine(file, args) {
  const child = start(file, args, { stdout: 'pipe' });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('url=')) return { pid: child.pid, url: line.slice(4) };
  }
  throw new Error(`${file} ended without a url=`);
}

// Writes a temporary file, which is deleted after the run.
export function scriptFile(name, text) {
  writeFileSync(`${directory}/${name}`, text);
  return `${directory}/${name}`;
}

export function output(file, ...args) {
  const { stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  return (stdout || stderr || '').trim();
}

export class PostgreSQL {
  constructor(connection) {
    this.connection = connection;
    const used = "SELECT datname FROM pg_stat_activity WHERE application_name = 'shopbell' LIMIT 1";
    this.connection += ` dbname=${this.ask(used)}`; // from here on, connect to the service's database
  }

  ask(sql) {
    const args = ['-qAtX', '-v', 'ON_ERROR_STOP=1', this.connection, '-c', sql];
    return execFileSync(`${pgBin}/psql`, args, { encoding: 'utf8' }).trim();
  }
}

function number(text, pattern, what) {
  const found = text.match(pattern);
  if (!found) throw new Error(`${what} did not say ${pattern}:\n${text}`);
  return Number(found[1]);
}

// Runs wrk with GET requests and returns { rate, requests }; any response but 2xx is an error. `script` generates the
// requests if they differ.
export async function wrk(url, seconds, header, script, connections = 64) {
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '-H',
    header,
    ...(script ? ['-s', script] : []),
    url,
  ];
  const { stdout } = await run('wrk', args, { timeout: seconds * 1000 + graceMs });
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk ${url}:\n${stdout}`);
  return {
    rate: number(stdout, /Requests\/sec:\s+([\d.]+)/, 'wrk'),
    requests: number(stdout, /(\d+) requests in/, 'wrk'),
  };
}

// Returns pgbench's output. `statement` is { sql, account }; the script refers to the account as :account. pgbench's
// duration includes connecting. On a busy machine it may end before the first statement, so the run is repeated for
// longer.
async function runPgbench(database, statement, clients, seconds, ...more) {
  const script = `${directory}/statement.sql`;
  writeFileSync(script, statement.sql);
  const args = [
    '-n',
    '-j2',
    '-M',
    'prepared',
    '-c',
    clients,
    '-T',
    seconds,
    ...more,
    '-f',
    script,
    '-D',
    `account=${statement.account}`,
    database.connection,
  ];
  const { stdout } = await run(`${pgBin}/pgbench`, args.map(String), {
    cwd: directory,
    timeout: seconds * 1000 + graceMs,
  });
  if (number(stdout, /number of failed transactions: (\d+)/, 'pgbench') > 0) throw new Error(stdout);
  const done = number(stdout, /number of transactions actually processed: (\d+)/, 'pgbench');
  return done > 0 || seconds > 60 ? stdout : runPgbench(database, statement, clients, seconds * 4, ...more);
}

// Runs the statement with pgbench and returns statements per second.
export async function pgbench(database, statement, clients, seconds) {
  return number(await runPgbench(database, statement, clients, seconds), /tps = ([\d.]+)/, 'pgbench');
}

// Returns the p99 latency in milliseconds at a fixed request rate, measured from each request's due time. Sends a POST
// if `json` is given.
export async function latencyOf(openLoop, url, header, rate, seconds, json) {
  const { host, pathname } = new URL(url);
  const args = [host, pathname, header, String(rate), String(seconds), ...(json ? [json] : [])];
  const { stdout } = await run(openLoop, args, { timeout: seconds * 1000 + graceMs });
  return number(stdout, /p99_ms=([\d.]+)/, 'open_loop');
}

// Returns the p99 latency of the bare SQL statement: pgbench keeps the rate and logs each latency.
export async function pgbenchLatency(database, statement, clients, rate, seconds) {
  await runPgbench(database, statement, clients, seconds, '-R', rate, '-l');
  const latencies = [];
  for (const name of readdirSync(directory).filter((entry) => entry.startsWith('pgbench_log.'))) {
    const lines = readFileSync(`${directory}/${name}`, 'utf8').trim().split('\n');
    for (const line of lines) latencies.push(Number(line.split(' ')[2]));
    rmSync(`${directory}/${name}`);
  }
  latencies.sort((a, b) => a - b);
  return latencies[Math.floor((latencies.length - 1) * 0.99)] / 1000;
}

// Returns the CPU seconds that a process has used so far, in user and system mode.
export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / clockTicks;
}

// Returns the CPU seconds of a server and all its child processes, including those that have ended.
export function familyCpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const ended = (Number(fields[13]) + Number(fields[14])) / clockTicks;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const own = (child) => {
    try {
      return cpuSeconds(child);
    } catch {
      return 0; // the process has just ended
    }
  };
  return children.reduce((sum, child) => sum + own(child), cpuSeconds(pid) + ended);
}

export function rssMb(pid) {
  return number(readFileSync(`/proc/${pid}/status`, 'utf8'), /VmRSS:\s+(\d+) kB/, '/proc') / 1024;
}
