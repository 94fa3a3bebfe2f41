import type { RoomRecording } from '@svc/contract/realtime/code-rooms'

import { counted, number } from '../../../format.ts'
import { download } from '../../../platform.ts'
import { Button } from '../../../ui/button.tsx'
import { InfoDialog } from '../../../ui/dialog.tsx'
import { DownloadIcon } from '../../../ui/icons.ts'
import { Snippet } from '../../../ui/parts.tsx'
import { testFor } from './test-file.ts'

/** A recording becomes a test of the developer's class: two files. */
export function SaveAsTest({ recording, onClose }: { recording: RoomRecording; onClose: () => void }) {
  const { recordingName, testName, text } = testFor(recording)
  const failed = recording.turns.find(({ errors }) => errors)
  return (
    <InfoDialog
      title="Save as test"
      label="Save as test"
      about={`The test runs ${recording.className} again with the events of ${counted(recording.turns.length, 'turn', 'turns')}, and compares every change.`}
      close="Done"
      onClose={onClose}
    >
      <div class="form is-wide">
        <p>
          Store both files beside your class. The recording contains names and messages of the players in this
          room.
        </p>
        {failed && (
          <p>
            The code threw an error{failed.turn < 0 ? ' after an await' : ` in turn ${number(failed.turn)}`}:{' '}
            <code>{failed.errors?.[0]}</code> The test fails there until your class no longer throws.
          </p>
        )}
        <div class="row wrap">
          <Button
            kind="main"
            icon={DownloadIcon}
            onClick={() => download(recordingName, 'application/json', JSON.stringify(recording, null, 1))}
          >
            {recordingName}
          </Button>
          <Button icon={DownloadIcon} onClick={() => download(testName, 'text/plain', text)}>
            {testName}
          </Button>
        </div>
        <Snippet label={testName} code={text} />
      </div>
    </InfoDialog>
  )
}
