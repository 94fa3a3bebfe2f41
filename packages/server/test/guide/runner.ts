import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { formatWithOptions, parseEnv } from 'node:util'
import { Worker } from 'node:worker_threads'

import { checkConfig } from '@svc/contract/config/rules'

import { isAs, type Script, scriptOf, type Snippet, stepsOf, wordsOf } from '../../../../scripts/snippets.ts'
import { startTestSetup } from '../../../cli/test/cli.ts'
import { type Page, startBrowser } from '../../src/testing/browser.ts'
import { freePort } from '../server-process.ts'
import { documentOf } from './documents.ts'
import type { Evaluated, ConsoleLine } from './script-worker.ts'

export type GuideRunner = Awaited<ReturnType<typeof openGuideRunner>>

const ATTEMPTS_MAX = 200
const POLL_INTERVAL_MS = 100
const SCRIPT_TIMEOUT_MS = 30_000

/**
 * Runs the code blocks of the guide with a real service, the real `svc`, a real browser, and a developer's own server. `flags` are those of
 * the browser.
 */
export async function openGuideRunner(flags: string[] = []) {
  const bench = await startTestSetup({ SVC_TEST_CLOCK: 'on' })
  const browser = await startBrowser({ flags })
  const ownPort = String(await freePort())
  let folder = join(bench.root, 'svc')
  await mkdir(folder)

  /** Replaces the default ports of the guide by free ports of this machine. */
  const toHere = (text: string) =>
    text.replaceAll('localhost:8787', `localhost:${bench.port}`).replaceAll(/\b3000\b/g, ownPort)
  const toGuide = (text: string) =>
    text.replaceAll(`localhost:${bench.port}`, 'localhost:8787').replaceAll(ownPort, '3000')

  async function openPage(): Promise<Page> {
    const { slug } = JSON.parse(readFileSync(join(folder, '.svc/project.json'), 'utf8'))
    const page = await browser.newPage()
    // Any document of the app that runs no script is suitable.
    await page.open(`http://${slug}--dev.localhost:${bench.port}/.svc/init.json`)
    await page.read(`{
      globalThis.told = []
      globalThis.load = (name) => import(name)
      globalThis.said = (line, ...values) => told.push({ line, values })
    }`)
    return page
  }

  function openServer(): Worker {
    const path = join(folder, '.env')
    const env = existsSync(path) ? (parseEnv(readFileSync(path, 'utf8')) as NodeJS.ProcessEnv) : {}
    return new Worker(new URL('./script-worker.ts', import.meta.url), { env })
  }

  /** The page before may still run, if its test gave up. */
  let last: Promise<unknown> = Promise.resolve()
  function runPage(...page: Parameters<typeof runNow>): Promise<void> {
    const run = last.then(() => runNow(...page))
    last = run.catch(() => {})
    return run
  }

  /** Runs a page of the guide from its first block to its last. */
  async function runNow(snippets: readonly Snippet[], { attemptsMax = ATTEMPTS_MAX } = {}) {
    const folderBefore = folder
    const pages = new Map<string, Page>()
    const expected = new Map<number, string>()
    const received: ConsoleLine[] = []
    const evaluated = new EventEmitter()
    let server: Worker | undefined

    async function inPage(name: string, { text }: Script) {
      const page = pages.get(name) ?? (await openPage())
      pages.set(name, page)
      const params = { expression: text, replMode: true, awaitPromise: true, userGesture: true }
      const devTools = await page.page.context().newCDPSession(page.page)
      const { exceptionDetails } = await devTools.send('Runtime.evaluate', params)
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    }

    async function inServer({ text }: Script) {
      server ??= openServer().on('message', (message: ConsoleLine | Evaluated) => {
        if ('line' in message) received.push(message)
        else evaluated.emit('end', message)
      })
      server.postMessage(text)
      const [{ error }]: [Evaluated] = (await once(evaluated, 'end', {
        signal: AbortSignal.timeout(SCRIPT_TIMEOUT_MS),
      })) as [Evaluated]
      if (error !== undefined) throw new Error(error)
    }

    async function run(snippet: Snippet) {
      const { language, how, text } = snippet
      if (language === 'console') return runCommands(snippet)
      if (language !== 'js' || isFileName(how)) return how === '' ? undefined : write(how, toHere(text))
      const script = scriptOf({ ...snippet, text: toHere(text) })
      script.expected.forEach((output, line) => expected.set(line, output))
      const [, where, name = ''] = /^(page|server)(?:=(\w+))?$/.exec(how) ?? []
      if (where === undefined) throw new Error('the block does not say where to run')
      return where === 'page' ? inPage(name, script) : inServer(script)
    }

    /** Events may arrive later, so poll for the output. */
    async function hear() {
      for (let attempts = 0; attempts < attemptsMax; attempts++) {
        for (const page of pages.values())
          received.push(...JSON.parse(String(await page.read('JSON.stringify(told.splice(0))'))))
        if ([...expected.keys()].every((line) => received.some((one) => one.line === line))) break
        await pause(POLL_INTERVAL_MS)
      }
      for (const [line, output] of expected) {
        const said = received.filter((one) => one.line === line).map(({ values }) => toGuide(shown(values)))
        assert.ok(said.length > 0, `line ${line} was never reached: → ${output}`)
        for (const actual of said)
          assert.ok(isAs([output], actual), `line ${line} said ${actual}, not ${output}`)
      }
    }

    try {
      for (const snippet of snippets) {
        await run(snippet).catch((error: Error) => {
          error.message = `line ${snippet.line}: ${error.message}`
          throw error
        })
      }
      await hear()
    } catch (error) {
      // The next page continues in the folder of the first one.
      folder = folderBefore
      throw error
    } finally {
      await server?.terminate()
      for (const page of pages.values()) await page.close()
    }
  }

  /** `ply_…` in a command means the last printed word with that prefix. */
  async function runCommands(snippet: Snippet) {
    let printed = ''
    for (const { command, output } of stepsOf(snippet)) {
      const filled = command.replace(/(\w+_)…/g, (_, start: string) => lastWord(printed, start))
      const words = wordsOf(toHere(filled))
      if (words[0] === 'cd') folder = join(folder, words[1] ?? '')
      else {
        const shownNow = await runSvc(words, output)
        await payTestCheckout(shownNow)
        printed += shownNow
      }
    }
  }

  /** Pays like a person who opens the URL that `svc money top-up` prints. */
  async function payTestCheckout(printed: string) {
    const [url] = /http\S+\/checkout\/test\/\S+/.exec(toHere(printed)) ?? []
    if (url === undefined) return
    const answer = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ action: 'pay' }),
      redirect: 'manual',
    })
    assert.equal(answer.status, 303, url)
  }

  /** Runs `svc …`, or `npm run svc -- …` without the lines in which npm repeats the command. */
  async function runSvc(words: readonly string[], output: string[]): Promise<string> {
    const { args, variables } = commandOf(words)
    const { code, out, err } = await bench.svc(args, { folder, variables })
    const printed = toGuide(out + err).replaceAll(bench.root, '~')
    const isRefusal = output.some((line) => line.includes('✖'))
    assert.equal(code !== 0, isRefusal, `svc ${args.join(' ')} ended with ${code}:\n${printed}`)
    if (output.length > 0)
      assert.ok(isAs(output, printed), `svc ${args.join(' ')} does not print this, but:\n${printed}`)
    return printed
  }

  /** Merges an addition into an existing JSON document. Members without the braces around them are a part of a document. */
  async function write(path: string, text: string) {
    const file = join(folder, path)
    const document = path.endsWith('.json') ? documentOf(text) : text
    const content =
      path.endsWith('.json') && existsSync(file)
        ? JSON.stringify(merged(JSON.parse(readFileSync(file, 'utf8')), JSON.parse(document)), null, 2)
        : document
    if (path.endsWith('svc.config.json'))
      assert.deepEqual(checkConfig(JSON.parse(content), { environment: 'development' }), [])
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }

  return {
    runPage,
    async close() {
      await browser.close()
      await bench.stop()
    },
  }
}

function commandOf(words: readonly string[]): { args: string[]; variables: Record<string, string> } {
  if (words[0] === 'svc') return { args: words.slice(1), variables: {} }
  const start = words.indexOf('--')
  assert.deepEqual(words.slice(0, start + 1), ['npm', 'run', 'svc', '--'], 'an unknown command')
  return { args: words.slice(start + 1), variables: { npm_lifecycle_event: 'svc' } }
}

const isFileName = (how: string) => /[./]/.test(how)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const merged = (before: unknown, added: unknown): unknown =>
  isObject(before) && isObject(added)
    ? Object.fromEntries(
        Object.entries({ ...before, ...added }).map(([key, value]) => [
          key,
          key in before && key in added ? merged(before[key], added[key]) : value,
        ]),
      )
    : added

/** Formats values like `console.log`, on one line. */
const shown = (values: unknown[]) =>
  formatWithOptions({ breakLength: Infinity, compact: true, depth: 9 }, ...values)

function lastWord(text: string, start: string): string {
  const word = text.match(new RegExp(`\\b${start}\\w+`, 'g'))?.at(-1)
  return word ?? assert.fail(`nothing was printed that begins with ${start}`)
}
