import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { ERRORS } from '@svc/contract/common/errors'

import { upToDateTypes } from '../packages/sdk/build.ts'
import { SDK_CODES } from './sdk-reference-codes.ts'
import {
  callablesIn,
  declaredIn,
  membersOf,
  readDoc,
  undocumentedIn,
  withoutExampleIn,
} from './sdk-reference-declarations.ts'
import { callOf } from './sdk-reference-signatures.ts'
import { ENTRIES, referencePage } from './sdk-reference.ts'

const built = await upToDateTypes()
const typesOf = (path: string) => built.get(path) ?? assert.fail(`${path} is not built`)
const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')
const headingsOf = (page: string) => [...page.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = '']) => heading)

for (const { module, types, file, parts, isClass } of ENTRIES) {
  const page = read(file)

  test(`[DOC-05] every exported name of ${module} is in the reference`, () => {
    const text = typesOf(types)
    const single = [...text.matchAll(/^export (?:declare )?(?:type|class|function|const) (\w+)/gm)]
    const listed = [...text.matchAll(/^export type \{ (.+) \};$/gm)].flatMap(([, names = '']) =>
      names.split(', '),
    )
    const names = [...single.map(([, name = '']) => name), ...listed]
    assert.ok(names.length > 0)
    const headings = headingsOf(page)
    for (const name of names)
      assert.ok(headings.includes(name) || page.includes(`\`${name}\` is the type of [`), name)
  })

  test(`[DOC-05] every function of ${module} has a heading of its own, in the order of the parts`, () => {
    const headings = headingsOf(page)
    assert.equal(new Set(headings).size, headings.length, 'no heading twice')
    assert.deepEqual(
      headings.filter((heading) => parts.some(({ title }) => title === heading)),
      parts.map(({ title }) => title),
    )
    for (const { path } of callablesIn(typesOf(types))) {
      const at = path.lastIndexOf('.')
      const [owner, name] = [path.slice(0, Math.max(at, 0)), path.slice(at + 1)]
      const part = parts.find(({ of }) => of.includes(owner))
      if (part === undefined || name === 'constructor') continue
      assert.ok(headings.includes(`${part.as ?? part.title}.${name}`), path)
    }
  })

  test(`[DOC-05] every exported name and every function of ${module} has a doc comment`, () => {
    assert.deepEqual(undocumentedIn(typesOf(types)), [])
  })

  test(`[DOC-05] every function of ${module} has an example`, () => {
    if (isClass) assert.match(page, /```ts\n(?:export class|const room)/)
    else assert.deepEqual(withoutExampleIn(typesOf(types)), [])
  })

  test(`[DOC-05] the errors in the doc comments of ${module} exist`, () => {
    const codes = callablesIn(typesOf(types)).flatMap(({ path, errors }) =>
      errors.map(([code]) => [path, code]),
    )
    assert.deepEqual(
      codes.filter(([, code = '']) => !(code in ERRORS) && !(code in SDK_CODES)),
      [],
    )
  })
}

const EXAMPLE = `/* Written by a test. */

/** A client. */
export type Client = Base & {
    /**
     * Sends.
     *
     * @param text Up to
     * 10 letters.
     * @throws \`too_long\` The text has more.
     *
     * @example
     * client.send('hello')
     */
    send(text: string): void;
    /** @deprecated Use \`send\`. */
    say(text: string): void;
    /**
     * Groups of calls,
     * in two lines.
     */
    players: {
        find: (query?: {
            q?: string;
        }) => Promise<Found>;
        id: string;
    };
    url: string;
};

export declare function open(): Client;

declare class Room {
    #private;
    /** The id. */
    readonly id: string;
    leave(): void;
}

/** A result. */
type Found = {
    /** All of them. */
    names?: string[];
};

export type { Room };

export {};
`
const PARTS = [
  { title: 'open', of: ['open'] },
  { title: 'client', of: ['Client'] },
  { title: 'client.players', of: ['Client.players'] },
  { title: 'Room', of: ['Room'], as: 'room' },
]

test('a planted fault is found: a function and an exported name without a doc comment', () => {
  assert.deepEqual(undocumentedIn(EXAMPLE), ['open', 'Room', 'Client.players.find', 'Room.leave'])
})

test('a planted fault is found: a function without an example', () => {
  assert.deepEqual(withoutExampleIn(EXAMPLE), ['Client.players.find', 'open', 'Room.leave'])
})

test('a doc comment is split at its tags', () => {
  const send = callablesIn(EXAMPLE).find(({ path }) => path === 'Client.send')
  assert.deepEqual(send, {
    path: 'Client.send',
    text: 'Sends.',
    params: [['text', 'Up to 10 letters.']],
    errors: [['too_long', 'The text has more.']],
    example: "client.send('hello')",
    deprecated: undefined,
  })
  assert.equal(readDoc('@deprecated Use `send`.').deprecated, 'Use `send`.')
})

test('members are read with their comments, also those of members', () => {
  const [client] = declaredIn(EXAMPLE)
  assert.ok(client)
  const [send, say, players, url] = membersOf(client)
  assert.deepEqual([send?.name, send?.text], ['send', 'send(text: string): void;'])
  assert.equal(say?.name, 'say')
  assert.deepEqual([players?.name, players?.doc], ['players', 'Groups of calls,\nin two lines.'])
  assert.deepEqual(
    players?.members.map(({ name }) => name),
    ['find', 'id'],
  )
  assert.deepEqual([url?.name, url?.doc], ['url', ''])
})

test('a long signature gets a line per parameter; without parameters it stays in one line', () => {
  const result = 'Promise<{ microphones: AudioDevice[]; speakers: AudioDevice[] }>'
  const signature = (parameters: string) =>
    callOf({ name: 'devices', doc: '', text: `devices(${parameters}): ${result};`, members: [] }, 'call', '')
  assert.equal(signature(''), `call.devices(): ${result}`)
  assert.equal(
    signature('kind: string, count?: number'),
    `call.devices(\n  kind: string,\n  count?: number,\n): ${result}`,
  )
})

test('the page of an entry has one heading per function, with signature, parameters, example and errors', () => {
  const entry = {
    file: '',
    module: '@svc/x',
    about: 'About.',
    types: '',
    parts: PARTS,
    partTypes: { Client: 'client' },
  }
  const page = referencePage(entry, EXAMPLE, '')
  assert.deepEqual(headingsOf(page), [
    'open',
    'client',
    'client.send',
    'client.players',
    'client.players.find',
    'Room',
    'room.leave',
    'Helper types',
    'Found',
    'Deprecated names',
  ])
  assert.match(page, /## open\n\n```ts\nopen\(\): Client\n```\n\nTypes: \[Client\]\(#client\)\./)
  assert.ok(
    page.includes(
      `### client.send\n\nSends.\n\n\`\`\`ts\nclient.send(text: string): void\n\`\`\`\n\n- \`text\`: Up to 10 letters.\n\n` +
        `\`\`\`js\nclient.send('hello')\n\`\`\`\n\nErrors:\n\n- \`too_long\`: The text has more.`,
    ),
  )
  assert.ok(page.includes('client.players.find(query?: { q?: string }): Promise<Found>'))
  assert.ok(page.includes('| [client.players](#clientplayers) | Groups of calls, in two lines. |'))
  assert.ok(page.includes('| **`room.id`** `string` | The id. |'))
  assert.ok(page.includes('| **`names?`** `string[]` | All of them. |'))
  assert.ok(page.includes('| ~~`client.say`~~ | Use `send`. |'))
})
