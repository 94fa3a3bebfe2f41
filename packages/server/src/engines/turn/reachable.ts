import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, isIPv6 } from 'node:net'

const TIMEOUT_MS = 3_000
const ADDRESS = /^(turns?):(\[[^\]]+\]|[^:?]+)(?::(\d+))?/
/** A binding request of STUN, which every TURN server answers without credentials: type, length, cookie, any id. */
const BINDING = Buffer.from('000100002112a442737663737663737663737663', 'hex')

/** Rejects if the TURN server does not answer: over UDP if that is what clients use, otherwise its TCP port. */
export async function requireReachable(url: string): Promise<void> {
  const [, scheme, host = '', port] = ADDRESS.exec(url) ?? []
  const name = host.replace(/^\[|\]$/g, '')
  const number = Number(port ?? (scheme === 'turns' ? 5349 : 3478))
  const isUdp = scheme === 'turn' && !url.includes('transport=tcp')
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  await (isUdp ? askOverUdp(name, number, signal) : connectTo(name, number, signal)).catch((error: Error) => {
    throw new Error(
      `${host} does not answer (${signal.aborted ? `within ${TIMEOUT_MS / 1_000} s` : error.message})`,
    )
  })
}

async function askOverUdp(host: string, port: number, signal: AbortSignal) {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  try {
    const answered = once(socket, 'message', { signal })
    socket.send(BINDING, port, host, (error) => error && socket.emit('error', error))
    await answered
  } finally {
    socket.on('error', () => {}).close()
  }
}

async function connectTo(host: string, port: number, signal: AbortSignal) {
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect', { signal })
  } finally {
    socket.on('error', () => {}).destroy()
  }
}
