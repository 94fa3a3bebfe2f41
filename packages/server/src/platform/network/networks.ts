import { lookup } from 'node:dns'
import { BlockList, type LookupFunction, isIP } from 'node:net'

type Range = readonly [address: string, bits: number]

/** IANA's registries of special addresses (RFC 6890 and later), and one of a cloud: nothing in them is a server on the internet. */
const NOT_PUBLIC_V4: readonly Range[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by a provider's customers
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // the platform of Azure, inside each virtual machine
  ['169.254.0.0', 16], // link-local; metadata services of cloud providers
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]

/** Only 2000::/3 of IPv6 is assigned. These parts of it are not servers either, or contain an IPv4 address. */
const ASSIGNED_V6: Range = ['2000::', 3]
const NOT_PUBLIC_V6: readonly Range[] = [
  ['2001::', 23], // protocol assignments, Teredo, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
]

const notPublicV4 = listOf('ipv4', NOT_PUBLIC_V4)
const notPublicV6 = listOf('ipv6', NOT_PUBLIC_V6)
const assignedV6 = listOf('ipv6', [ASSIGNED_V6])
const loopback = listOf('ipv4', [['127.0.0.0', 8]])
loopback.addAddress('::1', 'ipv6')

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly Range[]): BlockList {
  const list = new BlockList()
  for (const [address, bits] of ranges) list.addSubnet(address, bits, family)
  return list
}

/**
 * Whether a request to a URL that a user chose may go to `ip`. Only ordinary addresses of the public internet may be called. IPv6
 * addresses that contain an IPv4 address (mapped, compatible, NAT64, 6to4) may not: a gateway would forward the request to that
 * address.
 */
export function isPublicAddress(ip: string): boolean {
  switch (isIP(ip)) {
    case 4:
      return !notPublicV4.check(ip, 'ipv4')
    case 6:
      return !ip.includes('%') && assignedV6.check(ip, 'ipv6') && !notPublicV6.check(ip, 'ipv6')
    default:
      return false
  }
}

/** Whether the host is `localhost` or a loopback address. An IPv6 address is given without brackets. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || (isIP(host) > 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'))

/**
 * For `lookup` of an outgoing connection: the checked addresses are the ones that are connected to, so a second, different DNS
 * answer has no effect. Node does not look up a host that is an IP address: check that with `isPublicAddress` first.
 */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, [])
    const refused = addresses.find(({ address }) => !isPublicAddress(address))
    const [first] = addresses
    if (refused || !first) return callback(new Error(`${hostname} is not on the public internet`), [])
    if (options.all) return callback(null, addresses)
    return callback(null, first.address, first.family)
  })
}

const MAPPED_V4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/**
 * The key of a limit per address: an IPv4 address, or the /64 of an IPv6 address, because one connection has 2^64 of those. An IPv4
 * address in IPv6 notation (`::ffff:192.0.2.1`) counts as itself, and so does one that is no IP address (`functions:<environment id>`
 * of calls through `env.SVC`). Every limit per client address goes through here.
 *
 *     limitedAddress('2001:db8:0:7::1') === limitedAddress('2001:db8:0:7:ffff::')
 */
export function limitedAddress(ip: string): string {
  if (!ip.includes(':')) return ip
  const mapped = MAPPED_V4.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  if (isIP(ip) !== 6) return ip

  const groups = groupsOf(ip)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight numbers of an IPv6 address, in any notation. */
function groupsOf(ip: string): number[] {
  const [head = '', tail] = ip.replace(/%.*/, '').split('::')
  const [first, last] = [numbersOf(head), numbersOf(tail ?? '')]
  return [...first, ...Array<number>(Math.max(0, 8 - first.length - last.length)).fill(0), ...last]
}

const numbersOf = (text: string): number[] =>
  text
    .split(':')
    .filter(Boolean)
    .flatMap((group) => {
      if (!group.includes('.')) return parseInt(group, 16)
      const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
      return [(a << 8) | b, (c << 8) | d]
    })
