import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]
type Entry = {
  level: number
  time: number
  msg?: string
  method?: string
  route?: string
  status?: number
  ms?: number
  err?: { message?: string; stack?: string }
} & Record<string, unknown>

/** Levels of pino; lower ones are information. */
const WARN = 40
const ERROR = 50

/** Fields of every pino line that are not shown in a terminal. */
const OMITTED = new Set([
  'level',
  'time',
  'pid',
  'hostname',
  'msg',
  'err',
  'method',
  'route',
  'status',
  'ms',
  'requestId',
])

/** Writes the JSON lines of pino as lines for people: `12:00:03 POST /v1/auth/guest 200 4 ms`. */
export const readableLogs = (write: (text: string) => void, { hasColors }: { hasColors: boolean }) => {
  const styled = (style: Style, text: string) =>
    hasColors ? styleText(style, text, { validateStream: false }) : text

  function line(entry: Entry): string {
    const { level, time, msg = '', method, route, status = 0, ms = 0, err } = entry
    const isRequest = method !== undefined && msg === ''
    const sign = level >= ERROR ? styled('red', '✖ ') : level >= WARN ? styled('yellow', '! ') : ''
    const what = isRequest
      ? `${method} ${route ?? '(no route)'} ${styled(status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green', String(status))} ${styled('dim', `${ms} ms`)}`
      : [msg, ...fieldsOf(entry)].filter(Boolean).join('  ')
    const trace = err === undefined ? '' : `\n${indented(err.stack ?? err.message ?? '')}`
    return `${styled('dim', clockTime(time))} ${sign}${what}${trace}\n`
  }

  return {
    write(json: string) {
      try {
        write(line(JSON.parse(json) as Entry))
      } catch {
        write(json)
      }
    },
  }
}

/** The route and request of an error, and all other fields that were logged with it. */
function fieldsOf(entry: Entry): string[] {
  const context = { ...(entry.msg && { route: entry.route, requestId: entry['requestId'] }) }
  const others = Object.entries(entry).filter(([name]) => !OMITTED.has(name))
  return [...Object.entries(context), ...others]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? oneLine(value) : JSON.stringify(value)}`)
}

/** Texts of users must not move the cursor or start a new line. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ')

const indented = (text: string) =>
  text
    .split('\n')
    .map((one) => `         ${oneLine(one)}`)
    .join('\n')

/** `12:00:03`, in the time of this machine. */
const clockTime = (time: number): string => new Date(time).toTimeString().slice(0, 8)
