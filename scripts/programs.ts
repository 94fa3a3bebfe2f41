import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const INSTALL_TIMEOUT_MS = 600_000
const POSTGRES_VERSION_MIN = 15

/** Debian packages and the path of the program in each. */
const PROGRAMS = {
  postgres: { debianPackage: 'postgresql', find: newestPostgres },
  redis: { debianPackage: 'redis-server', find: () => existing('/usr/bin/redis-server') },
  coturn: { debianPackage: 'coturn', find: () => existing('/usr/bin/turnserver') },
  // Without windows Chromium needs less than half of the CPU time.
  chromium: {
    debianPackage: 'chromium-headless-shell',
    find: () => existing('/usr/bin/chromium-headless-shell') ?? existing('/usr/bin/chromium'),
  },
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
  const command = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  if (asRoot.length > 0 && !succeeds('sudo', ['-n', 'true'])) {
    throw new Error(
      `the tests need ${packages.join(' and ')}. Install them as root, then try again:\n  ${command}`,
    )
  }

  console.error(`installing ${packages.join(', ')}: ${command}`)
  const [program, ...args] = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'sh', '-c', command]
  execFileSync(program ?? '', args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: INSTALL_TIMEOUT_MS })
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

function newestPostgres(): string | undefined {
  const home = '/usr/lib/postgresql'
  const versions = existsSync(home) ? readdirSync(home).map(Number) : []
  return versions
    .filter((version) => version >= POSTGRES_VERSION_MIN)
    .sort((a, b) => b - a)
    .map((version) => join(home, String(version), 'bin/postgres'))
    .find((path) => existsSync(path))
}
