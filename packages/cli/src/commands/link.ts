import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import type { ProjectView } from '@svc/contract/developers/projects'

import type { CommandGroup } from '../command-line/command-group.ts'
import { flag, install, text } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure, isFailure } from '../output/failure.ts'
import { type Bundler, bundlerOf } from '../project/bundlers.ts'
import {
  addVariables,
  keyName,
  keyVariables,
  type NewKey,
  locationVariables,
  type Variable,
} from '../project/keys-file.ts'
import { readManifest } from '../project/manifest.ts'
import { installCommand, npmInstall } from '../project/npm-install.ts'
import { renewalText, type RenewedPackage, renewPackages } from '../project/package-files.ts'
import { KEYS_FILE, LOCAL_KEYS_FILE, PROJECT_FILE, readKeys, readProjectFile } from '../project/workspace.ts'
import { withoutUndefined } from '../without-undefined.ts'
import { requireAccount } from './account.ts'
import { chooseProject, type ChosenProject, createKeyFor, createProjectNamed, titleOf } from './projects.ts'
import { storeTestProviders } from './test-providers.ts'

/** Adds `svc link`. */
export function addLinkCommand(program: CommandGroup) {
  program.command(
    'link',
    'link this folder to its project, after a clone or with a new data folder, and create missing keys',
    linkFolder,
    {
      name: text('--name <text>', 'name for a new project (default: derived from the slug)'),
      yes: flag('-y, --yes', 'create the project again if the service does not have it'),
      install,
    },
  )
}

type Linking = { folder: string; bundler: Bundler; chosen: ChosenProject; file: string }
type Link = { project?: string; name?: string; yes?: boolean; install: boolean }

/** Links the folder to its project: for a teammate with a clone, or after the data folder of the service was deleted. */
async function linkFolder(context: Context, options: Link) {
  const { workspace, out, system } = context
  const { folder } = workspace
  await requireAccount(context)
  const chosen = await projectOf(context, options)
  const { project, isNew } = chosen
  const bundler = bundlerOf(folder, readManifest(folder)?.manifest)
  const file = keysFileIn(folder, bundler)
  const keys = await writeLink(context, { folder, bundler, chosen, file })

  out.done(`${isNew ? 'created' : 'linked to'} project "${project.name}"  slug ${project.slug}`)
  if (keys.length > 0) out.info(`new keys written to ${file}: ${keys.map(([name]) => name).join(', ')}`)
  else out.info(`the keys in ${file} are valid`)
  const testProviders = isNew ? await storeTestProviders(context, project.id, folder) : []
  // After an upgrade of the service its packages are newer than those of the folder.
  const packages = await renewPackages(context.url, folder, system.randomText)
  if (packages.length > 0) await installRenewed(context, packages, options.install)
  if (isNew) out.line('Next: svc deploy uploads the app and its config again')
  return {
    project,
    created: isNew,
    keysFile: file,
    newKeys: keys.map(([name]) => name),
    testProviders,
    packages,
  }
}

/** The last step but output: npm replaces the files of this command. */
async function installRenewed(
  { system, out, workspace }: Context,
  packages: readonly RenewedPackage[],
  isInstalled: boolean,
) {
  const specifiers = packages.map(({ specifier }) => specifier)
  out.done(`updated from the service: ${packages.map(renewalText).join(', ')}`)
  if (isInstalled) await npmInstall(system, out, workspace.folder, specifiers)
  else out.line(`Next: ${installCommand(specifiers)}`)
  out.info('commit .svc, package.json and package-lock.json')
}

/** Returns the project of --project, that of this folder, or a chosen one. */
async function projectOf(context: Context, options: Link): Promise<ChosenProject & { isNew: boolean }> {
  const { workspace, calls, ask, url } = context
  const { projectId, slug, folder } = workspace
  if (options.project !== undefined || projectId === undefined) {
    const chosen = await chooseProject(context, options, titleOf(basename(folder)))
    return { ...chosen, isNew: chosen.keys.length > 0 }
  }
  try {
    const request = { params: { projectId } }
    const { project } = await calls.developer('readProject', request)
    return { project, keys: [], isNew: false }
  } catch (error) {
    if (!isFailure(error, 'project_not_found')) throw error
  }
  const named = slug ?? projectId
  const question = `${url} has no project ${named} for this account. Create it again, with new keys and no data?`
  if (!options.yes && !(await ask.confirm(question)))
    throw new Failure('stopped', 'Nothing was changed.', {
      fix: 'Sign in with the account that owns it (svc login), or link another one: svc link --project <slug>',
    })
  return {
    ...(await createProjectNamed(context, options.name ?? titleOf(slug ?? basename(folder)))),
    isNew: true,
  }
}

/** Writes the project file and the missing keys. Keys first: they are shown only once. */
export async function writeLink(
  context: Context,
  { folder, bundler, chosen, file }: Linking,
): Promise<Variable[]> {
  const { url, system } = context
  const { project } = chosen
  const present = readKeys(folder)
  const keys = chosen.keys.length > 0 ? chosen.keys : await missingKeys(context, project, present)
  const variables = [...locationVariables(url, project.id), ...keyVariables(keys)]
  const inPage =
    bundler.prefix === undefined
      ? []
      : pageVariables(bundler.prefix, url, { ...present, ...Object.fromEntries(variables) })

  await addVariables(join(folder, file), [...inPage, ...variables], system.randomText())
  await writeProjectFile(folder, url, project)
  return keyVariables(keys)
}

/** Bundlers read .env.local, and their .env is often committed; `svc new` stores the keys in .env. */
const keysFileIn = (folder: string, { prefix }: Bundler) =>
  prefix !== undefined || existsSync(join(folder, LOCAL_KEYS_FILE)) ? LOCAL_KEYS_FILE : KEYS_FILE

/** Creates the development keys that the folder lacks, or that the service does not list for this project. */
async function missingKeys(
  context: Context,
  project: ProjectView,
  present: NodeJS.Dict<string>,
): Promise<NewKey[]> {
  const environment = 'development'
  const { keys } = await context.calls.developer('listKeys', {
    params: { projectId: project.id, env: environment },
  })
  const created: NewKey[] = []
  for (const type of ['publishable', 'secret'] as const) {
    const text = present[keyName(environment, type)] ?? ''
    const isLive = keys.some((key) => key.type === type && text !== '' && text.endsWith(key.last4))
    if (!isLive) created.push(await createKeyFor(context, project.id, environment, type))
  }
  return created
}

const pageVariables = (prefix: string, url: string, values: NodeJS.Dict<string>): Variable[] => {
  const name = keyName('development', 'publishable')
  return [
    [`${prefix}SVC_URL`, url],
    [`${prefix}${name}`, values[name] ?? ''],
  ]
}

/** Writes the project file; keeps the folder that was deployed last. */
export async function writeProjectFile(folder: string, url: string, { id, slug }: ProjectView) {
  const path = join(folder, PROJECT_FILE)
  await mkdir(dirname(path), { recursive: true })
  const { deployed } = readProjectFile(path)
  const content = withoutUndefined({ url, project: id, slug, deployed })
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`)
}
