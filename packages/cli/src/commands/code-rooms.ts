import { basename, dirname, relative, resolve, sep } from 'node:path'

import type { ResponseOf } from '@svc/contract/common/endpoint'
import type { readRoomTurns } from '@svc/contract/realtime/code-rooms'

import type { CommandGroup } from '../command-line/command-group.ts'
import { text, yes } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { folderOf } from '../functions/folder.ts'
import { findFunctionsFile, readFunctionsProject } from '../functions/project.ts'
import { Failure } from '../output/failure.ts'
import { bytesText, counted, printable, printableLines } from '../output/output.ts'
import { writeOutput } from '../output/write-output.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** Adds the commands of `svc rooms` for rooms with code. A room is named by its id or its code. */
export function addCodeRoomCommands(rooms: CommandGroup) {
  rooms.command('state <room>', 'show the state of a room with code', showState, {
    reason: text('--reason <text>', 'why you look into a room in production; kept in the audit log'),
  })
  rooms.command(
    'send <room> <type> [json]',
    'send a message to onServerMessage of a room with code, and print what it returns',
    sendMessage,
  )
  rooms.command('close <room>', 'close a room with code; in production it asks first', closeRoom, { yes })
  rooms.command(
    'record <room>',
    'save the last turns of a room in development as a test: a .test.ts file, and the turns in a .json file beside it',
    record,
    { out: text('--out <file>', 'the test file (default: room-<code>.test.ts); it must not exist') },
  )
}

/** People know the code of a room, which the live view shows; the API needs its id. */
async function idOf({ calls }: Context, room: string): Promise<string> {
  if (room.startsWith('rom_')) return room
  const { rooms } = await calls.admin('readLiveView', {})
  const found = rooms.find(({ id, code }) => id === room || code.toLowerCase() === room.toLowerCase())
  if (found) return found.id
  throw new Failure('refused', `No open room has the code or id ${printable(room)}.`, {
    code: 'room_not_found',
    fix: 'List the open rooms: svc rooms --once',
  })
}

async function showState(context: Context, { reason }: { reason?: string }, room: string) {
  const { calls, out, env } = context
  const params = { roomId: await idOf(context, room) }
  const view = await calls.admin('readRoomState', { params, query: withoutUndefined({ reason }) })
  const { tick, stateBytes, state, own } = view
  out.line(`tick ${tick}   state ${bytesText(stateBytes)}`)
  if (state === null) out.line(`→ In ${env}, add --reason to see the state of players.`)
  else out.text(printableLines(JSON.stringify({ state, own }, null, 2)))
  return view
}

async function sendMessage(
  context: Context,
  _options: object,
  room: string,
  type: string,
  json: string | undefined,
) {
  const { calls, out } = context
  const body = { type, ...(json !== undefined && { data: parsed(json) }) }
  const answer = await calls.admin('messageRoom', { params: { roomId: await idOf(context, room) }, body })
  out.text(printableLines(JSON.stringify(answer.data ?? null, null, 2)))
  return answer
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new Failure('usage', `${printable(json)} is not JSON.`, {
      fix: `Text needs double quotes, within single quotes of the shell: svc rooms send <room> say '"hello"'`,
    })
  }
}

async function closeRoom(context: Context, options: { yes?: boolean }, room: string) {
  const { calls, out, ask, env } = context
  const roomId = await idOf(context, room)
  if (env === 'production')
    await ask.require(`Close the room ${printable(room)} in production, for all its players?`, options)
  const closed = await calls.admin('closeRoom', { params: { roomId } })
  out.done(`room ${printable(room)} is closed`)
  return closed
}

async function record(context: Context, options: { out?: string }, room: string) {
  const { calls, out, system } = context
  const recording = await calls.admin('readRoomTurns', { params: { roomId: await idOf(context, room) } })
  requireNames(recording)
  const file = testFileOf(options.out ?? `room-${room.replaceAll(/[^\w-]/g, '')}.test.ts`)
  const turnsFile = file.replace(/\.test\.ts$/, '.json')
  const functions = await mainFileOf(context)
  const test = testText(recording, {
    turns: `./${basename(turnsFile)}`,
    code: importPath(dirname(resolve(system.folder, file)), functions),
  })
  // The recording contains what players sent and own states, so only the developer can read it.
  const turnsPath = await writeOutput(context, turnsFile, `${JSON.stringify(recording)}\n`, 0o600)
  const path = await writeOutput(context, file, test)
  out.done(
    `${counted(recording.turns.length, 'turn')} of ${recording.className} v${recording.version} recorded`,
  )
  out.line(`Run the test: node --test ${relative(system.folder, path)}`)
  return { test: path, turns: turnsPath, count: recording.turns.length }
}

function testFileOf(file: string): string {
  if (file.endsWith('.test.ts')) return file
  throw new Failure('usage', `${printable(file)} is not a test file.`, {
    fix: 'Its name must end in .test.ts: --out test/lost-gem.test.ts',
  })
}

/** What becomes a part of a program that the developer runs must be no more than names. */
function requireNames({ className, roomId, version }: Recording) {
  const isName = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(className) && /^\w+$/.test(roomId)
  if (isName && Number.isInteger(version)) return
  throw new Failure('failed', 'The recording of the room has names that cannot be in a program.', {
    fix: 'Check the URL of the service: svc doctor',
  })
}

/** The file that exports the class. */
async function mainFileOf(context: Context): Promise<string> {
  const folder = folderOf(context)
  const { main } = findFunctionsFile(folder) ? await readFunctionsProject(folder) : {}
  if (main !== undefined) return main
  throw new Failure(
    'usage',
    `${folder} has no functions, and the test imports the class of the room from them.`,
    {
      fix: 'Change to the folder of the game that deployed the room.',
    },
  )
}

function importPath(from: string, to: string): string {
  const path = relative(from, to).split(sep).join('/')
  return path.startsWith('.') ? path : `./${path}`
}

type Recording = ResponseOf<typeof readRoomTurns>

const testText = (
  { roomId, className, version, turns }: Recording,
  files: { turns: string; code: string },
) => `import { test } from 'node:test'

import { replay } from '@svc/sdk/room/test'

import { ${className} } from '${files.code}'
import recording from '${files.turns}' with { type: 'json' }

// ${counted(turns.length, 'turn')} of ${roomId}, which ran v${version}. The test fails at the first turn whose changes differ.
test('${className} does what it did in ${roomId}', () => replay(${className}, recording))
`
