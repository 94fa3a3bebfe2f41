import type { BackupRequest } from './request.ts'
import { runBackup } from './run.ts'
import { removeLeftStaging } from './staging.ts'

// The service has ended, or does not want the backup any more: what is left is removed by the next backup or start.
process.on('disconnect', () => process.exit(1))
process.once('message', ({ settings, name, createdAt }: BackupRequest) => {
  runBackup(settings, { name, createdAt }).then(
    (result) => reply({ result }),
    async (error: unknown) => {
      await removeLeftStaging(settings.dataDir).catch(() => {})
      reply({ error: error instanceof Error ? error.message : String(error) })
    },
  )
})

const reply = (message: object) => process.send?.(message, () => process.exit(0))
