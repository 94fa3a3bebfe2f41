import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'

const TYPES: Record<number, string> = { 1: 'A', 28: 'AAAA' }

/** A name server on this machine: the part of RFC 1035 for one question and its answer. */
export async function startDns(t: { after(work: () => void): void }, records: Record<string, string[]>) {
  const questions: string[] = []
  let silent = false
  const socket = createSocket('udp4', (message, { port, address }) => {
    if (silent) return
    const labels: string[] = []
    let end = 12
    for (let length = message.readUInt8(end); length > 0; length = message.readUInt8(end)) {
      labels.push(message.toString('latin1', end + 1, end + 1 + length))
      end += 1 + length
    }
    const type = TYPES[message.readUInt16BE(end + 1)] ?? ''
    questions.push(`${labels.join('.')} ${type}`)
    const found = (records[labels.join('.')] ?? []).filter((ip) => ip.includes(':') === (type === 'AAAA'))
    const header = Buffer.from([0x81, 0x80, 0, 1, 0, found.length, 0, 0, 0, 0])
    const answers = found.flatMap((ip) => {
      const data = bytesOf(ip)
      return [Buffer.from([0xc0, 12, 0, type === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, data.length]), data]
    })
    const question = message.subarray(12, end + 5)
    socket.send(Buffer.concat([message.subarray(0, 2), header, question, ...answers]), port, address)
  }).bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())

  const resolver = new Resolver({ timeout: 1_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return { resolver, questions, names: Object.keys(records), fallSilent: () => void (silent = true) }
}

function bytesOf(ip: string): Buffer {
  if (!ip.includes(':')) return Buffer.from(ip.split('.').map(Number))
  const [head = '', tail = ''] = ip.split('::')
  const hex = (part: string) =>
    part
      .split(':')
      .filter(Boolean)
      .map((group) => group.padStart(4, '0'))
      .join('')
  return Buffer.from(hex(head) + hex(tail).padStart(32 - hex(head).length, '0'), 'hex')
}
