/** A file beside the config, whose bytes become the value. */
export class Embed {
  readonly path: string
  constructor(path: string) {
    this.path = path
  }
}

/** A name of an enumeration of the schema. */
export class Enumerant {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export type CapnpValue =
  | string
  | number
  | boolean
  | Embed
  | Enumerant
  | readonly CapnpValue[]
  | { readonly [field: string]: CapnpValue | undefined }

/** The text of a config that `workerd serve` reads. */
export const configText = (config: CapnpValue): string =>
  `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${textOf(config)};\n`

function textOf(value: CapnpValue): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Embed) return `embed ${quoted(value.path)}`
  if (value instanceof Enumerant) return value.name
  if (isList(value)) return `[${value.map(textOf).join(', ')}]`
  const fields = Object.entries(value).flatMap(([field, part]) =>
    part === undefined ? [] : [`${field} = ${textOf(part)}`],
  )
  return `(${fields.join(', ')})`
}

const isList = (value: CapnpValue): value is readonly CapnpValue[] => Array.isArray(value)

const quoted = (text: string): string => `"${text.replace(UNSAFE, escaped)}"`

// oxlint-disable-next-line no-control-regex -- these are what must not stand in a quoted text
const UNSAFE = /[\\"\u0000-\u001f\u007f]/g
const escaped = (character: string): string =>
  character === '\\' || character === '"'
    ? `\\${character}`
    : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
