import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readModule, returnedBy } from './declarations.ts'

const EMITTED = `import type * as contract from '@svc/contract/realtime/rooms';
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

test('every name is marked with its module; comments, strings and member names are unchanged', () => {
  const { declarations } = readModule('rooms.ts', EMITTED)
  assert.deepEqual(declarations.get('«rooms.ts»Room'), {
    doc: '/** Not an On: a comment. */\n',
    kind: 'type',
    text: `type «rooms.ts»Room = {
    on: «events.ts»On<«@svc/contract/realtime/rooms»Events>;
    mode: 'On' | "Room";
    contract: «other.ts»Other;
};`,
  })
})

test('exports are listed by their marked name, with whether they are type-only', () => {
  assert.deepEqual(
    [...readModule('rooms.ts', EMITTED).exports],
    [
      ['Room', { mark: '«rooms.ts»Room', isTypeOnly: false }],
      ['createRooms', { mark: '«rooms.ts»createRooms', isTypeOnly: false }],
      ['Save', { mark: '«saves.ts»Save', isTypeOnly: true }],
    ],
  )
})

test('the return type of a function is found, whatever its parameters are', () => {
  const made = readModule('rooms.ts', EMITTED).declarations.get('«rooms.ts»createRooms')
  assert.ok(made)
  assert.equal(returnedBy(made).type, 'Promise<«rooms.ts»Room>')
  const constant = { doc: '', kind: 'const' as const, text: 'const make: (a: () => A) => {\n    b: B;\n};' }
  assert.deepEqual(returnedBy(constant), { before: 'const make: (a: () => A) => ', type: '{\n    b: B;\n}' })
})
