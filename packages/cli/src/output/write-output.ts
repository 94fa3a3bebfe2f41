import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import type { Context } from '../context.ts'
import { diskFailure } from './disk-error.ts'

/** Writes to the file of `-o`, which must not exist yet. Returns its path. */
export async function writeOutput(
  { system }: Context,
  file: string,
  text: string,
  mode = 0o666,
): Promise<string> {
  const path = resolve(system.folder, file)
  await writeFile(path, text, { mode, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw diskFailure(error, 'Choose another file with -o.')
  })
  return path
}
