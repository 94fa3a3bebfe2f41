import { de } from './messages/de.ts'
import { en, type Messages } from './messages/en.ts'
import { es } from './messages/es.ts'
import { ja } from './messages/ja.ts'
import { pt } from './messages/pt.ts'
import { zh } from './messages/zh.ts'

export type { Messages }

const MESSAGES = new Map(Object.entries({ en, ja, de, es, pt, zh }))

/** Messages for a language tag such as `de-AT`; English for unknown languages. */
export const messagesFor = (language: string): Messages =>
  MESSAGES.get(language.split('-', 1)[0]?.toLowerCase() ?? '') ?? en
