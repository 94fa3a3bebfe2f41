import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'

const INSTALL_TIMEOUT_MS = 600_000
const POSTGRES_VERSION_MIN = 15

/** Debian packages and the path of the program in each. */
const PROGRAMS = {
  postgres: { debianPackage: 'postgresql', find: newestPostgres },
  redis: { debianPackage: 'redis-server', find: () => existing('/usr/bin/redis-server') },
  coturn: { debianPackage: 'coturn', find: () => existing('/usr/bin/turnserver') },
  chromium: wantedChromium(),
  firefox: { debianPackage: 'firefox-esr', find: () => existing('/usr/bin/firefox-esr') },
  webkit: { debianPackage: 'webkit2gtk-driver', find: () => existing('/usr/bin/WebKitWebDriver') },
  xvfb: { debianPackage: 'xvfb', find: () => existing('/usr/bin/Xvfb') },
  bubblewrap: { debianPackage: 'bubblewrap', find: () => existing('/usr/bin/bwrap') },
  prometheus: { debianPackage: 'prometheus', find: () => existing('/usr/bin/prometheus') },
  pgbouncer: { debianPackage: 'pgbouncer', find: () => existing('/usr/sbin/pgbouncer') },
  patroni: { debianPackage: 'patroni', find: () => existing('/usr/bin/patroni') },
  etcd: { debianPackage: 'etcd-server', find: () => existing('/usr/bin/etcd') },
  haproxy: { debianPackage: 'haproxy', find: () => existing('/usr/sbin/haproxy') },
  caddy: { debianPackage: 'caddy', find: () => existing('/usr/bin/caddy') },
  systemd: { debianPackage: 'systemd', find: () => existing('/usr/bin/systemd-analyze') },
  compose: { debianPackage: 'docker-compose', find: () => existing('/usr/bin/docker-compose') },
  podman: { debianPackage: 'podman', find: () => existing('/usr/bin/podman') },
  runc: { debianPackage: 'runc', find: () => existing('/usr/sbin/runc') },
  debootstrap: { debianPackage: 'debootstrap', find: () => existing('/usr/sbin/debootstrap') },
  janus: { debianPackage: 'janus', find: () => existing('/usr/bin/janus') },
  nginx: { debianPackage: 'nginx', find: () => existing('/usr/sbin/nginx') },
}
export type ProgramName = keyof typeof PROGRAMS

/** Returns the paths of the programs in the given order. Installs all missing packages together. */
export function findOrInstall<const Names extends readonly ProgramName[]>(
  ...names: Names
): { [I in keyof Names]: string } {
  const missing = names.filter((name) => !PROGRAMS[name].find())
  if (missing.length > 0) install(missing.map((name) => PROGRAMS[name].debianPackage))

  const paths = names.map((name) => {
    const path = PROGRAMS[name].find()
    if (!path)
      throw new Error(`${PROGRAMS[name].debianPackage} is installed, but not where ${name} was looked for`)
    return path
  })
  return paths as { [I in keyof Names]: string }
}

function install(packages: string[]) {
  // Debian starts the installed servers on their default ports. Those servers are neither used nor changed.
  const command = `dpkg --configure -a && apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const canAsk = process.stdin.isTTY && process.stderr.isTTY
  const isAsked = !process.env['CI'] && (canAsk || process.env['TEST_TERMINAL'] !== undefined)
  if ((asRoot.length > 0 && !succeeds('sudo', ['-n', 'true'])) || (isAsked && !canAsk)) {
    throw new Error(
      `the tests need ${packages.join(' and ')}. Install them as root, then try again:\n  ${command}`,
    )
  }

  console.error(`The tests need Debian packages that are missing. This installs them as root:\n  ${command}`)
  if (isAsked) waitForEnter('Press Enter to install them, or Ctrl-C to stop. CI=true does not ask. ')
  // In a session of its own: Ctrl-C would leave packages half configured.
  const own = ['setsid', '--wait', 'env', 'DEBIAN_FRONTEND=noninteractive', 'sh', '-c', command]
  const [program = '', ...args] = [...asRoot, ...own]
  execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: INSTALL_TIMEOUT_MS })
}

function waitForEnter(question: string) {
  process.stderr.write(question)
  const terminal = openSync('/dev/tty', 'r')
  readSync(terminal, Buffer.alloc(256))
  closeSync(terminal)
}

function succeeds(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore', timeout: 10_000 })
    return true
  } catch {
    return false
  }
}

const existing = (path: string): string | undefined => (existsSync(path) ? path : undefined)

/** Without windows Chromium needs half of the CPU time, but it blocks no third-party storage as that of most people does. */
function wantedChromium() {
  const { TEST_CHROMIUM: path } = process.env
  if (path) return { debianPackage: basename(path), find: () => existing(path) }
  return {
    debianPackage: 'chromium-headless-shell',
    find: () => existing('/usr/bin/chromium-headless-shell') ?? existing('/usr/bin/chromium'),
  }
}

function newestPostgres(): string | undefined {
  const home = '/usr/lib/postgresql'
  const versions = existsSync(home) ? readdirSync(home).map(Number) : []
  return versions
    .filter((version) => version >= POSTGRES_VERSION_MIN)
    .sort((a, b) => b - a)
    .map((version) => join(home, String(version), 'bin/postgres'))
    .find((path) => existsSync(path))
}
