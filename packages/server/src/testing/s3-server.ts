import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import S3rver from '@20minutes/s3rver'

/** The only account of the server. */
export const s3Credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

/** A real S3 server on loopback that checks signatures; `stop` and `start` keep address and content. */
export async function startS3Server() {
  const directory = await mkdtemp(join(tmpdir(), 'svc-s3-'))
  const open = async (port: number) => {
    const server = new S3rver({
      address: '127.0.0.1',
      port,
      silent: true,
      directory,
      vhostBuckets: false,
      configureBuckets: port === 0 ? [{ name: 'svc-test' }] : [],
    })
    return { server, ...(await server.run()) }
  }
  let running = await open(0)
  const { port } = running

  async function stop() {
    const closed = running.server.close()
    running.server.httpServer.closeAllConnections()
    await closed
  }

  return {
    endpoint: `http://127.0.0.1:${port}`,
    url: `s3://svc-test/some/prefix?endpoint=http://127.0.0.1:${port}&region=eu-central-1`,
    stop,
    start: async () => void (running = await open(port)),
    async close() {
      await stop()
      await rm(directory, { recursive: true })
    },
  }
}
