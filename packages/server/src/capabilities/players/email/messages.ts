import { acceptedLanguages } from '../../../platform/text/languages.ts'
import { de } from './messages/de.ts'
import { en, type Messages } from './messages/en.ts'
import { es } from './messages/es.ts'
import { ja } from './messages/ja.ts'
import { pt } from './messages/pt.ts'
import { zh } from './messages/zh.ts'

export type { Messages }

const MESSAGES: ReadonlyMap<string, Messages> = new Map(Object.entries({ en, ja, de, es, pt, zh }))

/** Messages for a language tag such as `de-AT`; English for unknown languages (CFG-07). */
export const messagesFor = (language: string): Messages => MESSAGES.get(baseOf(language)) ?? en

/** The language that the browser prefers among the available ones. */
export function languageOf(acceptLanguage: string): string {
  return acceptedLanguages(acceptLanguage).find((language) => MESSAGES.has(baseOf(language))) ?? 'en'
}

const baseOf = (language: string) => language.split('-', 1)[0]?.toLowerCase() ?? ''
