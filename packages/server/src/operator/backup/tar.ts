import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { FileHandle } from 'node:fs/promises'
import { createInterface } from 'node:readline'

/** What tar complained about, for the error; the rest of its lines are names of files. */
const COMPLAINTS_MAX = 20

/** Packs these entries of folders. `onName` gets the name of every file that is in the archive. */
export const pack = (
  output: FileHandle,
  from: readonly { folder: string; names: readonly string[] }[],
  { exclude, onName }: { exclude: string; onName(name: string): void },
): Promise<void> =>
  runTar(
    [
      '-c',
      '-v',
      `--exclude=${exclude}`,
      '-f',
      '-',
      ...from.flatMap(({ folder, names }) => (names.length > 0 ? ['-C', folder, ...names] : [])),
    ],
    // Exit code 1: a file changed while it was read, for example because the running service deleted it.
    { stdio: ['ignore', output.fd, 'pipe'], accepted: [0, 1], onName },
  )

export const unpack = (input: FileHandle, folder: string): Promise<void> =>
  runTar(['-x', '-f', '-', '-C', folder], { stdio: [input.fd, 'ignore', 'pipe'], accepted: [0] })

type Run = {
  /** Open files, because tar would interpret a name with a colon as a remote host. */
  stdio: ['ignore' | number, 'ignore' | number, 'pipe']
  accepted: readonly number[]
  onName?(name: string): void
}

async function runTar(args: readonly string[], { stdio, accepted, onName }: Run) {
  const tar = spawn('tar', args, { stdio })
  tar.on('error', () => {})
  if (!tar.stderr) throw new Error('tar could not be started.')
  const complaints: string[] = []
  createInterface({ input: tar.stderr }).on('line', (line) => {
    if (/^(?:bsd)?tar: /.test(line)) {
      if (complaints.length < COMPLAINTS_MAX) complaints.push(line)
    } else onName?.(line.replace(/^a /, ''))
  })
  const [code] = await once(tar, 'close')
  if (!accepted.includes(code)) throw new Error(`tar failed: ${complaints.join('\n')}`)
}
