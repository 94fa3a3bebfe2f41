/**
 * The code blocks of the guide, of README files and of docs/sdk.md, as tests check them. The words after the language of a block say how:
 *
 *     ```js page            runs in a page of the app; `page=bo` is a page of another player
 *     ```js server          runs in Node, like a developer's own server
 *     ```js some/file.js    is written to that file of the project, and parsed
 *     ```ts                 is type-checked with the SDK; the blocks of one page without a file name are one module
 *     ```tsx some/file.tsx  is written to that file, and type-checked beside the other files of the page
 *     ```console            lines with $ are commands, the lines after them are their output
 *     ```sh                 is parsed, and its svc commands are compared with those that exist
 *     ```json some/file     is written to that file of the project, or merged into it
 *
 * Blocks of one page of the guide share their variables, like cells of a notebook.
 */
export type Snippet = { line: number; language: string; how: string; text: string }

const FENCE = /^```(\w+)(?: ([^\n]*))?\n([\s\S]*?)^```$/gm

export const snippetsOf = (markdown: string): Snippet[] =>
  [...markdown.matchAll(FENCE)].map(({ index, 1: language = '', 2: how = '', 3: text = '' }) => ({
    line: lineAt(markdown, index) + 1,
    language,
    how,
    text,
  }))

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length

export type Script = { text: string; expected: Map<number, string> }

/**
 * Output is reported by line number: `console.log(x) // → 1` calls `said(line, x)`. A line with nothing but `// → 1` is the output of the
 * last `console.log` above it. Modules are imported with `load`.
 */
export function scriptOf({ text, line: firstLine }: Snippet): Script {
  const expected = new Map<number, string>()
  const lines: string[] = []
  const expect = (index: number, output: string) => {
    const line = firstLine + index
    const code = lines[index]
    if (!code?.includes('console.log(')) throw new Error(`line ${line}: → needs a console.log`)
    expected.set(line, output)
    lines[index] = code.replace('console.log(', `said(${line}, `)
  }
  for (const line of text.split('\n')) {
    const [, code, output] = /^(.*?)\s*\/\/ → (.*)$/.exec(line) ?? []
    lines.push(loading(code ?? line))
    if (output === undefined) continue
    const isAlone = code?.trim() === ''
    const logged = isAlone ? lines.findLastIndex((one) => one.includes('console.log(')) : -1
    expect(logged === -1 ? lines.length - 1 : logged, output)
  }
  return { text: lines.join('\n'), expected }
}

/** A script that is evaluated in parts cannot use `import` statements. */
const loading = (line: string) => line.replace(/^import (\{.*\}) from ('.*')$/, 'const $1 = await load($2)')

export type Step = { command: string; output: string[] }

export function stepsOf({ text }: Snippet): Step[] {
  const steps: Step[] = []
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2).replace(/\s+#.*/, ''), output: [] })
    else steps.at(-1)?.output.push(line)
  }
  return steps
}

/** The words of a command; quoted text is one word. */
export const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

/** Runs of blanks count as one. `…` matches anything within a line, and on its own line any number of lines. */
export function isAs(expected: readonly string[], actual: string): boolean {
  const pattern = expected.map((line) =>
    line.trim() === '…' ? '(?:.*\\n)*' : `${purgeExpired(line).split('…').map(RegExp.escape).join('.*')}\\n`,
  )
  const lines = actual
    .split('\n')
    .map(purgeExpired)
    .filter((line) => line !== '')
  return new RegExp(`^${pattern.join('')}$`).test(lines.map((line) => `${line}\n`).join(''))
}

const purgeExpired = (line: string) => line.trim().replace(/\s+/g, ' ')
