import {
  type Binding,
  BINDING_ALIASES,
  BINDING_TYPES,
  type WantedBinding,
} from '@svc/contract/function-parts'

import type { FunctionBinding, StoredResource } from '../../../platform/ports/functions-engine.ts'
import type { Report } from './base64.ts'

const BINDING_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
const RESOURCE_ID = /^[a-z0-9_-]{1,48}$/
const CLASS_NAME = /^[A-Za-z_$][\w$]{0,127}$/

const CONSUMER = {
  maxBatchSize: 10,
  maxBatchTimeoutSeconds: 1,
  maxRetries: 3,
  retryDelaySeconds: 1,
  deadLetterQueue: null,
}

/** Checks bindings and sets their defaults. `names` are taken. */
export function readBindings(input: readonly WantedBinding[], names: Set<string>, report: Report) {
  const bindings: FunctionBinding[] = []
  const consumers = new Set<string>()
  for (const [index, binding] of input.entries()) {
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
  input: WantedBinding,
  path: string,
  report: Report,
): FunctionBinding {
  const { name } = input
  const resourceId = (id: string, field: string) => {
    if (!RESOURCE_ID.test(id)) report(`${path}.${field}`, 'must be 1 to 48 of a-z 0-9 _ -')
    return id
  }
  if (type === 'durable_object') {
    const className = input.className ?? input.class_name ?? ''
    if (!CLASS_NAME.test(className)) report(`${path}.className`, 'must be the name of an exported class')
    return { type, name, className }
  }
  if (type === 'assets') return { type, name }
  if (type === 'service') {
    const { entrypoint } = input
    if (entrypoint !== undefined && !CLASS_NAME.test(entrypoint))
      report(`${path}.entrypoint`, 'must be the name of an exported class')
    return { type, name, ...(entrypoint !== undefined && { entrypoint }) }
  }
  if (type !== 'queue') return { type, name, id: resourceId(input.id ?? name.toLowerCase(), 'id') }

  const queue = resourceId(input.queue ?? input.queue_name ?? name.toLowerCase(), 'queue')
  if (!input.consumer) return { type, name, queue, consumer: null }
  const { deadLetterQueue } = input.consumer
  if (deadLetterQueue !== undefined) resourceId(deadLetterQueue, 'consumer.deadLetterQueue')
  return { type, name, queue, consumer: { ...CONSUMER, ...input.consumer } }
}

/** Checks a name in `env` and takes it. */
export function readName(name: string, path: string, names: Set<string>, report: Report) {
  if (!BINDING_NAME.test(name)) report(path, 'must be 1 to 64 of A-Z a-z 0-9 _ and not begin with a digit')
  else if (names.has(name)) report(path, 'is the name of another binding, var or secret, or of the service')
  names.add(name)
}

/** Where the data of the bindings is: objects belong to their class. Some bindings have no data. */
export const resourcesOf = (bindings: readonly FunctionBinding[]): StoredResource[] =>
  bindings.flatMap((binding) => {
    if (binding.type === 'assets' || binding.type === 'service') return []
    if (binding.type === 'queue') return { type: 'queue', id: binding.queue }
    if (binding.type === 'durable_object') return { type: 'durable_object', id: binding.className }
    return { type: binding.type, id: binding.id }
  })

/** A binding as the API shows it. */
export const bindingView = (binding: FunctionBinding): Binding => {
  if (binding.type !== 'queue') return binding
  const { type, name, queue, consumer } = binding
  if (!consumer) return { type, name, queue }
  const { deadLetterQueue, ...rest } = consumer
  return { type, name, queue, consumer: { ...rest, ...(deadLetterQueue !== null && { deadLetterQueue }) } }
}
