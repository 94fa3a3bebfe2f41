import { cpSync, existsSync, readdirSync } from 'node:fs'
import { access, constants, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'

import type { Context } from '../context.ts'
import { diskFailure } from '../disk-error.ts'
import { Failure } from '../failure.ts'
import { keysFileText, keyVariables, placeVariables } from '../keys-file.ts'
import { MANIFEST, withEntries } from '../manifest.ts'
import { npmInstall } from '../npm-install.ts'
import { cliDependency, RUN_SVC, SCHEMA_PATH, SVC_SCRIPT } from '../own-packages.ts'
import { CONFIG_FILE, KEYS_FILE } from '../workspace.ts'
import { requireAccount } from './account.ts'
import { writeProjectFile } from './link.ts'
import { createProjectNamed, titleOf } from './projects.ts'
import { storeTestProviders } from './test-providers.ts'

/** Name → folder in examples/: a template is an example that runs. */
const TEMPLATES = { duel: 'star-duel', lobby: 'lobby-chat' } as const

export const TEMPLATE_NAMES = Object.keys(TEMPLATES)

const EXAMPLES = join(import.meta.dirname, '../../../../examples')

type New = { template: keyof typeof TEMPLATES; name?: string; install: boolean }

export async function newProject(context: Context, { template, name, install }: New, directory: string) {
  const { out, machine, url } = context
  const folder = resolve(machine.folder, directory)
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Failure('failed', `${folder} is not empty.`, { fix: 'Choose another folder.' })
  }
  await requireAccount(context)

  const { project, keys } = await withFolder(folder, () =>
    createProjectNamed(context, name ?? titleOf(basename(folder))),
  )
  // Before all else: whatever stops the rest, the keys are shown only once.
  const variables = [...placeVariables(url, project.id), ...keyVariables(keys)]
  await writeFile(join(folder, KEYS_FILE), keysFileText(variables), { mode: 0o600 })
  await writeProjectFile(folder, url, project)
  await writeTemplate(folder, TEMPLATES[template], project.slug)
  const shownFolder = relative(machine.folder, folder) || '.'
  out.done(
    `project "${project.name}"  slug ${project.slug}  keys written to ${join(shownFolder, KEYS_FILE)} (secret keys are shown only once)`,
  )
  const testProviders = await storeTestProviders(context, project.id, folder)
  const installed = install ? await npmInstall(machine, out, folder) : false

  out.line()
  const first = installed ? '' : 'npm install && '
  out.line(`Next: cd ${quoted(shownFolder)} && ${first}${RUN_SVC} deploy public`)
  return { project, folder, testProviders, installed }
}

/** The folder first: a project whose keys cannot be written down would be lost. Without a project it goes again. */
async function withFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const made = await makeFolder(folder).catch((error: NodeJS.ErrnoException) => {
    throw diskFailure(error, 'Choose another folder.')
  })
  try {
    await access(folder, constants.W_OK)
    return await work()
  } catch (error) {
    if (made !== undefined) await rm(made, { recursive: true })
    throw error
  }
}

/** Answers the topmost folder that was made. */
async function makeFolder(folder: string): Promise<string | undefined> {
  if (existsSync(folder)) return undefined
  if (!existsSync(dirname(folder))) return mkdir(folder, { recursive: true })
  // Not recursive where it need not be: under /proc that never returns.
  await mkdir(folder)
  return folder
}

/** As a shell takes it for one word. */
const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

async function writeTemplate(folder: string, example: string, slug: string) {
  cpSync(join(EXAMPLES, example), folder, { recursive: true, filter: isOfTemplate })
  await change(join(folder, MANIFEST), (text) => {
    const { text: complete } = withEntries(text, {
      scripts: SVC_SCRIPT,
      devDependencies: cliDependency(folder),
    })
    return complete.replace(/"name": "[^"]*"/, `"name": ${JSON.stringify(slug)}`)
  })
  await change(join(folder, CONFIG_FILE), (text) =>
    text.replace(/("\$schema": )"[^"]*"/, `$1${JSON.stringify(SCHEMA_PATH)}`),
  )
  await writeFile(join(folder, '.gitignore'), 'node_modules/\n.env\n.env.local\n', { flag: 'a' })
}

async function change(path: string, edit: (text: string) => string) {
  await writeFile(path, edit(await readFile(path, 'utf8')))
}

/** What trying the example out has left behind is not part of it. */
const isOfTemplate = (path: string) =>
  !/[/\\](?:node_modules|\.svc|\.env|package-lock\.json|[^/\\]*\.test\.ts)$/.test(path)
