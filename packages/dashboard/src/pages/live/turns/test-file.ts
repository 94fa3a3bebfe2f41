import type { RoomRecording } from '@svc/contract/realtime/code-rooms'

/** Names and text of a test that replays a recording. */
export function testFor({ className, roomId, version, turns }: RoomRecording) {
  const base = `${fileNameOf(className)}-${fileNameOf(roomId).slice(-6)}`
  const recordingName = `${base}.json`
  const testName = `${base}.test.ts`
  const text = `import { test } from 'node:test'

import { replay } from '@svc/sdk/room/test'

import { ${className} } from './index.ts'
import recording from './${recordingName}' with { type: 'json' }

// ${turns.length} turns of ${roomId}, which ran v${version}. The test fails at the first turn whose changes differ
// or in which the class throws.
test('${className} does what it did in ${roomId}', () => replay(${className}, recording))
`
  return { recordingName, testName, text }
}

/** Only letters that every file system has. */
const fileNameOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
