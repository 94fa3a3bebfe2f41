/** Checks and changes of session descriptions (SDP). */

/** The description of a member is not acceptable; the message says why. */
export class InvalidDescription extends Error {}

/** What the relay server must know of an offer. */
type Offer = { sdp: string; payloadType: number; levelId: number }

const FORMAT = 'minptime=10;useinbandfec=1;usedtx=1;stereo=0;sprop-stereo=0;maxaveragebitrate=32000'
/** RFC 6464 */
const LEVEL = 'urn:ietf:params:rtp-hdrext:ssrc-audio-level'

/** One sendonly audio with Opus, and nothing else: the engine itself would accept any codec and any number of m-lines. */
export function readOffer(text: string): Offer {
  const sdp = prepared(text)
  const media = sdp.match(/^m=.*$/gm) ?? []
  if (media.length !== 1 || !media[0]?.startsWith('m=audio '))
    throw new InvalidDescription('must have exactly one m-line, for audio')
  if (!/^a=sendonly\r?$/m.test(sdp)) throw new InvalidDescription('must be sendonly')
  const payloadType = Number(/^a=rtpmap:(\d{1,3}) opus\/48000\/2\s*$/im.exec(sdp)?.[1] ?? -1)
  if (payloadType < 0 || payloadType > 127) throw new InvalidDescription('must offer Opus')
  requireTransport(sdp)
  const levelId = Number(new RegExp(`^a=extmap:(\\d{1,2})(?:/\\w+)? ${LEVEL}`, 'm').exec(sdp)?.[1] ?? 0)
  return { sdp: opusOnly(sdp), payloadType, levelId }
}

/** The answer to our offer: the m-line of the member's own offer, and one for each slot. */
export function readAnswer(text: string, slots: number): string {
  const sdp = prepared(text)
  const media = sdp.match(/^m=.*$/gm) ?? []
  if (media.length !== slots + 1 || !media.every((line) => line.startsWith('m=audio ')))
    throw new InvalidDescription('must answer every m-line of the offer')
  requireTransport(sdp)
  // Firefox repeats another a=setup on bundled m-lines, and libdatachannel uses the last one.
  const setup = /^a=setup:\w+/m.exec(sdp)?.[0] ?? ''
  return sdp.replace(/^a=setup:\w+/gm, setup)
}

function requireTransport(sdp: string) {
  for (const line of ['ice-ufrag', 'ice-pwd', 'fingerprint', 'setup'])
    if (!new RegExp(`^a=${line}:\\S`, 'm').test(sdp)) throw new InvalidDescription(`has no a=${line}`)
}

/**
 * A member's candidates are never used: with them it could aim our packets at any address. Its address is learnt from its own
 * connectivity checks.
 */
const prepared = (text: string): string =>
  text.replace(/^a=(?:candidate|end-of-candidates|remote-candidates).*(?:\r?\n|$)/gm, '')

/** DTX, forward error correction, mono, a maximum bit rate; no other codec, no other header extension. */
export function opusOnly(sdp: string, ptime?: number): string {
  return sectionsOf(sdp)
    .map((section) => (section.startsWith('m=audio') ? opusSection(section, ptime) : section))
    .join('')
}

function opusSection(section: string, ptime: number | undefined): string {
  const payloadType = /^a=rtpmap:(\d+) opus\/48000/im.exec(section)?.[1]
  if (payloadType === undefined) return section
  const [media = '', ...rest] = section.split(/\r?\n/)
  const kept = rest.filter(
    (line) =>
      !/^a=(?:fmtp|rtcp-fb|ptime|maxptime):/.test(line) &&
      (!line.startsWith('a=rtpmap:') || line.startsWith(`a=rtpmap:${payloadType} `)) &&
      (!line.startsWith('a=extmap:') || line.includes(LEVEL)),
  )
  const at = kept.findIndex((line) => line.startsWith('a=rtpmap:'))
  const timing = ptime === undefined ? [] : [`a=ptime:${ptime}`, `a=maxptime:${ptime}`]
  kept.splice(at + 1, 0, `a=fmtp:${payloadType} ${FORMAT}`, ...timing)
  return [media.replace(/^(m=audio \d+ \S+) .*/, `$1 ${payloadType}`), ...kept].join('\r\n')
}

type Announced = {
  address: string
  port: number
  repairPort: number | undefined
  /** More addresses with the same UDP port. */
  others: readonly string[]
}

/** Our own candidates: UDP first, then the UDP port for TURN over TCP, then TCP, then other addresses. They replace those of the engine, which knows no NAT. */
export function withCandidates(sdp: string, { address, port, repairPort, others }: Announced): string {
  const lines = [
    `a=candidate:1 1 UDP 2122317823 ${address} ${port} typ host`,
    ...(repairPort === undefined ? [] : [`a=candidate:2 1 UDP 1677724415 ${address} ${repairPort} typ host`]),
    `a=candidate:3 1 TCP 1015021823 ${address} ${port} typ host tcptype passive`,
    ...others.map(
      (other, index) => `a=candidate:${4 + index} 1 UDP ${1015021822 - index} ${other} ${port} typ host`,
    ),
    'a=end-of-candidates',
  ]
  let isDone = false
  return sectionsOf(prepared(sdp))
    .map((section) => {
      if (isDone || !section.startsWith('m=')) return section
      isDone = true
      return `${section.replace(/\r?\n$/, '')}\r\n${lines.join('\r\n')}\r\n`
    })
    .join('')
}

const sectionsOf = (sdp: string) => sdp.split(/^(?=m=)/m)

/** The credentials by which our checks and those of a member are recognized. */
export const iceCredentialsOf = (sdp: string) => ({
  name: /^a=ice-ufrag:(\S+)/m.exec(sdp)?.[1] ?? '',
  password: /^a=ice-pwd:(\S+)/m.exec(sdp)?.[1] ?? '',
})
