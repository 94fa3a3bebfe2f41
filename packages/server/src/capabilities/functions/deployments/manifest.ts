import type { RequestOf } from '@svc/contract/common/endpoint'
import { LIMITS } from '@svc/contract/common/limits'
import { type Problem, problem, PROBLEMS_MAX } from '@svc/contract/common/problems'
import { type FunctionModule, MODULE_TYPES } from '@svc/contract/function-parts'
import type { deployFunctions } from '@svc/contract/functions'

import { ApiError } from '../../../platform/api-error.ts'
import type { FunctionBinding, RoomClass } from '../../../platform/ports/functions-engine.ts'
import { type AssetsManifest, type ContentTypeOf, readAssets } from './assets.ts'
import { decodeBase64, type Report } from './base64.ts'
import { readBindings, readName } from './bindings.ts'
import { cronProblem } from './cron-text.ts'

/** A deployment as it was sent; the edge has checked its types. */
export type DeploymentInput = RequestOf<typeof deployFunctions>['body']

type ModuleType = (typeof MODULE_TYPES)[number]
/** Everything of a version but the contents of its modules and files. */
export type Manifest = {
  mainModule: string
  modules: { name: string; type: ModuleType; size: number }[]
  bindings: FunctionBinding[]
  vars: Record<string, unknown>
  /** Versions that were deployed before there were assets have no such field. */
  assets?: AssetsManifest
  /** The size of the source map, which is last in the bytes; absent without one. */
  sourceMapBytes?: number
  /** The exported classes that extend Room, as the trial has found them; absent in versions from before there were rooms with code. */
  rooms?: RoomClass[]
  /** How long rooms of the version before keep it, as the deployment said; absent: as their mode says. */
  finishMinutes?: number
  crons: string[]
  compatibilityDate: string
}
/** `bytes` are stored: the modules, then the assets, then the source map. */
export type Deployable = { manifest: Manifest; bytes: Buffer; warnings: string[] }

type Surroundings = {
  /** `YYYY-MM-DD` of the service's clock. */
  today: string
  /** The newest date that the engine knows. */
  engineDate: string
  secrets: readonly string[]
  contentTypeOf: ContentTypeOf
}

const MODULE_NAME = /^(?!\/)(?!svc-)(?!.*\.\.)[A-Za-z0-9_./@+-]{1,256}$/
const DATE = /^\d{4}-\d\d-\d\d$/
/** `env.SVC` is the service itself. */
const TAKEN = 'SVC'

/** Checks a deployment. Throws `invalid_deployment` with every problem. */
export async function readDeployment(input: DeploymentInput, around: Surroundings): Promise<Deployable> {
  const problems: Problem[] = []
  const report = (path: string, message: string) => void problems.push(problem(path, message))

  const { modules, contents } = readModules(input.modules ?? [], report)
  const assets = input.assets && readAssets(input.assets, around.contentTypeOf, report)
  const mainModule = input.mainModule ?? ''
  const main = modules.find(({ name }) => name === mainModule)
  if (!main) report('$.mainModule', 'must be the name of one of the modules')
  else if (main.type !== 'esm') report('$.mainModule', 'must be a module of type esm')

  const bytes = Buffer.concat([...contents, ...(assets?.contents ?? [])])
  if (bytes.length - (assets?.manifest.listBytes ?? 0) > LIMITS.functionsModuleBytesMax)
    report(
      assets ? '$.assets' : '$.modules',
      `must have at most ${LIMITS.functionsModuleBytesMax} bytes together${assets ? ' with the modules' : ''}`,
    )

  const sourceMap = Buffer.from(input.sourceMap ?? '')
  if (sourceMap.length > LIMITS.functionsSourceMapBytesMax)
    report('$.sourceMap', `must have at most ${LIMITS.functionsSourceMapBytesMax} bytes`)

  const names = new Set([TAKEN, ...around.secrets])
  const bindings = readBindings(input.bindings ?? [], names, report)
  const unbound = assets ? -1 : bindings.findIndex(({ type }) => type === 'assets')
  if (unbound >= 0) report(`$.bindings[${unbound}].type`, 'needs assets in the deployment')
  const vars = readVars(input.vars ?? {}, names, report)

  const crons = input.crons ?? []
  for (const [index, cron] of crons.entries()) {
    const wrong = crons.indexOf(cron) < index ? 'occurs twice' : await cronProblem(cron)
    if (wrong !== undefined) report(`$.crons[${index}]`, wrong)
  }
  const { compatibilityDate, warnings } = readDate(input.compatibilityDate, around, report)

  if (problems.length > 0) throw invalidDeployment(problems)
  return {
    manifest: {
      mainModule,
      modules,
      bindings,
      vars,
      ...(assets && { assets: assets.manifest }),
      ...(sourceMap.length > 0 && { sourceMapBytes: sourceMap.length }),
      crons,
      compatibilityDate,
    },
    bytes: Buffer.concat([bytes, sourceMap]),
    warnings: [...warnings, ...(assets?.warnings ?? [])],
  }
}

export const invalidDeployment = (problems: readonly Problem[]) =>
  new ApiError('invalid_deployment', { errors: problems.slice(0, PROBLEMS_MAX) })

function readModules(input: readonly FunctionModule[], report: Report) {
  const modules: Manifest['modules'] = []
  const contents: Buffer[] = []
  const seen = new Set<string>()
  for (const [index, { name, type, content }] of input.entries()) {
    const path = `$.modules[${index}]`
    if (!MODULE_NAME.test(name))
      report(
        `${path}.name`,
        'must be 1 to 256 of A-Z a-z 0-9 _ . / @ + -, relative, without .. and not begin with svc-',
      )
    else if (seen.has(name)) report(`${path}.name`, 'occurs twice')
    seen.add(name)
    if (!isModuleType(type)) report(`${path}.type`, `must be one of ${MODULE_TYPES.join(', ')}`)
    const decoded = decodeBase64(content, `${path}.content`, report)
    contents.push(decoded)
    modules.push({ name, type: isModuleType(type) ? type : 'esm', size: decoded.length })
  }
  if (input.length === 0) report('$.modules', 'must have at least one module')
  return { modules, contents }
}

const isModuleType = (text: string): text is ModuleType => (MODULE_TYPES as readonly string[]).includes(text)

function readVars(vars: Record<string, unknown>, names: Set<string>, report: Report) {
  const entries = Object.entries(vars)
  if (entries.length > LIMITS.functionsVarsMax)
    report('$.vars', `must have at most ${LIMITS.functionsVarsMax} entries`)
  for (const [name, value] of entries) {
    const path = `$.vars.${name.slice(0, 64)}`
    readName(name, path, names, report)
    if (
      Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) >
      LIMITS.functionsTextBytesMax
    )
      report(path, `must have at most ${LIMITS.functionsTextBytesMax} bytes`)
  }
  return vars
}

function readDate(input: string | undefined, { today, engineDate }: Surroundings, report: Report) {
  const warnings: string[] = []
  if (input === undefined) return { compatibilityDate: engineDate, warnings }
  const time = DATE.test(input) ? Date.parse(`${input}T00:00:00Z`) : Number.NaN
  const isDate = !Number.isNaN(time) && new Date(time).toISOString().startsWith(input)
  if (!isDate) report('$.compatibilityDate', 'must be a date like 2026-11-04')
  else if (input > today && input > engineDate) report('$.compatibilityDate', 'must not be in the future')
  if (!isDate || input <= engineDate) return { compatibilityDate: input, warnings }
  warnings.push(
    `compatibilityDate ${input} is newer than the engine of this service; the code runs with ${engineDate}.`,
  )
  return { compatibilityDate: engineDate, warnings }
}
