import { type TProperties, Type } from 'typebox'

import { LIMITS } from '../common/limits.ts'
import { PUBLISHED } from '../common/openapi-schemas.ts'

/** The kinds of field that the config document is made of. */

/** Every section is optional, and a key that is not listed is a typo (CFG-03, CFG-04). */
export const Section = <T extends TProperties>(
  properties: T,
  options: { description?: string; title?: string } = {},
) => Type.Object(properties, { ...options, additionalProperties: false })

/** An optional boolean, off by default. */
export const Switch = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))

/** A section with the switch `enabled`. */
export const Tool = (description: string) => Type.Optional(Section({ enabled: Switch(description) }))

/** An optional whole number with bounds and a default. */
export const WholeNumber = (minimum: number, maximum: number, byDefault: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, default: byDefault, description }))

/** An optional choice of texts with a default. */
export const Choice = <const T extends string[]>(values: T, byDefault: T[number], description: string) =>
  Type.Optional(Type.Enum(values, { default: byDefault, description }))

/** A name in lowercase snake_case. */
export const Key = (description: string) =>
  Type.String({
    pattern: '^[a-z][a-z0-9_]{0,47}$',
    patternErrorMessage: 'must be lowercase snake_case: a letter, then up to 47 letters, digits and _',
    description: `${description}; lowercase snake_case, unique in its section`,
  })

/** Codes like `en`, `ja`, `pt-BR`, `zh-Hant`: language, script, region. */
const LANGUAGE_CODE = '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'
const LANGUAGES_MAX = 100

/** One text for all, or one per language (CFG-07). */
const textOf = (maxLength: number, description: string) => {
  const One = Type.String({ minLength: 1, maxLength })
  const PerLanguage = Type.Record(Type.String({ pattern: LANGUAGE_CODE }), One, {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: LANGUAGES_MAX,
    title: 'language code',
  })
  return Type.Union([One, PerLanguage], {
    description: `${description}; a string of up to ${maxLength} characters, or one per language: { "en": …, "pt-BR": … }`,
  })
}

/** A text for players, one for all languages or one per language. */
export const Text = (description: string, maxLength: number = LIMITS.configTextLengthMax) =>
  Type.Optional(textOf(maxLength, description))

/** The value of such a field: one text for all languages, or language code → text. */
export type Text = string | Record<string, string>

/** No field of version 1 of the document takes a long text yet. */
export const LongText = textOf(LIMITS.configLongTextLengthMax, 'Long text')

/** A URL; the config rules check its form. */
export const Url = (description: string) => Type.String({ minLength: 1, maxLength: 2048, description })

/** Relative, without `.` or `..` as a part, so that it names one file of the deployment (CFG-16). */
export const DEPLOYMENT_PATH =
  '^(?!\\.{1,2}(/|$))[^/\\\\\\u0000-\\u001f]+(/(?!\\.{1,2}(/|$))[^/\\\\\\u0000-\\u001f]+)*$'
/** The longest path of a deployed file that the config may name. */
export const DEPLOYMENT_PATH_LENGTH_MAX = 512

/** An optional relative path of a deployed file. */
export const DeploymentPath = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: DEPLOYMENT_PATH_LENGTH_MAX,
      pattern: DEPLOYMENT_PATH,
      ...PUBLISHED({ pattern: '^[^/\\\\\\x00-\\x1f]+(/[^/\\\\\\x00-\\x1f]+)*$' }),
      patternErrorMessage: 'must be a path in the deployment like art/cover.png: relative, without ..',
      description,
    }),
  )

/** An optional account name on X. */
export const Handle = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^@?[A-Za-z0-9_]{1,15}$',
      patternErrorMessage: 'must be a handle like @stargame: up to 15 letters, digits and _',
      description,
    }),
  )

/** A hashtag, with or without the leading #. */
export const Hashtag = Type.String({
  pattern: '^#?[\\p{L}\\p{M}\\p{N}_]{1,50}$',
  ...PUBLISHED({ pattern: '^#?[^#\\s]{1,50}$' }),
  patternErrorMessage: 'must be one hashtag of letters, digits and _, up to 50 characters',
})

/** An optional color as #rrggbb, with a default. */
export const Color = (byDefault: string, description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^#[0-9A-Fa-f]{6}$',
      patternErrorMessage: 'must be a color like #ffcc33',
      default: byDefault,
      description,
    }),
  )
