import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync } from 'node:zlib'

import { findOrInstall } from '../../../scripts/programs.ts'
import type { Target } from '../../load.ts'
import { freePort, freshFolder, startServer } from '../../processes.ts'
import { deploy, FILES, type FileName, fileRequests, newHosting } from '../hosted-files.ts'
import { startPeer } from '../peer-scripts.ts'
import type { Request } from '../requests.ts'
import { startService } from '../service.ts'
import { ON_SQLITE } from '../services.ts'

export type FileServer = Target & { name: string; requests: Record<FileName, Request> }

export const NGINX = 'nginx'
export const FASTIFY_STATIC = '@fastify/static'

const COMPRESSION_TIMEOUT_MS = 20_000
const COMPRESSION_POLL_MS = 50

/** Starts the service and deploys the files. */
export async function startHosting(opened: AsyncDisposableStack): Promise<FileServer> {
  const service = await startService()
  opened.defer(service.end)
  return { name: ON_SQLITE, ...service, databases: [], requests: await seedFiles(service) }
}

export async function seedFiles({ port }: { port: number }): Promise<Record<FileName, Request>> {
  const requests = fileRequests(await deploy(port, await newHosting(port, 'Files'), FILES))
  await untilCompressed(port, requests['app.js'])
  return requests
}

export async function startFilePeers(opened: AsyncDisposableStack): Promise<FileServer[]> {
  const root = freshFolder()
  for (const [name, bytes] of Object.entries(FILES)) writeFileSync(join(root, name), bytes)
  writeFileSync(join(root, 'app.js.br'), brotliCompressSync(FILES['app.js']))

  const requests = fileRequests('127.0.0.1')
  const options = ['--root', root]
  const peers = [
    { name: NGINX, ...(await startNginx(opened, root)), requests },
    { name: FASTIFY_STATIC, ...(await startPeer(opened, 'fastify-static.mjs', { options })), requests },
  ]
  for (const { port } of peers) await untilCompressed(port, requests['app.js'])
  return peers
}

/** Waits for the compressed variant, which the service builds in the background after the first visit. */
async function untilCompressed(port: number, request: Request) {
  const deadline = performance.now() + COMPRESSION_TIMEOUT_MS
  while ((await encodingOf(port, request)) !== 'br') {
    if (performance.now() > deadline) throw new Error('no compressed copy was made')
    await sleep(COMPRESSION_POLL_MS)
  }
}

/** `fetch` cannot set the Host header. */
const encodingOf = (port: number, { path, headers }: Request): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.headers['content-encoding']))
    }).on('error', reject)
  })

/** Runs as one process, like the other servers. It is killed with this process; workers of a master process would not be. */
async function startNginx(opened: AsyncDisposableStack, root: string): Promise<Target> {
  const [program] = findOrInstall('nginx')
  const port = await freePort()
  const folder = freshFolder()
  const config = join(folder, 'nginx.conf')
  writeFileSync(config, nginxConfig(port, root, folder))
  const args = ['-p', folder, '-c', config, '-e', 'stderr']
  const { pid, end } = await startServer({ program, args, port, path: '/index.html' })
  opened.defer(end)
  return { port, pid, databases: [] }
}

/**
 * Configured for frequently requested files. Debian's nginx has no brotli module, so the compressed file is selected by its name.
 */
const nginxConfig = (port: number, root: string, folder: string) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types;
  access_log off;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=100;
  keepalive_requests 1000000000;
  map $http_accept_encoding $copy { default ''; ~br .br; }
  map $copy $encoding { default ''; .br br; }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    root ${root};
    add_header Cache-Control no-cache;
    add_header X-Content-Type-Options nosniff;
    location = /app.js {
      default_type text/javascript;
      types {}
      add_header Cache-Control no-cache;
      add_header X-Content-Type-Options nosniff;
      add_header Vary Accept-Encoding;
      add_header Content-Encoding $encoding;
      try_files $uri$copy =404;
    }
  }
}
`
