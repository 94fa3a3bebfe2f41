import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { upToDateTypes } from '../packages/sdk/build.ts'
import {
  callablesIn,
  declaredIn,
  ENTRIES,
  membersOf,
  referencePage,
  undocumentedIn,
  withoutExampleIn,
} from './sdk-reference.ts'

const built = await upToDateTypes()
const typesOf = (path: string) => built.get(path) ?? assert.fail(`${path} is not built`)
const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

for (const { module, types, file } of ENTRIES) {
  test(`[DOC-05] every exported name of ${module} is in the reference`, () => {
    const text = typesOf(types)
    const single = [...text.matchAll(/^export (?:declare )?(?:type|class|function|const) (\w+)/gm)]
    const listed = [...text.matchAll(/^export type \{ (.+) \};$/gm)].flatMap(([, names = '']) =>
      names.split(', '),
    )
    const names = [...single.map(([, name = '']) => name), ...listed]
    assert.ok(names.length > 0)
    const page = read(file)
    for (const name of names) assert.match(page, new RegExp(`^### ${name}$`, 'm'), name)
  })

  test(`[DOC-05] every exported name and every function of ${module} has a doc comment`, () => {
    assert.deepEqual(undocumentedIn(typesOf(types)), [])
  })

  test(`[DOC-05] every function of ${module} has an example`, () => {
    assert.deepEqual(withoutExampleIn(typesOf(types)), [])
  })
}

const EXAMPLE = `/* Written by a test. */

/** A client. */
export type Client = Base & {
    /**
     * Sends.
     *
     * @example
     * client.send('hello')
     */
    send(text: string): void;
    /**
     * Groups of calls,
     * in two lines.
     */
    players: {
        find: (query?: {
            q?: string;
        }) => Promise<void>;
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

export type { Room };

export {};
`

test('a planted fault is found: a function and an exported name without a doc comment', () => {
  assert.deepEqual(undocumentedIn(EXAMPLE), ['open', 'Room', 'Client.players.find', 'Room.leave'])
})

test('a planted fault is found: a function without an example', () => {
  assert.deepEqual(withoutExampleIn(EXAMPLE), ['Client.players.find', 'open', 'Room.leave'])
})

test('an example is separated from the text of its comment', () => {
  const send = callablesIn(EXAMPLE).find(({ path }) => path === 'Client.send')
  assert.deepEqual([send?.doc, send?.example], ['Sends.', "client.send('hello')"])
})

test('members are read with their comments, also those of members', () => {
  const [client] = declaredIn(EXAMPLE)
  assert.ok(client)
  const [send, players, url] = membersOf(client)
  assert.deepEqual(
    [send?.name, send?.doc, send?.text],
    ['send', "Sends.\n\n@example\nclient.send('hello')", 'send(text: string): void;'],
  )
  assert.deepEqual([players?.name, players?.doc], ['players', 'Groups of calls,\nin two lines.'])
  assert.deepEqual(
    players?.members.map(({ name }) => name),
    ['find', 'id'],
  )
  assert.deepEqual([url?.name, url?.doc], ['url', ''])
})

test('the page of an entry has a heading, a signature and links for each name', () => {
  const page = referencePage({ file: '', module: '@svc/x', about: 'About.', types: '' }, EXAMPLE, '')
  assert.match(page, /### open\n\n```ts\nopen\(\): Client\n```\n\nSee \[Client\]\(#client\)\./)
  assert.match(page, /### Client\n\nA client\.\n\n```ts\ntype Client = Base & \{ … \}\n```/)
  assert.match(
    page,
    /- `send\(text: string\): void` {2}\n {2}Sends\.\n\n {2}```js\n {2}client\.send\('hello'\)\n {2}```\n/,
  )
  assert.match(page, /- `players\.find: \(query\?: \{ q\?: string; \}\) => Promise<void>`/)
})
