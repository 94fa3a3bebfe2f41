import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readModule, returnedBy } from './declarations.ts'

const EMITTED = `import type * as contract from '@svc/contract/rooms';
import { type On } from './events.ts';
/** Not an On: a comment. */
export type Room = {
    on: On<contract.Events>;
    mode: 'On' | "Room";
    contract: import("./other.ts").Other;
};
/** Makes a Room. */
export declare function createRooms({ call }: {
    call: (name: string) => void;
}): Promise<Room>;
export type { Save } from './saves.ts';
export {};
`

test('every name is marked with its module; comments, texts and names of members are left alone', () => {
  const { declarations } = readModule('rooms.ts', EMITTED)
  assert.deepEqual(declarations.get('«rooms.ts»Room'), {
    doc: '/** Not an On: a comment. */\n',
    kind: 'type',
    text: `type «rooms.ts»Room = {
    on: «events.ts»On<«@svc/contract/rooms»Events>;
    mode: 'On' | "Room";
    contract: «other.ts»Other;
};`,
  })
})

test('what is exported is known by its mark, and whether only as a type', () => {
  assert.deepEqual(
    [...readModule('rooms.ts', EMITTED).exports],
    [
      ['Room', { mark: '«rooms.ts»Room', isTypeOnly: false }],
      ['createRooms', { mark: '«rooms.ts»createRooms', isTypeOnly: false }],
      ['Save', { mark: '«saves.ts»Save', isTypeOnly: true }],
    ],
  )
})

test('a function tells what it returns, whatever it takes', () => {
  const made = readModule('rooms.ts', EMITTED).declarations.get('«rooms.ts»createRooms')
  assert.ok(made)
  assert.equal(returnedBy(made).type, 'Promise<«rooms.ts»Room>')
  const constant = { doc: '', kind: 'const' as const, text: 'const make: (a: () => A) => {\n    b: B;\n};' }
  assert.deepEqual(returnedBy(constant), { before: 'const make: (a: () => A) => ', type: '{\n    b: B;\n}' })
})
