import { execFile } from 'node:child_process'
import { closeSync, existsSync, lstatSync, openSync, readlinkSync, statSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { lowered } from './priority.ts'

/** Used where this process is root: `nobody` and `nogroup`. */
const OWN_UID = 65_534
const DATA_BYTES_MAX = 1024 ** 3
const OPEN_FILES_MAX = 4_096
const TMP_BYTES_MAX = 16 * 1024 ** 2
const PROBE_TIMEOUT_MS = 10_000
/** Exit code of `flock` when another process has the lock. */
export const LOCKED = 75

/** How processes are isolated. `user` is the account they run as, where it is not ours. */
export type Sandbox = {
  level: 'bubblewrap' | 'uid' | 'plain'
  user: { uid: number; gid: number } | undefined
}

/** Folders and files of one process. */
export type SandboxPaths = {
  program: string
  /** Config and modules. */
  code: string
  sockets: string
  /** Undefined for a process of rooms, which has none. */
  data: string | undefined
  /** A folder inside the data that may not be written. */
  readOnly: string | undefined
  /** A file, locked as long as the process lives. Undefined for a trial and for rooms. */
  lock: string | undefined
}

/** The paths as the process sees them. */
export const pathsInside = ({ level }: Sandbox, { code, sockets, data = '' }: SandboxPaths) =>
  level === 'bubblewrap' ? { code: '/code', sockets: '/sockets', data: '/data' } : { code, sockets, data }

const BUBBLEWRAP = '/usr/bin/bwrap'
/** Descriptors that the process is started with. */
export const DESCRIPTORS = { events: 3, info: 4, seccomp: 5 } as const

/** The best level that works here; found out by starting the program with it. */
export async function probeSandbox(program: string, dataFolder: string): Promise<Sandbox> {
  const isRoot = process.getuid?.() === 0
  const ownUser = isRoot && isReachable(dataFolder) ? { uid: OWN_UID, gid: OWN_UID } : undefined
  const candidates: Sandbox[] = [
    ...(ownUser ? [{ level: 'bubblewrap' as const, user: ownUser }] : []),
    { level: 'bubblewrap' as const, user: undefined },
    ...(ownUser ? [{ level: 'uid' as const, user: ownUser }] : []),
  ].filter(({ level }) => level !== 'bubblewrap' || existsSync(BUBBLEWRAP))
  for (const candidate of candidates) if (await works(candidate, program)) return candidate
  return { level: 'plain', user: undefined }
}

async function works(sandbox: Sandbox, program: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-functions-probe-'))
  // The account of the sandbox must be able to enter it.
  await chmod(folder, 0o755)
  const paths = {
    program,
    code: folder,
    sockets: folder,
    data: folder,
    readOnly: undefined,
    lock: undefined,
  }
  const [command = '', ...args] = commandOf(sandbox, paths, ['--version'], { isProbe: true })
  try {
    await promisify(execFile)(command, args, { timeout: PROBE_TIMEOUT_MS, env: {}, ...sandbox.user })
    return true
  } catch {
    return false
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Whether every account may enter the folder, which the sandbox's own account must. */
function isReachable(folder: string): boolean {
  for (let path = folder; ; path = dirname(path)) {
    if (existsSync(path) && (statSync(path).mode & 0o001) === 0) return false
    if (path === dirname(path)) return true
  }
}

/** The command line that starts the program in the sandbox. Each program on it replaces itself by the next. */
export function commandOf(
  { level, user }: Sandbox,
  paths: SandboxPaths,
  programArgs: readonly string[],
  { isProbe = false } = {},
): string[] {
  const limits = [`--data=${DATA_BYTES_MAX}`, '--core=0', `--nofile=${OPEN_FILES_MAX}`]
  const locked = paths.lock ? ['/usr/bin/flock', '-n', '-F', '-E', String(LOCKED), paths.lock] : []
  if (level === 'bubblewrap')
    return [
      ...lowered,
      ...locked,
      '/usr/bin/prlimit',
      ...limits,
      BUBBLEWRAP,
      ...bubblewrapArgs(paths),
      ...(isProbe ? [] : ['--info-fd', String(DESCRIPTORS.info), '--seccomp', String(DESCRIPTORS.seccomp)]),
      '/workerd',
      ...programArgs,
    ]

  const confined = existsSync('/usr/bin/prlimit') ? ['/usr/bin/prlimit', ...limits] : []
  const ending = existsSync('/usr/bin/setpriv')
    ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL', ...(user ? ['--no-new-privs'] : [])]
    : []
  return [...lowered, ...locked, ...confined, ...ending, paths.program, ...programArgs]
}

function bubblewrapArgs({ program, code, sockets, data, readOnly }: SandboxPaths): string[] {
  const libraries = ['/lib', '/lib64', '/usr/lib', '/usr/lib64']
    .filter((path) => existsSync(path))
    .flatMap((path) =>
      lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
    )
  const bound: readonly (readonly string[])[] = [
    ['--ro-bind', program, '/workerd'],
    ['--ro-bind', code, '/code'],
    ['--bind', sockets, '/sockets'],
    data === undefined ? [] : ['--bind', data, '/data'],
    data === undefined || readOnly === undefined
      ? []
      : ['--ro-bind', join(data, readOnly), join('/data', readOnly)],
    ['--proc', '/proc'],
    ['--dev', '/dev'],
    ['--size', String(TMP_BYTES_MAX), '--tmpfs', '/tmp'],
    // Files in /proc change how Linux schedules the process; the others are in memory, and without a limit of their own.
    ['/proc', '/dev', '/'].flatMap((path) => ['--remount-ro', path]),
    ['--chdir', '/code'],
  ]
  const isolated = ['--unshare-all', '--die-with-parent', '--as-pid-1', '--cap-drop', 'ALL']
  // Code cannot type into the terminal of the service. Linux may share CPUs evenly between sessions, so a new one is created only where it is needed.
  const session = hasTerminal() ? ['--new-session'] : []
  return [...isolated, ...session, '--hostname', 'functions', ...libraries, ...bound.flat()]
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
