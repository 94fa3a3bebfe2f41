import { cpSync, existsSync, readdirSync } from 'node:fs'
import { access, constants, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'

import type { CommandGroup } from '../command-line/command-group.ts'
import { choiceOr, install, projectName } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { diskFailure } from '../output/disk-error.ts'
import { Failure } from '../output/failure.ts'
import { OWN_FILES } from '../own-files.ts'
import { findInstalledSvc, installCommandOf } from '../project/installed-svc.ts'
import { keysFileText, keyVariables, locationVariables } from '../project/keys-file.ts'
import { MANIFEST, readManifest, withEntries } from '../project/manifest.ts'
import { npmInstall } from '../project/npm-install.ts'
import { SCHEMA_PATH, SVC_SCRIPT } from '../project/npm-run.ts'
import {
  dependenciesOn,
  downloadPackages,
  type DownloadedPackage,
  storePackages,
} from '../project/package-files.ts'
import { CONFIG_FILE, KEYS_FILE } from '../project/workspace.ts'
import { requireAccount } from './account.ts'
import { writeProjectFile } from './link.ts'
import { createProjectNamed, titleOf } from './projects.ts'
import { storeTestProviders } from './test-providers.ts'

/** Adds `svc new`. */
export function addNewCommand(program: CommandGroup) {
  const description = 'create a project and a folder with a working game'
  const template = choiceOr('duel', '-t, --template <name>', 'template to start from', TEMPLATE_NAMES)
  program.command('new <folder>', description, newProject, { template, name: projectName, install })
}

/** Template name → folder in examples/. */
const TEMPLATES = {
  duel: 'star-duel',
  lobby: 'lobby-chat',
  race: 'party-race',
  arena: 'arena',
  empty: 'empty',
} as const

/** Files that the build of a template writes. */
const BUILT_FILES: Partial<Record<keyof typeof TEMPLATES, string>> = { arena: 'public/main.js' }

const TEMPLATE_NAMES = Object.keys(TEMPLATES) as (keyof typeof TEMPLATES)[]

type New = { template: keyof typeof TEMPLATES; name?: string; install: boolean }

async function newProject(context: Context, { template, name, install }: New, directory: string) {
  const { out, system, url } = context
  const folder = resolve(system.folder, directory)
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Failure('failed', `${folder} is not empty.`, { fix: 'Choose another folder.' })
  }
  await requireAccount(context)

  // Before anything is created: a service that has none is no service to create a project on.
  const packages = await downloadPackages(url)
  const { project, keys } = await withFolder(folder, () =>
    createProjectNamed(context, name ?? titleOf(basename(folder))),
  )
  // First: the keys are shown only once, so they must be stored even if a later step fails.
  const variables = [...locationVariables(url, project.id), ...keyVariables(keys)]
  await writeFile(join(folder, KEYS_FILE), keysFileText(variables), { mode: 0o600 })
  await writeProjectFile(folder, url, project)
  await writeTemplate(folder, template, { url, slug: project.slug, packages })
  await storePackages(folder, packages, system.randomText)
  const shownFolder = relative(system.folder, folder) || '.'
  out.done(
    `project "${project.name}"  slug ${project.slug}  keys written to ${join(shownFolder, KEYS_FILE)} (secret keys are shown only once)`,
  )
  const testProviders = await storeTestProviders(context, project.id, folder)
  const installed = install ? await npmInstall(system, out, folder) : false

  out.line()
  const first = installed ? '' : 'npm install && '
  printIfNotInstalled(context)
  // A template with code for the server, or with a build, has a script that does all of it.
  const deploy = readManifest(folder)?.manifest.scripts?.['build'] ? 'npm run deploy' : 'svc deploy public'
  out.line(`Next: cd ${quoted(shownFolder)} && ${first}${deploy}`)
  return { project, folder, testProviders, installed }
}

/** How to install the command `svc`, which all hints name. */
export function printIfNotInstalled({ out, system, url }: Context) {
  if (findInstalledSvc(system.variables)) return
  out.line(`svc is not in your PATH. Install it once: ${installCommandOf(url)}`)
}

/** Creates the folder first, because a project whose keys cannot be stored would be lost. Removes it if `work` fails. */
async function withFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const topmost = await makeFolder(folder).catch((error: NodeJS.ErrnoException) => {
    throw diskFailure(error, 'Choose another folder.')
  })
  try {
    await access(folder, constants.W_OK)
    return await work()
  } catch (error) {
    if (topmost !== undefined) await rm(topmost, { recursive: true })
    throw error
  }
}

/** Returns the topmost folder that was created. */
async function makeFolder(folder: string): Promise<string | undefined> {
  if (existsSync(folder)) return undefined
  if (!existsSync(dirname(folder))) return mkdir(folder, { recursive: true })
  // Recursive only if needed: under /proc a recursive mkdir never returns.
  await mkdir(folder)
  return folder
}

/** Quotes a path for a shell. */
const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

type Contents = { url: string; slug: string; packages: readonly DownloadedPackage[] }

async function writeTemplate(
  folder: string,
  template: keyof typeof TEMPLATES,
  { url, slug, packages }: Contents,
) {
  cpSync(join(OWN_FILES.examples, TEMPLATES[template]), folder, { recursive: true, filter: isTemplateFile })
  await change(join(folder, MANIFEST), (text) => {
    const { text: complete } = withEntries(text, {
      scripts: SVC_SCRIPT,
      ...dependenciesOn(packages),
    })
    return complete.replace(/"name": "[^"]*"/, `"name": ${JSON.stringify(slug)}`)
  })
  await change(join(folder, CONFIG_FILE), (text) =>
    text.replace(/("\$schema": )"[^"]*"/, `$1${JSON.stringify(SCHEMA_PATH)}`),
  )
  // The service has the docs that the example links to.
  await change(join(folder, 'README.md'), (text) =>
    text.replaceAll(/\.\.\/\.\.\/(docs\/[\w/-]+(?:\.png)?)(?:\.md)?/g, `${url}/$1`),
  )
  const ignored = ['node_modules/', '.env', '.env.local', 'functions.map.json', BUILT_FILES[template]]
  const lines = ignored.flatMap((name) => (name === undefined ? [] : `${name}\n`))
  await writeFile(join(folder, '.gitignore'), lines.join(''), { flag: 'a' })
}

async function change(path: string, edit: (text: string) => string) {
  await writeFile(path, edit(await readFile(path, 'utf8')))
}

/** Excludes files that running the example leaves behind. */
const isTemplateFile = (path: string) =>
  !/[/\\](?:node_modules|\.svc|\.env|package-lock\.json|[^/\\]*\.test\.ts)$/.test(path)
