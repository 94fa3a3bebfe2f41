import { statfs } from 'node:fs/promises'
import { connect } from 'node:net'
import { resolve } from 'node:path'

import type { readMe } from '@svc/contract/developers'
import type { readPlatformInfo } from '@svc/contract/platform'
import type { readProject } from '@svc/contract/projects'

import { isLoopback } from '../address.ts'
import { reachable } from '../api.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { bytesText, counted, shown } from '../output.ts'

/** `ok: null` is worth knowing, but nothing is wrong with it. */
type Check = { name: string; ok: boolean | null; says: string; fix?: string }

const NODE_MAJOR_MIN = 26
const FREE_BYTES_MIN = 1_000_000_000
const SKEW_MS_MAX = 30_000
const CONNECT_MS_MAX = 3_000
const READY_MS_MAX = 10_000

/** What usually stands in the way, each with what to do about it. */
export async function examine(context: Context) {
  const { out } = context
  const checks = [
    nodeVersion(),
    await disk(context),
    ...(await service(context)),
    await signedIn(context),
    await project(context),
    await mail(context),
    ...(await turn(context)),
  ]
  const width = Math.max(...checks.map(({ name }) => name.length))
  for (const { name, ok, says, fix } of checks) {
    const sign = ok === null ? out.styled('dim', '·') : ok ? out.styled('green', '✔') : out.styled('red', '✖')
    out.line(`${sign} ${name.padEnd(width)}  ${says}${fix ? `  → ${fix}` : ''}`)
  }
  const failed = checks.filter(({ ok }) => ok === false)
  if (failed.length === 0) return { ok: true, checks }
  throw new Failure('failed', `${counted(failed.length, 'check')} of ${checks.length} failed.`, {
    code: 'unwell',
    details: { checks },
  })
}

function nodeVersion(): Check {
  const { node } = process.versions
  const ok = Number(node.split('.')[0]) >= NODE_MAJOR_MIN
  return { name: 'Node', ok, says: node, ...(!ok && { fix: `install Node ${NODE_MAJOR_MIN} or run npm ci` }) }
}

async function disk({ machine }: Context): Promise<Check> {
  const folder = resolve(machine.folder, machine.variables['SVC_DATA_DIR'] ?? '.')
  const { bavail, bsize } = await statfs(folder).catch(() => statfs(machine.folder))
  const free = bavail * bsize
  const ok = free >= FREE_BYTES_MIN
  return { name: 'disk', ok, says: `${bytesText(free)} free`, ...(!ok && { fix: `make room: ${folder}` }) }
}

type Ready = { checks?: Record<string, string>; error?: { details?: { down?: string[] } } }

async function service(context: Context): Promise<Check[]> {
  const { url, machine, calls } = context
  const { base, host } = reachable(url)
  const signal = AbortSignal.timeout(READY_MS_MAX)
  const answer = await fetch(`${base}/readyz`, { headers: host, signal }).catch(() => undefined)
  if (!answer) return [await notThere(url)]

  const { checks = {}, error } = (await answer.json().catch(() => ({}))) as Ready
  const down = error?.details?.down ?? []
  const { version } = await calls
    .anyone<typeof readPlatformInfo>('GET /v1/platform/info', {})
    .catch(() => ({ version: '' }))
  if (version === '')
    return [
      {
        name: 'service',
        ok: false,
        says: `${url} is no service of svc`,
        fix: 'give its address: --url, SVC_URL',
      },
    ]

  const skewMs = Math.abs(Date.parse(answer.headers.get('date') ?? '') - machine.now().getTime())
  return [
    { name: 'service', ok: true, says: `${url}, version ${version}` },
    ...[...Object.keys(checks), ...down].map((engine) => engineCheck(engine, !down.includes(engine))),
    {
      name: 'clock',
      ok: skewMs <= SKEW_MS_MAX,
      says: skewMs <= SKEW_MS_MAX ? 'as the service’s' : `${Math.round(skewMs / 1_000)} s from the service’s`,
      ...(skewMs > SKEW_MS_MAX && { fix: 'set it by NTP: timedatectl set-ntp true' }),
    },
  ]
}

const ENGINE_FIXES: Record<string, string> = {
  database: 'see DATABASE_URL, and the disk of the data folder',
  bus: 'see REDIS_URL',
  counters: 'see REDIS_URL',
  blobs: 'see SVC_BLOBS_URL and AWS_*, or the disk of the data folder',
}

const engineCheck = (engine: string, ok: boolean): Check => ({
  name: engine,
  ok,
  says: ok ? 'answers' : 'does not answer',
  ...(!ok && { fix: ENGINE_FIXES[engine] ?? 'see the log of the service' }),
})

async function notThere(url: string): Promise<Check> {
  const { hostname, port, protocol } = new URL(url)
  const number = Number(port || (protocol === 'https:' ? 443 : 80))
  const taken = await connects(isLoopback(url) ? '127.0.0.1' : hostname, number)
  const says = taken ? `${url} takes connections but does not answer` : `nothing listens at ${url}`
  const start = isLoopback(url)
    ? 'start it: npm start in the folder of svc'
    : 'see whether it runs, and the address: --url, SVC_URL'
  return { name: 'service', ok: false, says, fix: taken ? `see what uses port ${number}` : start }
}

async function signedIn({ session, calls, hasSecretKey }: Context): Promise<Check> {
  const name = 'sign-in'
  if (hasSecretKey) return { name, ok: true, says: 'secret key in SVC_KEY' }
  const kept = session.current()
  if (!kept)
    return { name, ok: null, says: 'nobody', fix: 'svc login, or svc new for a service on this machine' }
  return calls.developer<typeof readMe>('GET /v1/developers/me', {}).then(
    ({ developer }): Check => ({ name, ok: true, says: developer.email }),
    (error: Failure): Check => ({
      name,
      ok: error.exit === 'unreachable' ? null : false,
      says: `${kept.email}: ${error.message}`,
      fix: 'svc login',
    }),
  )
}

/** Whether the service knows it can be told only to who is signed in. */
async function project({ workspace, calls, place, session, hasSecretKey }: Context): Promise<Check> {
  const name = 'project'
  if (workspace.projectId === undefined)
    return { name, ok: null, says: 'none in this folder', fix: 'svc new <folder> makes one' }
  if (hasSecretKey || !session.current()) return { name, ok: null, says: workspace.projectId }
  return place()
    .then(({ projectId }) =>
      calls.developer<typeof readProject>('GET /v1/projects/:projectId', { params: { projectId } }),
    )
    .then(
      ({ project: { name: title, slug } }): Check => ({ name, ok: true, says: `${shown(title)} (${slug})` }),
      (error: Failure): Check => ({
        name,
        ok: error.code === 'project_not_found' ? false : null,
        says: `${workspace.projectId}: ${error.message}`,
        fix: 'is it of this account and service? svc whoami, --url',
      }),
    )
}

/** The settings of the service are seen here only where it is started from the same shell. */
async function mail({ machine }: Context): Promise<Check> {
  const smtp = machine.variables['SMTP_URL']
  if (!smtp)
    return { name: 'SMTP', ok: null, says: 'SMTP_URL is not set here: mails are kept, svc mail shows them' }
  if (!URL.canParse(smtp))
    return {
      name: 'SMTP',
      ok: false,
      says: 'SMTP_URL is no address',
      fix: 'write smtps://user:password@host',
    }
  const { hostname, port, protocol } = new URL(smtp)
  const ok = await connects(hostname, Number(port || (protocol === 'smtps:' ? 465 : 587)))
  return {
    name: 'SMTP',
    ok,
    says: ok ? `${hostname} answers` : `${hostname} does not answer`,
    ...(!ok && { fix: 'see SMTP_URL and the firewall' }),
  }
}

async function turn({ machine }: Context): Promise<Check[]> {
  const urls = machine.variables['TURN_URLS']?.split(',').map((one) => one.trim()) ?? []
  if (urls.length === 0)
    return [
      { name: 'TURN', ok: null, says: 'TURN_URLS is not set here: the embedded relay, or TURN_PROVIDER' },
    ]
  return Promise.all(
    urls.map(async (url): Promise<Check> => {
      const [, host = '', port = '3478'] = /^turns?:([^:?]+)(?::(\d+))?/.exec(url) ?? []
      const ok = await connects(host, Number(port))
      return {
        name: 'TURN',
        ok,
        says: ok ? `${host} answers` : `${host} does not answer over TCP`,
        ...(!ok && { fix: 'see TURN_URLS and the firewall' }),
      }
    }),
  )
}

const connects = (host: string, port: number): Promise<boolean> =>
  new Promise((settle) => {
    const socket = connect({ host, port, timeout: CONNECT_MS_MAX })
    const end = (isThere: boolean) => {
      socket.destroy()
      settle(isThere)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
