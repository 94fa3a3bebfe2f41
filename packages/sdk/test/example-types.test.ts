import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { callablesIn } from '../../../scripts/sdk-reference-declarations.ts'
import { ENTRIES } from '../../../scripts/sdk-reference-entries.ts'
import { snippetsOf } from '../../../scripts/snippets.ts'
import { upToDateTypes } from '../build.ts'
import { NAMES } from './example-setups.ts'
import { createInstalledProject, IN_A_PAGE } from './installed-project.ts'

const README = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')

/** By path, each once: several entries export `SvcError`. */
const examples = new Map(
  [...(await upToDateTypes()).entries()]
    .filter(([path]) => ENTRIES.some(({ types }) => types === path))
    .flatMap(([, types]) => callablesIn(types))
    .flatMap(({ path, example }): [string, string][] => (example === undefined ? [] : [[path, example]])),
)
const blocks = snippetsOf(README)
  .filter(({ language }) => language === 'js')
  .map(({ line, text }): [string, string] => [`README-${line}`, text])

test('[DOC-05] [RWC-66] the examples of the reference and of the overview have no type errors, also those with the class of a room', async () => {
  assert.ok(examples.size > 100 && blocks.length > 10)
  const project = await createInstalledProject()
  const sources = [...examples, ...blocks].map(([name, text]) => [
    `${name}.ts`,
    `${inPackage(text)}\nexport {}\n`,
  ])
  const options = { ...IN_A_PAGE, module: 'ESNext', moduleResolution: 'bundler' }
  const errors = await project.typeErrors({ 'names.ts': NAMES, ...Object.fromEntries(sources) }, options)
  await project.remove()
  assert.deepEqual(errors, [])
})

/** A project that has installed the package imports it by its name. */
const inPackage = (text: string): string =>
  text.replaceAll("'/.svc/sdk.js'", "'@svc/sdk'").replaceAll("'/.svc/sdk-ui.js'", "'@svc/sdk/ui'")
