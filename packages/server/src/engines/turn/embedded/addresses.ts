import { hash } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** `ip` has 4 bytes for IPv4, 16 for IPv6. */
export type Address = { ip: Buffer; port: number }

const FAMILY = { ipv4: 1, ipv6: 2 } as const

/** `id` begins with the magic cookie; port and address are XORed with its first bytes. */
export function writeXorAddress({ ip, port }: Address, id: Buffer): Buffer {
  const value = Buffer.alloc(4 + ip.length)
  value.writeUInt8(ip.length === 4 ? FAMILY.ipv4 : FAMILY.ipv6, 1)
  value.writeUInt16BE(port ^ id.readUInt16BE(0), 2)
  xor(ip, id).copy(value, 4)
  return value
}

export function readXorAddress(value: Buffer, id: Buffer): Address | undefined {
  const ipBytes = value[1] === FAMILY.ipv4 ? 4 : value[1] === FAMILY.ipv6 ? 16 : undefined
  if (ipBytes === undefined || value.length !== 4 + ipBytes) return undefined
  return { ip: xor(value.subarray(4), id), port: value.readUInt16BE(2) ^ id.readUInt16BE(0) }
}

const xor = (bytes: Buffer, mask: Buffer): Buffer =>
  Buffer.from(bytes.map((byte, index) => byte ^ (mask[index] ?? 0)))

/** A dual-stack socket reports an IPv4 client as `::ffff:192.0.2.1`. */
export const unmapped = (ip: string): string => ip.replace(/^::ffff:(?=\d+\.)/i, '')

export function ipBytes(ip: string): Buffer {
  if (isIPv4(ip)) return Buffer.from(ip.split('.').map(Number))
  const [head = '', tail] = ip.replace(/%.*/, '').split('::')
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')]
  const zeros = Array<number>(Math.max(0, 8 - first.length - last.length)).fill(0)
  return Buffer.from([...first, ...zeros, ...last].slice(0, 8).flatMap((group) => [group >> 8, group & 255]))
}

const groupsOf = (text: string): number[] =>
  text
    .split(':')
    .filter(Boolean)
    .map((group) => parseInt(group, 16))

/**
 * The virtual IP address of a room, under which its players reach each other. No machine has it: the range 240.0.0.0/4 is
 * reserved, and packets to it are routed in memory. TURN permissions are per IP address, so rooms are separate.
 */
export function virtualIpOf(room: string): Buffer {
  const ip = hash('sha256', room, 'buffer').subarray(0, 4)
  ip.writeUInt8(0xf0 | (ip.readUInt8(0) & 0x07), 0)
  return ip
}
