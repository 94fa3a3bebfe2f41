import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import type { CommandGroup } from '../command-line/command-group.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { bytesText, counted, printable } from '../output/output.ts'
import { keyName } from '../project/keys-file.ts'
import { isLoopback } from '../service/address.ts'
import { type Check, failed, mailCheck, noted, passed, turnChecks } from './doctor-servers.ts'
import { serviceChecks } from './doctor-service.ts'

/** Adds `svc doctor`. */
export function addDoctorCommand(program: CommandGroup) {
  program.command('doctor', 'check for common problems and suggest fixes', runDoctor)
}

const FREE_BYTES_MIN = 1_000_000_000

/** Checks for common problems and prints a fix for each. */
async function runDoctor(context: Context) {
  const { out } = context
  const service = await serviceChecks(context)
  const isHealthy = service.every(({ name, ok }) => ok !== false || name === 'clock')
  // What the service says about itself is better than what this shell would configure.
  const isReported = (part: string) => service.some(({ name }) => name === part)
  const { SMTP_URL: smtpUrl, TURN_URLS: turnUrls } = context.system.variables
  // A service on another machine has other settings and other disks than this shell.
  const shellChecks = isLoopback(context.url)
    ? [
        await disk(context),
        ...(smtpUrl || !isReported('mail') ? [await mailCheck(context)] : []),
        ...(turnUrls || !isReported('turn') ? await turnChecks(context) : []),
      ]
    : []
  const checks = [
    // An older version never gets here: bin/svc.js replaces or rejects it.
    passed('Node', process.versions.node),
    ...service,
    await signedIn(context, isHealthy),
    await project(context, isHealthy),
    ...(await keys(context, isHealthy)),
    ...shellChecks,
  ]
  const width = Math.max(...checks.map(({ name }) => name.length))
  for (const { name, ok, says, fix } of checks) {
    const sign = ok === null ? out.styled('dim', '·') : ok ? out.styled('green', '✔') : out.styled('red', '✖')
    out.line(`${sign} ${name.padEnd(width)}  ${says}${fix ? `  → ${fix}` : ''}`)
  }
  const failures = checks.filter(({ ok }) => ok === false)
  if (failures.length === 0) return { ok: true, checks }
  throw new Failure('failed', `${counted(failures.length, 'check')} of ${checks.length} failed.`, {
    code: 'unwell',
    details: { checks },
  })
}

async function disk({ system }: Context): Promise<Check> {
  const folder = resolve(system.folder, system.variables['SVC_DATA_DIR'] || '.')
  const free = await freeBytes(folder)
  const says = `${bytesText(free)} free`
  return free >= FREE_BYTES_MIN ? passed('disk', says) : failed('disk', says, `free disk space in ${folder}`)
}

/** Free bytes of the folder, or of the nearest parent that exists. */
async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch (error) {
    if (dirname(folder) === folder) throw error
    return freeBytes(dirname(folder))
  }
}

/** Skips the call if the service is not healthy: the same problem would be reported in every line. */
async function signedIn({ session, calls, hasSecretKey }: Context, isHealthy: boolean): Promise<Check> {
  const name = 'sign-in'
  const who = hasSecretKey ? 'secret key in SVC_KEY' : session.current()?.email
  if (who === undefined)
    return noted(name, 'not signed in', 'svc login, or svc new for a service on this machine')
  if (!isHealthy) return noted(name, who)
  const check = hasSecretKey ? calls.admin('readConfig', {}) : calls.developer('readMe', {})
  const fix = hasSecretKey ? 'set SVC_KEY to an active key; create one with svc keys create' : 'svc login'
  return check.then(
    () => passed(name, who),
    ({ exit, message }: Failure) =>
      (exit === 'unreachable' ? noted : failed)(name, `${who}: ${message}`, fix),
  )
}

/** Whether the service has the project can be checked only with a developer session. */
async function project(context: Context, isHealthy: boolean): Promise<Check> {
  const { workspace, calls, resolveEnvironment, session, hasSecretKey } = context
  const { projectId: id, slug = id } = workspace
  const name = 'project'
  if (id === undefined)
    return noted(name, 'no project in this folder', 'svc new <folder>, or svc init in this one')
  if (!isHealthy || hasSecretKey || !session.current()) return noted(name, id)
  return resolveEnvironment()
    .then(({ projectId }) => calls.developer('readProject', { params: { projectId } }))
    .then(
      ({ project: found }) => passed(name, `${printable(found.name)} (${found.slug})`),
      ({ code, message }: Failure) =>
        code === 'project_not_found'
          ? failed(name, `this account has no project ${slug} on the service`, LINK)
          : noted(name, `${id}: ${message}`, LINK),
    )
}

/** Fixes the two usual causes: a new data folder, or another account. */
const LINK = 'svc link creates it again with new keys, or svc login with the owner’s account'

const NEW_KEYS = 'svc link creates new keys'

/** Whether the service accepts the development secret key of the folder. */
async function keys({ workspace, calls, hasSecretKey }: Context, isHealthy: boolean): Promise<Check[]> {
  const name = 'keys'
  const variable = keyName('development', 'secret')
  if (!isHealthy || hasSecretKey || workspace.secretKeys.development === undefined) return []
  return calls
    .server('development')('readConfig', {})
    .then(
      () => [passed(name, `${variable} is valid`)],
      ({ code, message }: Failure) => [
        code === 'invalid_key'
          ? failed(name, `the service does not know ${variable}`, NEW_KEYS)
          : noted(name, message, NEW_KEYS),
      ],
    )
}
