import { sep } from 'node:path'

import type { Context } from '../context.ts'
import { counted, printable } from '../output/output.ts'
import { OWN_FILES, ownVersion } from '../own-files.ts'
import { findInstalledSvc, installCommandOf } from '../project/installed-svc.ts'
import { isLoopback } from '../service/address.ts'
import { tlsProblem } from '../service/unreachable.ts'
import { type Check, connects, failed, noted, passed } from './doctor-servers.ts'

const SKEW_MS_MAX = 30_000
const READY_MS_MAX = 10_000

/** Only a service on this machine returns them, or one whose SVC_METRICS_TOKEN this shell has. */
type Parts = Record<string, { state: string; says: string }>

type Ready = {
  checks?: Record<string, string>
  functionsSandbox?: string
  functionsAccount?: string
  backups?: string
  parts?: Parts
  error?: { details?: { down?: string[]; stopping?: boolean; parts?: Parts } }
}

/** What only an operator of the service may read. Undefined: who is signed in is none, or nobody is. */
async function operatorView({ session, calls, hasSecretKey }: Context) {
  if (hasSecretKey || !session.current()) return undefined
  return calls.developer('readSystem', { query: { parts: true } }).catch(() => undefined)
}

/** The settings of this shell say nothing about those of the service. */
const unknownCheck = (name: string): Check =>
  noted(name, 'unknown from here', 'sign in as an operator of the service, or set SVC_METRICS_TOKEN')

function mailQueueCheck(failedMails: number): Check {
  const name = 'sent mail'
  if (failedMails === 0) return passed(name, 'no email has failed')
  return failed(
    name,
    `${counted(failedMails, 'email')} of the last 30 days could not be delivered`,
    'see why under Mail in the dashboard',
  )
}

/** Checks the service, its engines and its clock. */
export async function serviceChecks(context: Context): Promise<Check[]> {
  const { url, system, calls } = context
  const signal = AbortSignal.timeout(READY_MS_MAX)
  const token = system.variables['SVC_METRICS_TOKEN']
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
  const answer = await fetch(`${url}/readyz?parts=true`, { signal, headers }).catch((error: Error) => error)
  if (answer instanceof Error) return [await notReachable(url, answer)]

  const ready = (await answer.json().catch(() => ({}))) as Ready
  const { checks = {}, functionsSandbox, functionsAccount, backups, error } = ready
  const { down = [], stopping = false } = error?.details ?? {}
  const operator = await operatorView(context)
  const parts = ready.parts ?? error?.details?.parts ?? operator?.parts
  const name = 'service'
  const { version } = await calls.anyone('readPlatformInfo', {}).catch(() => ({ version: '' }))
  if (version === '')
    return [failed(name, `${url} is not an svc service`, 'set its URL with --url or SVC_URL')]

  return [
    stopping
      ? failed(name, `${url} is being stopped`, 'try again after the restart')
      : passed(name, `${url}, version ${version}`),
    ...versionChecks(context, version),
    ...[...Object.keys(checks), ...down].map((engine) => engineCheck(engine, !down.includes(engine))),
    ...(parts === undefined
      ? ['mail', 'turn', 'service disk'].map(unknownCheck)
      : Object.entries(parts).flatMap(([part, { state, says }]) => partCheck(part, state, says))),
    ...(operator === undefined ? [] : [mailQueueCheck(operator.mail.failed)]),
    ...(functionsSandbox === undefined ? [] : [functionsCheck(functionsSandbox, functionsAccount)]),
    ...(backups === undefined || (parts && 'backup' in parts) ? [] : [backupsCheck(backups)]),
    clockCheck(system.now(), answer.headers.get('date')),
  ]
}

/** The CLI that runs, and the one in the PATH. Older ones work with a newer service, so a difference is no failure. */
function versionChecks({ url, system }: Context, version: string): Check[] {
  const installed = findInstalledSvc(system.variables)
  const own = ownVersion()
  const differs = (which: string, found: string, fix: string) =>
    noted('version', `${which} is ${found}, the service is ${version}`, fix)
  return [
    ...(own === version
      ? []
      : [
          isOfFolder(system.folder)
            ? differs('this folder’s CLI', own, 'run svc link')
            : differs('this CLI', own, installCommandOf(url)),
        ]),
    ...(installed?.version === undefined ||
    installed.version === version ||
    installed.program === OWN_FILES.program
      ? []
      : [differs('svc in the PATH', installed.version, installCommandOf(url))]),
  ]
}

/** Whether this CLI is a dependency of the folder or of a parent folder. */
function isOfFolder(folder: string): boolean {
  const [owner, ...rest] = OWN_FILES.folder.split(`${sep}node_modules${sep}`)
  return rest.length > 0 && `${folder}${sep}`.startsWith(`${owner}${sep}`)
}

const SANDBOXES: Record<string, string> = {
  bubblewrap: 'run in a sandbox (bubblewrap)',
  uid: 'run without a full sandbox',
  plain: 'run without a sandbox',
  none: 'are not available on this service',
}
/** Services before this check do not report it, and without functions there is none. */
const ACCOUNTS: Record<string, string> = {
  own: ', with their own account',
  service: ', with the service’s account',
}

function functionsCheck(sandbox: string, account = ''): Check {
  const name = 'functions'
  const says = (SANDBOXES[sandbox] ?? sandbox) + (ACCOUNTS[account] ?? '')
  if (sandbox === 'bubblewrap') return passed(name, says)
  return noted(name, `${says}; the service said why when it started: install bubblewrap there`)
}

/** `functions` has a line of its own, which older services have, too. Clock and disk of this machine have lines as well. */
function partCheck(part: string, state: string, text: string): Check[] {
  if (part === 'functions') return []
  const name = part === 'clock' || part === 'disk' ? `service ${part}` : part
  const says = printable(text)
  if (state === 'ok') return [passed(name, says)]
  if (state === 'failing') return [failed(name, says, PART_FIXES[part] ?? 'check the service’s log')]
  return [noted(name, says)]
}

const PART_FIXES: Record<string, string> = {
  mail: 'check the service’s SMTP_URL and its firewall',
  turn: 'check the service’s TURN_URLS or TURN_PROVIDER, and its firewall',
  payments: 'check the service’s STRIPE_SECRET_KEY',
  redis: 'is Redis running? Check the service’s REDIS_URL',
}

function backupsCheck(state: string): Check {
  const name = 'backups'
  if (state === 'failed')
    return failed(name, 'the newest backup failed', 'check the service’s log, and svc-server backups')
  if (state === 'off') return noted(name, 'are off (SVC_BACKUP_HOURS=0)')
  return passed(name, state === 'verified' ? 'the newest one is verified' : 'the first one is not due yet')
}

const ENGINE_FIXES: Record<string, string> = {
  database:
    'is PostgreSQL running? Check the service’s DATABASE_URL; without one, the disk of its data folder',
  bus: 'is Redis running? Check the service’s REDIS_URL',
  counters: 'is Redis running? Check the service’s REDIS_URL',
  blobs: 'check the service’s SVC_BLOBS_URL and AWS_*; without them, the disk of its data folder',
}

const engineCheck = (engine: string, isUp: boolean): Check =>
  isUp
    ? passed(engine, 'OK')
    : failed(engine, 'does not answer', ENGINE_FIXES[engine] ?? 'check the service’s log')

function clockCheck(now: Date, serviceDate: string | null): Check {
  const name = 'clock'
  const skewMs = now.getTime() - Date.parse(serviceDate ?? '')
  if (Number.isNaN(skewMs)) return noted(name, 'the response has no Date header')
  if (Math.abs(skewMs) <= SKEW_MS_MAX) return passed(name, 'in sync with the service')
  const seconds = Math.round(Math.abs(skewMs) / 1_000)
  const says = `${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the service’s`
  return failed(name, says, 'synchronize both clocks with NTP: timedatectl set-ntp true')
}

async function notReachable(url: string, error: Error): Promise<Check> {
  const tls = tlsProblem(error)
  if (tls) return failed('service', `${url}: ${tls.why}`, tls.fix)
  const { hostname, port, protocol } = new URL(url)
  const number = Number(port || (protocol === 'https:' ? 443 : 80))
  const taken = await connects(isLoopback(url) ? '127.0.0.1' : hostname, number)
  const says = taken ? `${url} accepts connections but does not respond` : `nothing listens at ${url}`
  const start = isLoopback(url)
    ? 'start it: npm start in the svc folder'
    : 'check that it is running and that the URL is right (--url, SVC_URL)'
  return failed('service', says, taken ? `check what uses port ${number}` : start)
}
