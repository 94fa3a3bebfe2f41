import type { RoomRecording } from '@svc/contract/realtime/code-rooms'

/** Names and text of a test that replays a recording. */
export function testFor({
  className,
  roomId,
  version,
}: Pick<RoomRecording, 'className' | 'roomId' | 'version'>) {
  const base = `${fileNameOf(className)}-${fileNameOf(roomId).slice(-6)}`
  const recordingName = `${base}.json`
  const testName = `${base}.test.ts`
  const text = `import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { replay } from '@svc/sdk/room/test'

import { ${className} } from './index.ts'

test('${className} of version ${version} does the same again', async () => {
  const recording = JSON.parse(readFileSync(new URL('./${recordingName}', import.meta.url), 'utf8'))
  await replay(${className}, recording)
})
`
  return { recordingName, testName, text }
}

/** Only letters that every file system has. */
const fileNameOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
