import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { keyName } from '../keys-file.ts'
import { bytesText, counted, shown } from '../output.ts'
import { type Check, mailCheck, turnChecks } from './doctor-servers.ts'
import { serviceChecks } from './doctor-service.ts'

const FREE_BYTES_MIN = 1_000_000_000

/** What usually stands in the way, each with what to do about it. */
export async function runDoctor(context: Context) {
  const { out } = context
  const service = await serviceChecks(context)
  const isWell = service.every(({ name, ok }) => ok !== false || name === 'clock')
  const checks = [
    // An older one never gets here: bin/svc.js replaces or refuses it.
    { name: 'Node', ok: true, says: process.versions.node },
    await disk(context),
    ...service,
    await signedIn(context, isWell),
    await project(context, isWell),
    ...(await keys(context, isWell)),
    await mailCheck(context),
    ...(await turnChecks(context)),
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

async function disk({ machine }: Context): Promise<Check> {
  const folder = resolve(machine.folder, machine.variables['SVC_DATA_DIR'] || '.')
  const free = await freeBytes(folder)
  const ok = free >= FREE_BYTES_MIN
  return {
    name: 'disk',
    ok,
    says: `${bytesText(free)} free`,
    ...(!ok && { fix: `free disk space in ${folder}` }),
  }
}

/** Where the folder is, or will be made. */
async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch (error) {
    if (dirname(folder) === folder) throw error
    return freeBytes(dirname(folder))
  }
}

/** A service that is not well is not asked: it would be told of in every line. */
async function signedIn({ session, calls, hasSecretKey }: Context, isWell: boolean): Promise<Check> {
  const name = 'sign-in'
  const who = hasSecretKey ? 'secret key in SVC_KEY' : session.current()?.email
  if (who === undefined)
    return {
      name,
      ok: null,
      says: 'not signed in',
      fix: 'svc login, or svc new for a service on this machine',
    }
  if (!isWell) return { name, ok: null, says: who }
  const asked = hasSecretKey ? calls.admin('readConfig', {}) : calls.developer('readMe', {})
  return asked.then(
    (): Check => ({ name, ok: true, says: who }),
    (error: Failure): Check => ({
      name,
      ok: error.exit === 'unreachable' ? null : false,
      says: `${who}: ${error.message}`,
      fix: hasSecretKey ? 'set SVC_KEY to a live key: svc keys create makes one' : 'svc login',
    }),
  )
}

/** Whether the service knows it can be told only to who is signed in. */
async function project(context: Context, isWell: boolean): Promise<Check> {
  const { workspace, calls, place, session, hasSecretKey } = context
  const name = 'project'
  if (workspace.projectId === undefined)
    return {
      name,
      ok: null,
      says: 'no project in this folder',
      fix: 'svc new <folder>, or svc init in this one',
    }
  if (!isWell || hasSecretKey || !session.current()) return { name, ok: null, says: workspace.projectId }
  return place()
    .then(({ projectId }) => calls.developer('readProject', { params: { projectId } }))
    .then(
      ({ project: { name: title, slug } }): Check => ({ name, ok: true, says: `${shown(title)} (${slug})` }),
      (error: Failure): Check => ({
        name,
        ok: error.code === 'project_not_found' ? false : null,
        says:
          error.code === 'project_not_found'
            ? `the service does not know ${workspace.slug ?? workspace.projectId} for this account`
            : `${workspace.projectId}: ${error.message}`,
        fix: LINK,
      }),
    )
}

/** A new data folder, and another service or account. */
const LINK = 'svc link creates it again with new keys, or svc login with the account that owns it'

/** Whether the service accepts the development secret key of the folder. */
async function keys({ workspace, calls, hasSecretKey }: Context, isWell: boolean): Promise<Check[]> {
  const name = 'keys'
  const variable = keyName('development', 'secret')
  if (!isWell || hasSecretKey || workspace.secretKeys.development === undefined) return []
  return calls
    .server('development')('readConfig', {})
    .then(
      (): Check[] => [{ name, ok: true, says: `${variable} is valid` }],
      (error: Failure): Check[] => [
        {
          name,
          ok: error.code === 'invalid_key' ? false : null,
          says: error.code === 'invalid_key' ? `the service does not know ${variable}` : error.message,
          fix: 'svc link creates new keys',
        },
      ],
    )
}
