import { cpSync, existsSync, readdirSync } from 'node:fs'
import { access, constants, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'

import type { ConfigDocument } from '@svc/contract/config-document'
import { type Provider, PROVIDERS } from '@svc/contract/features'
import type { createProject } from '@svc/contract/projects'
import type { writeProviderCredentials } from '@svc/contract/provider-credentials'

import { configPath, readConfigFile } from '../config-file.ts'
import type { Context } from '../context.ts'
import { diskFailure } from '../disk-error.ts'
import { Failure } from '../failure.ts'
import { KEYS_FILE, keysFileText, PROJECT_FILE } from '../workspace.ts'
import { somebody } from './account.ts'

/** Name → folder in examples/: a template is an example that runs. */
const TEMPLATES = { duel: 'star-duel', lobby: 'lobby-chat' } as const

export const TEMPLATE_NAMES = Object.keys(TEMPLATES)

const EXAMPLES = join(import.meta.dirname, '../../../../examples')
const PROGRAM = join(import.meta.dirname, '../../bin/svc.js')

type New = { template: keyof typeof TEMPLATES; name?: string }

export async function newProject(context: Context, { template, name }: New, directory: string) {
  const { out, machine, calls, url } = context
  const folder = resolve(machine.folder, directory)
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Failure('failed', `${folder} is not empty.`, { fix: 'Choose another folder.' })
  }
  await somebody(context)

  const { project, keys } = await withFolder(folder, () =>
    calls.developer<typeof createProject>(
      'POST /v1/projects',
      { body: { name: name ?? titleOf(basename(folder)) } },
      { idempotencyKey: machine.randomText() },
    ),
  )
  await writeFiles(folder, TEMPLATES[template], project.slug, {
    [PROJECT_FILE]: `${JSON.stringify({ url, project: project.id, slug: project.slug }, null, 2)}\n`,
    [KEYS_FILE]: keysFileText(url, project.id, keys),
  })
  const shownFolder = relative(machine.folder, folder) || '.'
  out.done(
    `project "${project.name}"  slug ${project.slug}  keys written to ${join(shownFolder, KEYS_FILE)} (secret keys are shown once)`,
  )

  const providers = await storeTestProviders(context, project.id, folder)
  for (const provider of providers) {
    out.info(
      `${provider}: the built-in test provider stands in for it in development (svc providers changes it)`,
    )
  }
  out.line()
  out.line(`Next: cd ${quoted(shownFolder)} && npx svc deploy public`)
  return { project, folder, testProviders: providers }
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

/** `star-duel` → `Star Duel` */
const titleOf = (name: string): string =>
  name
    .split(/[-_.\s]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')

async function writeFiles(folder: string, example: string, slug: string, own: Record<string, string>) {
  // Before all else: whatever stops the rest, the keys are shown this once.
  for (const [path, content] of Object.entries(own)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content, { mode: path === KEYS_FILE ? 0o600 : 0o644 })
  }
  cpSync(join(EXAMPLES, example), folder, { recursive: true, filter: isOfTemplate })
  const manifest = join(folder, 'package.json')
  await writeFile(
    manifest,
    `${JSON.stringify({ ...JSON.parse(await readFile(manifest, 'utf8')), name: slug }, null, 2)}\n`,
  )
  await writeFile(join(folder, '.gitignore'), 'node_modules/\n.env\n', { flag: 'a' })

  // So that `npx svc` works in the new folder without an install.
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
  await symlink(PROGRAM, join(folder, 'node_modules/.bin/svc')).catch(() => {})
}

/** What trying the example out has left behind is not part of it. */
const isOfTemplate = (path: string) => !/[/\\](?:node_modules|\.svc|\.env|[^/\\]*\.test\.ts)$/.test(path)

/** Sign-in works at once, without an account at the provider; the config of the template says which ones. */
async function storeTestProviders(
  { calls }: Context,
  projectId: string,
  folder: string,
): Promise<Provider[]> {
  const { auth } = readConfigFile(configPath(folder)).document as ConfigDocument
  const enabled = PROVIDERS.filter((provider) => auth?.providers?.[provider]?.enabled)
  for (const provider of enabled) {
    await calls.developer<typeof writeProviderCredentials>(
      'PUT /v1/projects/:projectId/environments/:env/auth/providers/:provider',
      { params: { projectId, env: 'development', provider }, body: { testProvider: true } },
    )
  }
  return enabled
}
