import {
  type Binding,
  BINDING_ALIASES,
  BINDING_TYPES,
  type FunctionModule,
  MODULE_TYPES,
  type WantedBinding,
} from '@svc/contract/functions'
import { LIMITS } from '@svc/contract/limits'
import { type Problem, problem, PROBLEMS_MAX } from '@svc/contract/problems'

import { ApiError } from '../../platform/api-error.ts'
import type { FunctionBinding } from '../../platform/functions-engine.ts'
import { cronProblem } from './cron-text.ts'

/** A deployment as it was sent; the edge has checked its types. */
export type WantedDeployment = {
  mainModule?: string
  modules?: FunctionModule[]
  bindings?: WantedBinding[]
  vars?: Record<string, string>
  crons?: string[]
  compatibilityDate?: string
}

export type ModuleType = (typeof MODULE_TYPES)[number]
/** Everything of a version but the contents of its modules. */
export type Manifest = {
  mainModule: string
  modules: { name: string; type: ModuleType; size: number }[]
  bindings: FunctionBinding[]
  vars: Record<string, string>
  crons: string[]
  compatibilityDate: string
}
export type Deployable = { manifest: Manifest; contents: Buffer[]; warnings: string[] }

type Surroundings = {
  /** `YYYY-MM-DD` of the service's clock. */
  today: string
  /** The newest date that the engine knows. */
  engineDate: string
  secrets: readonly string[]
}

const MODULE_NAME = /^(?!\/)(?!svc-)(?!.*\.\.)[A-Za-z0-9_./@+-]{1,256}$/
const BINDING_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
const RESOURCE_ID = /^[a-z0-9_-]{1,48}$/
const CLASS_NAME = /^[A-Za-z_$][\w$]{0,127}$/
const DATE = /^\d{4}-\d\d-\d\d$/
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
/** `env.SVC` is the service itself. */
const TAKEN = 'SVC'

const CONSUMER = {
  maxBatchSize: 10,
  maxBatchTimeoutSeconds: 1,
  maxRetries: 3,
  retryDelaySeconds: 1,
  deadLetterQueue: null,
}

/** Checks a deployment. Throws `invalid_deployment` with every problem. */
export async function readDeployment(wanted: WantedDeployment, around: Surroundings): Promise<Deployable> {
  const problems: Problem[] = []
  const report = (path: string, message: string) => void problems.push(problem(path, message))

  const { modules, contents } = readModules(wanted.modules ?? [], report)
  const mainModule = wanted.mainModule ?? ''
  const main = modules.find(({ name }) => name === mainModule)
  if (!main) report('$.mainModule', 'must be the name of one of the modules')
  else if (main.type !== 'esm') report('$.mainModule', 'must be a module of type esm')

  const names = new Set([TAKEN, ...around.secrets])
  const bindings = readBindings(wanted.bindings ?? [], names, report)
  const vars = readVars(wanted.vars ?? {}, names, report)

  const crons = wanted.crons ?? []
  for (const [index, cron] of crons.entries()) {
    const wrong = crons.indexOf(cron) < index ? 'occurs twice' : await cronProblem(cron)
    if (wrong !== undefined) report(`$.crons[${index}]`, wrong)
  }
  const { compatibilityDate, warnings } = readDate(wanted.compatibilityDate, around, report)

  if (problems.length > 0) throw invalidDeployment(problems)
  return {
    manifest: { mainModule, modules, bindings, vars, crons, compatibilityDate },
    contents,
    warnings,
  }
}

export const invalidDeployment = (problems: readonly Problem[]) =>
  new ApiError('invalid_deployment', { errors: problems.slice(0, PROBLEMS_MAX) })

type Report = (path: string, message: string) => void

function readModules(wanted: readonly FunctionModule[], report: Report) {
  const modules: Manifest['modules'] = []
  const contents: Buffer[] = []
  const seen = new Set<string>()
  let bytes = 0
  for (const [index, { name, type, content }] of wanted.entries()) {
    const path = `$.modules[${index}]`
    if (!MODULE_NAME.test(name))
      report(
        `${path}.name`,
        'must be 1 to 256 of A-Z a-z 0-9 _ . / @ + -, relative, without .. and not begin with svc-',
      )
    else if (seen.has(name)) report(`${path}.name`, 'occurs twice')
    seen.add(name)
    if (!isModuleType(type)) report(`${path}.type`, `must be one of ${MODULE_TYPES.join(', ')}`)
    const isBase64 = content.length % 4 === 0 && BASE64.test(content)
    if (!isBase64) report(`${path}.content`, 'must be base64')
    const decoded = isBase64 ? Buffer.from(content, 'base64') : Buffer.alloc(0)
    bytes += decoded.length
    contents.push(decoded)
    modules.push({ name, type: isModuleType(type) ? type : 'esm', size: decoded.length })
  }
  if (wanted.length === 0) report('$.modules', 'must have at least one module')
  if (bytes > LIMITS.functionsModuleBytesMax)
    report('$.modules', `must have at most ${LIMITS.functionsModuleBytesMax} bytes together`)
  return { modules, contents }
}

const isModuleType = (text: string): text is ModuleType => (MODULE_TYPES as readonly string[]).includes(text)

function readBindings(wanted: readonly WantedBinding[], names: Set<string>, report: Report) {
  const bindings: FunctionBinding[] = []
  const consumers = new Set<string>()
  for (const [index, binding] of wanted.entries()) {
    const path = `$.bindings[${index}]`
    readName(binding.name, `${path}.name`, names, report)
    const type = bindingType(binding.type)
    if (!type) {
      const known = [...BINDING_TYPES, ...Object.keys(BINDING_ALIASES)]
      report(`${path}.type`, `must be one of ${known.join(', ')}`)
      continue
    }
    const read = readBinding(type, binding, path, report)
    bindings.push(read)
    if (read.type !== 'queue' || !read.consumer) continue
    if (consumers.has(read.queue)) report(`${path}.consumer`, 'is the second consumer of this queue')
    consumers.add(read.queue)
  }
  return bindings
}

function bindingType(text: string): Binding['type'] | undefined {
  const alias = Object.hasOwn(BINDING_ALIASES, text)
    ? BINDING_ALIASES[text as keyof typeof BINDING_ALIASES]
    : text
  return BINDING_TYPES.find((type) => type === alias)
}

function readBinding(
  type: Binding['type'],
  wanted: WantedBinding,
  path: string,
  report: Report,
): FunctionBinding {
  const { name } = wanted
  const resourceId = (id: string, field: string) => {
    if (!RESOURCE_ID.test(id)) report(`${path}.${field}`, 'must be 1 to 48 of a-z 0-9 _ -')
    return id
  }
  if (type === 'durable_object') {
    const className = wanted.className ?? wanted.class_name ?? ''
    if (!CLASS_NAME.test(className)) report(`${path}.className`, 'must be the name of an exported class')
    return { type, name, className }
  }
  if (type !== 'queue') return { type, name, id: resourceId(wanted.id ?? name.toLowerCase(), 'id') }

  const queue = resourceId(wanted.queue ?? wanted.queue_name ?? name.toLowerCase(), 'queue')
  if (!wanted.consumer) return { type, name, queue, consumer: null }
  const { deadLetterQueue } = wanted.consumer
  if (deadLetterQueue !== undefined) resourceId(deadLetterQueue, 'consumer.deadLetterQueue')
  return { type, name, queue, consumer: { ...CONSUMER, ...wanted.consumer } }
}

function readVars(vars: Record<string, string>, names: Set<string>, report: Report) {
  const entries = Object.entries(vars)
  if (entries.length > LIMITS.functionsVarsMax)
    report('$.vars', `must have at most ${LIMITS.functionsVarsMax} entries`)
  for (const [name, value] of entries) {
    const path = `$.vars.${name.slice(0, 64)}`
    readName(name, path, names, report)
    if (Buffer.byteLength(value) > LIMITS.functionsTextBytesMax)
      report(path, `must have at most ${LIMITS.functionsTextBytesMax} bytes`)
  }
  return vars
}

function readName(name: string, path: string, names: Set<string>, report: Report) {
  if (!BINDING_NAME.test(name)) report(path, 'must be 1 to 64 of A-Z a-z 0-9 _ and not begin with a digit')
  else if (names.has(name)) report(path, 'is the name of another binding, var or secret, or of the service')
  names.add(name)
}

function readDate(wanted: string | undefined, { today, engineDate }: Surroundings, report: Report) {
  const warnings: string[] = []
  if (wanted === undefined) return { compatibilityDate: engineDate, warnings }
  const time = DATE.test(wanted) ? Date.parse(`${wanted}T00:00:00Z`) : Number.NaN
  const isDate = !Number.isNaN(time) && new Date(time).toISOString().startsWith(wanted)
  if (!isDate) report('$.compatibilityDate', 'must be a date like 2026-11-04')
  else if (wanted > today && wanted > engineDate) report('$.compatibilityDate', 'must not be in the future')
  if (!isDate || wanted <= engineDate) return { compatibilityDate: wanted, warnings }
  warnings.push(
    `compatibilityDate ${wanted} is newer than the engine of this service; the code runs with ${engineDate}.`,
  )
  return { compatibilityDate: engineDate, warnings }
}

/** Where the data of a binding is: objects belong to their class. */
export const resourceOf = (binding: FunctionBinding): { type: FunctionBinding['type']; id: string } => {
  if (binding.type === 'queue') return { type: 'queue', id: binding.queue }
  if (binding.type === 'durable_object') return { type: 'durable_object', id: binding.className }
  return { type: binding.type, id: binding.id }
}

/** A binding as the API shows it. */
export const bindingView = (binding: FunctionBinding): Binding => {
  if (binding.type !== 'queue') return binding
  const { type, name, queue, consumer } = binding
  if (!consumer) return { type, name, queue }
  const { deadLetterQueue, ...rest } = consumer
  return { type, name, queue, consumer: { ...rest, ...(deadLetterQueue !== null && { deadLetterQueue }) } }
}
