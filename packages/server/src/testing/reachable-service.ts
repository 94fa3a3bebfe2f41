import { freePort } from '../../test/server-process.ts'
import { startService } from './service.ts'

/** A service whose base URL a browser can open. */
export async function startReachableService() {
  const port = await freePort()
  const service = await startService('sqlite', { settings: { SVC_BASE_URL: `http://localhost:${port}` } })
  await service.http.listen({ port, host: 'localhost' })
  return { ...service, port }
}
