import { useRef, useState } from 'preact/hooks'

import { bytes, counted } from '../../format.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Check, TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { UploadIcon } from '../../ui/icons.ts'
import { notify, notifyError } from '../../ui/messages.tsx'
import { refreshHosting } from './refresh-hosting.ts'
import { filesOfDrop, filesOfInput, type LocalFile, type Progress, uploadVersion } from './upload.ts'

/** Accepts the folder of an app, dropped or chosen. */
export function UploadCard({ route }: { route: Route }) {
  const [isOver, setOver] = useState(false)
  const [files, setFiles] = useState<LocalFile[]>()
  const input = useRef<HTMLInputElement>(null)
  const take = (found: LocalFile[]) => {
    const usable = found.filter(({ path }) => !/(^|\/)(\.DS_Store|Thumbs\.db)$/.test(path))
    if (usable.length > 0) setFiles(usable)
  }
  return (
    <section
      class={isOver ? 'card drop is-over' : 'card drop'}
      aria-label="Upload a version"
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        if (event.dataTransfer) filesOfDrop(event.dataTransfer).then(take, notifyError)
      }}
    >
      <Icon of={UploadIcon} size={20} class="faint" />
      <p>
        <strong>Drop your build folder here</strong>
        <br />
        <span class="small soft">Creates a new version in {route.env}.</span>
      </p>
      <Button small onClick={() => input.current?.click()}>
        Choose folder
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label="Build folder"
        {...{ webkitdirectory: true }}
        onChange={(event) => {
          take(filesOfInput(event.currentTarget.files ?? []))
          event.currentTarget.value = ''
        }}
      />
      {files && <UploadDialog route={route} files={files} onClose={() => setFiles(undefined)} />}
    </section>
  )
}

function UploadDialog({ route, files, onClose }: { route: Route; files: LocalFile[]; onClose: () => void }) {
  const [message, setMessage] = useState('')
  const [activate, setActivate] = useState(true)
  const [progress, setProgress] = useState<Progress>()
  const size = files.reduce((sum, { file }) => sum + file.size, 0)
  const hasIndex = files.some(({ path }) => path === 'index.html')
  const upload = useAction(
    async () => {
      const options = { activate, message, onProgress: setProgress }
      const { version } = await uploadVersion(route.params, files, options)
      onClose()
      notify(activate ? `Version ${version} is live.` : `Version ${version} uploaded.`)
    },
    undefined,
    refreshHosting,
  )
  return (
    <FormDialog
      route={route}
      title="Upload a version"
      about={`${counted(files.length, 'file', 'files')}, ${bytes(size)}. Only changed files are uploaded.`}
      submit={`${activate ? 'Upload and activate' : 'Upload'}${inProduction(route)}`}
      action={upload}
      onClose={onClose}
    >
      {!hasIndex && <p class="note">This folder has no index.html, so visitors will see “not found”.</p>}
      <TextField
        label="Message"
        hint="Optional. What changed."
        value={message}
        maxLength={200}
        change={setMessage}
        autofocus
      />
      <Check checked={activate} change={setActivate}>
        Go live after upload
      </Check>
      {progress && progress.of > 0 && (
        <div class="stack" role="status">
          <span class="small soft tabular">
            {progress.done} of {counted(progress.of, 'file', 'files')}
          </span>
          <progress class="meter-bar" max={progress.of} value={progress.done} aria-label="Upload" />
        </div>
      )}
    </FormDialog>
  )
}
