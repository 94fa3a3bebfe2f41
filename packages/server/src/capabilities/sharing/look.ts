import { localized } from '@svc/contract/config/defaults'
import type { Text } from '@svc/contract/config/fields'

import type { LiveFile, Share } from './ports.ts'

/**
 * Everything that a picture depends on except score and name. A link stores the look of its creation, so that its picture never
 * changes (SHR-07).
 */
export type Look = {
  templateVersion: 1
  title: string | null
  theme: { background: string; accent: string; text: string }
  /** SHA-256 of the files in the deployment. */
  background: string | null
  font: string | null
  /** The language of the text and of the number format. */
  language: string
}

export const DEFAULT_LANGUAGE = 'en'

/** The look of the current config, with the files of the live version. A path that is not deployed is left out. */
export function lookOf(
  { title, theme, background, font }: Share['images'],
  files: ReadonlyMap<string, LiveFile> | undefined,
  languages: readonly string[],
): Look {
  const hashOf = (path: string | undefined) =>
    path === undefined ? null : (files?.get(path)?.sha256 ?? null)
  return {
    templateVersion: 1,
    title: textFor(title, languages),
    theme: { background: theme.background, accent: theme.accent, text: theme.text },
    background: hashOf(background),
    font: hashOf(font),
    language: languages[0] ?? DEFAULT_LANGUAGE,
  }
}

/** The text in the first of these languages that it has; otherwise in English, otherwise in its first language. */
export function textFor(text: Text | undefined, languages: readonly string[]): string | null {
  if (text === undefined) return null
  if (typeof text === 'string') return text
  const has = (language: string) =>
    [language, language.split('-', 1)[0] ?? ''].some((code) => Object.hasOwn(text, code))
  return localized(text, languages.find(has) ?? DEFAULT_LANGUAGE)
}
