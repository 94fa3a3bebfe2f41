import { existsSync } from 'node:fs'
import { access, appendFile, constants, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

import type { CommandGroup } from '../command-line/command-group.ts'
import { flag, install, projectName } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { OWN_FILES } from '../own-files.ts'
import { type Bundler, bundlerOf } from '../project/bundlers.ts'
import { configPath, hasConfigFile, readConfigFile } from '../project/config-file.ts'
import { MANIFEST, readManifest, withEntries } from '../project/manifest.ts'
import { npmInstall } from '../project/npm-install.ts'
import { isByNpmRun, SCHEMA_PATH, SVC_SCRIPT } from '../project/npm-run.ts'
import {
  dependenciesOn,
  type DownloadedPackage,
  downloadPackages,
  storePackages,
} from '../project/package-files.ts'
import { CONFIG_FILE, LOCAL_KEYS_FILE, PROJECT_FILE } from '../project/workspace.ts'
import { requireAccount } from './account.ts'
import { writeLink } from './link.ts'
import { printIfNotInstalled } from './new.ts'
import { chooseProject, titleOf } from './projects.ts'
import { storeTestProviders } from './test-providers.ts'

/** Adds `svc init`. */
export function addInitCommand(program: CommandGroup) {
  program.command('init', 'add svc to an existing app (Vite, Next.js or plain HTML)', initFolder, {
    name: projectName,
    yes: flag('-y, --yes', 'create a project without asking'),
    install,
  })
}

type Init = { project?: string; name?: string; yes?: boolean; install: boolean }

/** Adds svc to an existing folder. Existing content of files is kept. */
async function initFolder(context: Context, options: Init) {
  const { system, out } = context
  const { folder } = system
  await requireApp(context)
  const bundler = bundlerOf(folder, readManifest(folder)?.manifest)
  await requireAccount(context)

  const packages = await downloadPackages(context.url)
  const chosen = await chooseProject(context, options, titleOf(basename(folder)))
  const { project } = chosen
  const isNew = chosen.keys.length > 0
  await writeLink(context, { folder, bundler, chosen, file: LOCAL_KEYS_FILE })
  const verb = isNew ? 'created' : 'linked to'
  out.done(
    `${verb} project "${project.name}"  slug ${project.slug}  keys written to ${LOCAL_KEYS_FILE} (secret keys are shown only once)`,
  )

  await writeConfig(context, folder, project.id)
  await storePackages(folder, packages, system.randomText)
  await writeManifest(context, folder, packages)
  await writeIgnores(folder, bundler)
  out.info(`${bundler.title}: ${CONFIG_FILE}, ${MANIFEST}, .gitignore and ${PROJECT_FILE} are ready`)
  const testProviders = isNew ? await storeTestProviders(context, project.id, folder) : []
  const installed = options.install ? await npmInstall(system, out, folder) : false

  out.line()
  out.line(`Add to your page (${bundler.title}):`)
  for (const line of bundler.code) out.line(`  ${line}`)
  out.line()
  printIfNotInstalled(context)
  out.line(`Deploy: ${bundler.deploy}`)
  return {
    project,
    folder,
    bundler: bundler.name,
    code: bundler.code,
    keysFile: LOCAL_KEYS_FILE,
    testProviders,
    installed,
  }
}

async function requireApp({ system }: Context) {
  const { folder } = system
  await access(folder, constants.W_OK)
  if (existsSync(join(folder, PROJECT_FILE)))
    throw new Failure('failed', 'This folder already belongs to a project.', {
      fix: 'To link it again, run: svc link',
    })
  if (folder === OWN_FILES.checkout)
    throw new Failure('failed', 'This is the svc folder, not an app.', {
      fix: isByNpmRun(system.variables)
        ? `In your app’s folder, run: npm --prefix ${OWN_FILES.checkout} run svc -- init`
        : 'Run it in your app’s folder.',
    })
}

/** An existing project has a config already; a file without it would turn its features off with the next deploy. */
async function writeConfig({ calls, out }: Context, folder: string, projectId: string) {
  if (hasConfigFile(folder)) {
    const { $schema } = readConfigFile(configPath(folder)).document as { $schema?: string }
    if ($schema === undefined)
      out.info(`${CONFIG_FILE} was not changed. For help in your editor, add: "$schema": "${SCHEMA_PATH}"`)
    return
  }
  const at = { projectId, env: 'development' } as const
  const { version, config } = await calls.admin('readConfig', {}, { at })
  const document = version > 0 ? config : { version: 1, features: { hosting: true, saves: true } }
  await writeFile(configPath(folder), `${JSON.stringify({ $schema: SCHEMA_PATH, ...document }, null, 2)}\n`)
}

async function writeManifest({ out }: Context, folder: string, packages: readonly DownloadedPackage[]) {
  const found = readManifest(folder)
  const { text, refused } = withEntries(found?.text ?? '{ "private": true }', {
    scripts: SVC_SCRIPT,
    ...dependenciesOn(packages),
  })
  await writeFile(join(folder, MANIFEST), text)
  for (const entry of refused) out.warn(`${MANIFEST} has another value, which was kept. svc needs: ${entry}`)
}

/** Entries of a .gitignore, each with a pattern of the entries that have the same effect. */
const NODE_MODULES = ['node_modules/', /^\/?node_modules\/?$/m] as const
const LOCAL_KEYS = ['.env.local', /^(?:\/?\.env(?:\*|\.\*|\*\.local|\.local)|\*\.local)$/m] as const
const KEYS = ['.env', /^\/?\.env\*?$/m] as const
const SOURCE_MAP = ['functions.map.json', /functions\.map\.json$/m] as const
/** The packages of svc are committed; many projects ignore all tarballs. */
const ALL_TARBALLS = /^(?:\/|\*\*\/)?\*\.tgz$/m
const OWN_TARBALLS = ['!.svc/*.tgz', /^!\/?\.svc\/\*\.tgz$/m] as const

/** With a bundler .env is not added: projects may commit it on purpose. */
async function writeIgnores(folder: string, { prefix }: Bundler) {
  const path = join(folder, '.gitignore')
  const text = existsSync(path) ? (await readFile(path, 'utf8')).replaceAll('\r', '') : ''
  const needed = [
    NODE_MODULES,
    LOCAL_KEYS,
    ...(prefix === undefined ? [KEYS] : []),
    SOURCE_MAP,
    ...(ALL_TARBALLS.test(text) ? [OWN_TARBALLS] : []),
  ]
  const missing = needed.filter(([, isIgnored]) => !isIgnored.test(text)).map(([entry]) => entry)
  if (missing.length === 0) return
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  await appendFile(path, `${gap}${missing.join('\n')}\n`)
}
