/* Written by `npm run generate`; do not edit. */

// packages/server/src/engines/sfu/child/main.ts
import { lookup } from "node:dns/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";

// packages/server/src/engines/sfu/traffic.ts
var newTraffic = () => ({
  packetsIn: 0,
  packetsOut: 0,
  dropped: { muted: 0, slots: 0, rate: 0, invalid: 0, late: 0 }
});

// packages/server/src/engines/sfu/child/peer.ts
import datachannel from "node-datachannel";
var OPUS_PAYLOAD_TYPE = 111;
var sourceOfSlot = (index) => 1358954497 + index;
var count = 0;
function openPeer({ host: host2, port: port2 }) {
  const connection = new datachannel.PeerConnection(`member ${++count}`, {
    iceServers: [],
    bindAddress: host2,
    enableIceUdpMux: true,
    portRangeBegin: port2,
    portRangeEnd: port2,
    disableAutoNegotiation: true,
    forceMediaTransport: true
  });
  const slots2 = [];
  let microphone;
  let isClosed = false;
  const peer = {
    onPacket: () => {
    },
    onFailed: () => {
    },
    async publish(offer) {
      connection.setRemoteDescription(offer, "offer");
      return describe("answer");
    },
    async offer(slotCount) {
      for (let index = slots2.length; index < slotCount; index++) {
        const audio = new datachannel.Audio(`s${index}`, "SendOnly");
        audio.addOpusCodec(OPUS_PAYLOAD_TYPE);
        audio.addSSRC(sourceOfSlot(index), "svc", `slot${index}`, `slot${index}`);
        slots2.push(connection.addTrack(audio));
      }
      return describe("offer");
    },
    answer: (sdp) => connection.setRemoteDescription(sdp, "answer"),
    send(slot, rtp) {
      try {
        return slots2[slot]?.sendMessageBinary(rtp) ?? false;
      } catch {
        return false;
      }
    },
    // The tracks first: otherwise each connection leaks about 60 KB.
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const track of slots2) track.close();
      microphone?.close();
      connection.close();
    }
  };
  connection.onStateChange((state) => {
    if (!isClosed && (state === "failed" || state === "closed")) peer.onFailed();
  });
  connection.onTrack((track) => {
    microphone = track;
    track.setMediaHandler(new datachannel.RtcpReceivingSession());
    track.onMessage((bytes) => {
      if (!isClosed && bytes instanceof Buffer) peer.onPacket(bytes);
    });
  });
  async function describe(type) {
    const gathered = Promise.withResolvers();
    if (connection.gatheringState() === "complete") gathered.resolve();
    else connection.onGatheringStateChange((state) => state === "complete" && gathered.resolve());
    connection.setLocalDescription(type);
    await gathered.promise;
    const { sdp } = connection.localDescription() ?? {};
    if (sdp === void 0) throw new Error("there is no local description");
    return sdp;
  }
  return peer;
}

// packages/server/src/engines/sfu/child/publisher-limit.ts
var PACKETS_PER_SECOND_MAX = 80;
var BYTES_PER_SECOND_MAX = 64e3 / 8;
var PublisherLimit = class {
  #packets = PACKETS_PER_SECOND_MAX;
  #bytes = BYTES_PER_SECOND_MAX;
  #atMs = 0;
  /** False: too much. */
  admits(bytes, nowMs) {
    const seconds = (nowMs - this.#atMs) / 1e3;
    this.#atMs = nowMs;
    this.#packets = Math.min(PACKETS_PER_SECOND_MAX, this.#packets + seconds * PACKETS_PER_SECOND_MAX);
    this.#bytes = Math.min(BYTES_PER_SECOND_MAX, this.#bytes + seconds * BYTES_PER_SECOND_MAX);
    if (this.#packets < 1 || this.#bytes < bytes) return false;
    this.#packets--;
    this.#bytes -= bytes;
    return true;
  }
};

// packages/server/src/engines/sfu/child/rtp.ts
var HEADER_BYTES = 12;
var SILENCE_DB = 127;
var UNKNOWN_LEVEL_DB = 40;
function parsePacket(bytes, levelId) {
  if (bytes.length < HEADER_BYTES) return void 0;
  const [first = 0, second = 0] = bytes;
  if (first >> 6 !== 2) return void 0;
  let start = HEADER_BYTES + (first & 15) * 4;
  let levelDb = UNKNOWN_LEVEL_DB;
  if (first & 16) {
    if (start + 4 > bytes.length) return void 0;
    const end2 = start + 4 + bytes.readUInt16BE(start + 2) * 4;
    if (end2 > bytes.length) return void 0;
    if (levelId > 0 && bytes.readUInt16BE(start) === 48862) levelDb = levelIn(bytes, start + 4, end2, levelId);
    start = end2;
  }
  const paddingBytes = first & 32 ? bytes.at(-1) ?? 0 : 0;
  if (start + paddingBytes >= bytes.length) return void 0;
  return {
    payloadType: second & 127,
    marker: (second & 128) !== 0,
    sequence: bytes.readUInt16BE(2),
    timestamp: bytes.readUInt32BE(4),
    levelDb,
    payload: bytes.subarray(start, bytes.length - paddingBytes)
  };
}
function levelIn(bytes, from, end2, levelId) {
  for (let at = from; at < end2; ) {
    const head = bytes[at] ?? 0;
    if (head === 0) {
      at++;
      continue;
    }
    const id = head >> 4;
    if (id === levelId && at + 1 < end2) return (bytes[at + 1] ?? SILENCE_DB) & 127;
    at += 2 + (head & 15);
  }
  return UNKNOWN_LEVEL_DB;
}
function composePacket({ payloadType, marker, sequence, timestamp, source }, payload) {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  bytes[0] = 128;
  bytes[1] = (marker ? 128 : 0) | payloadType;
  bytes.writeUInt16BE(sequence, 2);
  bytes.writeUInt32BE(timestamp, 4);
  bytes.writeUInt32BE(source, 8);
  payload.copy(bytes, HEADER_BYTES);
  return bytes;
}

// packages/server/src/engines/sfu/child/call.ts
var LOUD_DB = 60;
var QUIET_MS = 600;
var FREED_AFTER_MS = 1e3;
var LOUDER_DB = 10;
var HELD_MS = 300;
var SAMPLES_PER_MS = 48;
var FRAME_SAMPLES = 960;
var Call = class {
  members = /* @__PURE__ */ new Map();
  renewedAtMs;
  #slots;
  #traffic;
  #turn;
  #speakersChanged;
  constructor(slots2, traffic2, turn2, nowMs, speakersChanged) {
    this.#slots = Array.from({ length: slots2 }, (_, index) => ({
      index,
      owner: void 0,
      takenAtMs: 0,
      sentAtMs: 0,
      sequence: 0,
      timestamp: 0,
      received: void 0
    }));
    this.#traffic = traffic2;
    this.#turn = turn2;
    this.renewedAtMs = nowMs;
    this.#speakersChanged = speakersChanged;
  }
  get speakers() {
    return this.#slots.map(({ owner }) => owner?.id ?? null);
  }
  add(id, peer, known) {
    const member = {
      ...known,
      id,
      peer,
      isReady: false,
      saysSpeaking: true,
      levelDb: 127,
      loudAtMs: 0,
      slot: void 0,
      limit: new PublisherLimit()
    };
    this.members.set(id, member);
    peer.onPacket = (bytes) => this.#receive(member, bytes, performance.now());
    return member;
  }
  remove(id) {
    const member = this.members.get(id);
    if (!member) return;
    this.members.delete(id);
    this.#free(member);
    member.peer.close();
  }
  setCanSpeak(id, canSpeak) {
    const member = this.members.get(id);
    if (!member) return;
    member.canSpeak = canSpeak;
    if (!canSpeak) this.#free(member);
  }
  setSpeaking(id, speaking) {
    const member = this.members.get(id);
    if (!member) return;
    member.saysSpeaking = speaking;
    if (!speaking) this.#free(member);
  }
  freeQuietSlots(nowMs) {
    for (const { owner } of this.#slots)
      if (owner && nowMs - owner.loudAtMs > FREED_AFTER_MS) this.#free(owner);
  }
  close() {
    for (const id of this.members.keys()) this.remove(id);
  }
  #free(member) {
    if (!member.slot) return;
    member.slot.owner = void 0;
    member.slot = void 0;
    this.#speakersChanged();
  }
  #receive(member, bytes, nowMs) {
    this.#traffic.packetsIn++;
    if (!this.#turn.admits(nowMs)) return void this.#traffic.dropped.late++;
    if (!member.canSpeak) return void this.#traffic.dropped.muted++;
    if (!member.limit.admits(bytes.length, nowMs)) return void this.#traffic.dropped.rate++;
    const packet = parsePacket(bytes, member.levelId);
    if (!packet || packet.payloadType !== member.payloadType) return void this.#traffic.dropped.invalid++;
    member.levelDb = member.levelDb === 127 ? packet.levelDb : member.levelDb * 0.8 + packet.levelDb * 0.2;
    const isLoud = packet.levelDb < LOUD_DB && member.saysSpeaking;
    if (isLoud) member.loudAtMs = nowMs;
    const slot = member.slot ?? (isLoud ? this.#take(member, nowMs) : void 0);
    if (!slot) return void this.#traffic.dropped.slots++;
    this.#forward(slot, packet, nowMs);
  }
  /** A free slot, or one whose owner is quiet, or that of the quietest owner if it is much quieter. */
  #take(member, nowMs) {
    const free = this.#slots.find(({ owner }) => !owner);
    const quiet = this.#slots.find(({ owner }) => owner && nowMs - owner.loudAtMs > QUIET_MS);
    const slot = free ?? quiet ?? this.#quieterThan(member, nowMs);
    if (!slot) return void 0;
    if (slot.owner) slot.owner.slot = void 0;
    slot.owner = member;
    slot.takenAtMs = nowMs;
    slot.received = void 0;
    member.slot = slot;
    this.#speakersChanged();
    return slot;
  }
  #quieterThan({ levelDb }, nowMs) {
    let quietest;
    for (const slot of this.#slots)
      if ((slot.owner?.levelDb ?? 0) > (quietest?.owner?.levelDb ?? -1)) quietest = slot;
    if (!quietest?.owner || nowMs - quietest.takenAtMs < HELD_MS) return void 0;
    return quietest.owner.levelDb - levelDb > LOUDER_DB ? quietest : void 0;
  }
  #forward(slot, packet, nowMs) {
    const { received } = slot;
    if (received) {
      slot.sequence = slot.sequence + packet.sequence - received.sequence & 65535;
      slot.timestamp = slot.timestamp + packet.timestamp - received.timestamp >>> 0;
    } else {
      const pausedMs = slot.sentAtMs === 0 ? 0 : nowMs - slot.sentAtMs;
      slot.sequence = slot.sequence + 1 & 65535;
      slot.timestamp = slot.timestamp + Math.max(FRAME_SAMPLES, Math.round(pausedMs * SAMPLES_PER_MS)) >>> 0;
    }
    slot.received = packet;
    slot.sentAtMs = nowMs;
    const bytes = composePacket(
      {
        payloadType: OPUS_PAYLOAD_TYPE,
        marker: !received || packet.marker,
        sequence: slot.sequence,
        timestamp: slot.timestamp,
        source: sourceOfSlot(slot.index)
      },
      packet.payload
    );
    const { owner } = slot;
    for (const member of this.members.values()) {
      if (member === owner || !member.isReady) continue;
      if (member.peer.send(slot.index, bytes)) this.#traffic.packetsOut++;
    }
  }
};

// packages/server/src/engines/sfu/child/description.ts
var InvalidDescription = class extends Error {
};
var FORMAT = "minptime=10;useinbandfec=1;usedtx=1;stereo=0;sprop-stereo=0;maxaveragebitrate=32000";
var LEVEL = "urn:ietf:params:rtp-hdrext:ssrc-audio-level";
function readOffer(text) {
  const sdp = prepared(text);
  const media = sdp.match(/^m=.*$/gm) ?? [];
  if (media.length !== 1 || !media[0]?.startsWith("m=audio "))
    throw new InvalidDescription("must have exactly one m-line, for audio");
  if (!/^a=sendonly\r?$/m.test(sdp)) throw new InvalidDescription("must be sendonly");
  const payloadType = Number(/^a=rtpmap:(\d{1,3}) opus\/48000\/2\s*$/im.exec(sdp)?.[1] ?? -1);
  if (payloadType < 0 || payloadType > 127) throw new InvalidDescription("must offer Opus");
  requireTransport(sdp);
  const levelId = Number(new RegExp(`^a=extmap:(\\d{1,2})(?:/\\w+)? ${LEVEL}`, "m").exec(sdp)?.[1] ?? 0);
  return { sdp: opusOnly(sdp), payloadType, levelId };
}
function readAnswer(text, slots2) {
  const sdp = prepared(text);
  const media = sdp.match(/^m=.*$/gm) ?? [];
  if (media.length !== slots2 + 1 || !media.every((line) => line.startsWith("m=audio ")))
    throw new InvalidDescription("must answer every m-line of the offer");
  requireTransport(sdp);
  const setup = /^a=setup:\w+/m.exec(sdp)?.[0] ?? "";
  return sdp.replace(/^a=setup:\w+/gm, setup);
}
function requireTransport(sdp) {
  for (const line of ["ice-ufrag", "ice-pwd", "fingerprint", "setup"])
    if (!new RegExp(`^a=${line}:\\S`, "m").test(sdp)) throw new InvalidDescription(`has no a=${line}`);
}
var prepared = (text) => text.replace(/^a=(?:candidate|end-of-candidates|remote-candidates).*(?:\r?\n|$)/gm, "");
function opusOnly(sdp, ptime) {
  return sectionsOf(sdp).map((section) => section.startsWith("m=audio") ? opusSection(section, ptime) : section).join("");
}
function opusSection(section, ptime) {
  const payloadType = /^a=rtpmap:(\d+) opus\/48000/im.exec(section)?.[1];
  if (payloadType === void 0) return section;
  const [media = "", ...rest] = section.split(/\r?\n/);
  const kept = rest.filter(
    (line) => !/^a=(?:fmtp|rtcp-fb|ptime|maxptime):/.test(line) && (!line.startsWith("a=rtpmap:") || line.startsWith(`a=rtpmap:${payloadType} `)) && (!line.startsWith("a=extmap:") || line.includes(LEVEL))
  );
  const at = kept.findIndex((line) => line.startsWith("a=rtpmap:"));
  const timing = ptime === void 0 ? [] : [`a=ptime:${ptime}`, `a=maxptime:${ptime}`];
  kept.splice(at + 1, 0, `a=fmtp:${payloadType} ${FORMAT}`, ...timing);
  return [media.replace(/^(m=audio \d+ \S+) .*/, `$1 ${payloadType}`), ...kept].join("\r\n");
}
function withCandidates(sdp, { address, port: port2, repairPort }) {
  const lines = [
    `a=candidate:1 1 UDP 2122317823 ${address} ${port2} typ host`,
    ...repairPort === void 0 ? [] : [`a=candidate:2 1 UDP 1677724415 ${address} ${repairPort} typ host`],
    `a=candidate:3 1 TCP 1015021823 ${address} ${port2} typ host tcptype passive`,
    "a=end-of-candidates"
  ];
  let isDone = false;
  return sectionsOf(prepared(sdp)).map((section) => {
    if (isDone || !section.startsWith("m=")) return section;
    isDone = true;
    return `${section.replace(/\r?\n$/, "")}\r
${lines.join("\r\n")}\r
`;
  }).join("");
}
var sectionsOf = (sdp) => sdp.split(/^(?=m=)/m);
var iceCredentialsOf = (sdp) => ({
  name: /^a=ice-ufrag:(\S+)/m.exec(sdp)?.[1] ?? "",
  password: /^a=ice-pwd:(\S+)/m.exec(sdp)?.[1] ?? ""
});

// packages/server/src/engines/sfu/child/ice-tcp.ts
import { createSocket } from "node:dgram";
import { createServer, isIPv6 } from "node:net";

// packages/server/src/engines/sfu/child/stun.ts
import { createHmac, timingSafeEqual } from "node:crypto";
var HEADER_BYTES2 = 20;
var INTEGRITY_BYTES = 4 + 20;
var BINDING_REQUEST = 1;
var COOKIE = 554869826;
var ATTRIBUTE = {
  username: 6,
  integrity: 8,
  fingerprint: 32808,
  controlled: 32809,
  controlling: 32810
};
var isBindingRequest = (message) => message.length >= HEADER_BYTES2 && message.readUInt16BE(0) === BINDING_REQUEST && message.readUInt32BE(4) === COOKIE;
function integrityOf(message, integrityAt, password) {
  const header = Buffer.from(message.subarray(0, HEADER_BYTES2));
  header.writeUInt16BE(integrityAt + INTEGRITY_BYTES - HEADER_BYTES2, 2);
  const rest = message.subarray(HEADER_BYTES2, integrityAt);
  return createHmac("sha1", password).update(header).update(rest).digest();
}
function readBindingRequest(message, passwords2) {
  if (!isBindingRequest(message)) return void 0;
  let name = "";
  let [tieBreakerAt, integrityAt, fingerprintAt] = [-1, -1, -1];
  for (let at = HEADER_BYTES2; at + 4 <= message.length; ) {
    const type = message.readUInt16BE(at);
    const length = message.readUInt16BE(at + 2);
    if (at + 4 + length > message.length) return void 0;
    const isTieBreaker = type === ATTRIBUTE.controlled || type === ATTRIBUTE.controlling;
    if (integrityAt >= 0) {
      if (type === ATTRIBUTE.fingerprint && length === 4) fingerprintAt = at;
    } else if (type === ATTRIBUTE.username)
      name = message.toString("utf8", at + 4, at + 4 + length).split(":")[0] ?? "";
    else if (isTieBreaker && length === 8) tieBreakerAt = at;
    else if (type === ATTRIBUTE.integrity && length === 20) integrityAt = at;
    at += 4 + (length + 3 & ~3);
  }
  const password = passwords2.get(name);
  if (password === void 0 || integrityAt < 0) return void 0;
  const signature = message.subarray(integrityAt + 4, integrityAt + INTEGRITY_BYTES);
  if (!timingSafeEqual(signature, integrityOf(message, integrityAt, password))) return void 0;
  return { name, password, tieBreakerAt, integrityAt, fingerprintAt };
}

// packages/server/src/platform/networks.ts
import { BlockList, isIP } from "node:net";
var NOT_PUBLIC_V4 = [
  ["0.0.0.0", 8],
  // this network
  ["10.0.0.0", 8],
  // private
  ["100.64.0.0", 10],
  // shared by a provider's customers
  ["127.0.0.0", 8],
  // loopback
  ["168.63.129.16", 32],
  // the platform of Azure, inside each virtual machine
  ["169.254.0.0", 16],
  // link-local; metadata services of cloud providers
  ["172.16.0.0", 12],
  // private
  ["192.0.0.0", 24],
  // protocol assignments
  ["192.0.2.0", 24],
  // documentation
  ["192.31.196.0", 24],
  // AS112
  ["192.52.193.0", 24],
  // AMT
  ["192.88.99.0", 24],
  // 6to4 relays
  ["192.168.0.0", 16],
  // private
  ["192.175.48.0", 24],
  // AS112
  ["198.18.0.0", 15],
  // benchmarks
  ["198.51.100.0", 24],
  // documentation
  ["203.0.113.0", 24],
  // documentation
  ["224.0.0.0", 4],
  // multicast
  ["240.0.0.0", 4]
  // reserved, broadcast
];
var ASSIGNED_V6 = ["2000::", 3];
var NOT_PUBLIC_V6 = [
  ["2001::", 23],
  // protocol assignments, Teredo, ORCHID
  ["2001:db8::", 32],
  // documentation
  ["2002::", 16],
  // 6to4
  ["2620:4f:8000::", 48],
  // AS112
  ["3fff::", 20]
  // documentation
];
var notPublicV4 = listOf("ipv4", NOT_PUBLIC_V4);
var notPublicV6 = listOf("ipv6", NOT_PUBLIC_V6);
var assignedV6 = listOf("ipv6", [ASSIGNED_V6]);
var loopback = listOf("ipv4", [["127.0.0.0", 8]]);
loopback.addAddress("::1", "ipv6");
function listOf(family, ranges) {
  const list = new BlockList();
  for (const [address, bits] of ranges) list.addSubnet(address, bits, family);
  return list;
}
var MAPPED_V4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
function limitedAddress(ip) {
  if (!ip.includes(":")) return ip;
  const mapped = MAPPED_V4.exec(ip)?.[1];
  if (mapped !== void 0) return mapped;
  if (isIP(ip) !== 6) return ip;
  const groups = groupsOf(ip);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 65535;
  if (isMapped)
    return groups.slice(6).flatMap((group) => [group >> 8, group & 255]).join(".");
  return `${groups.slice(0, 4).map((group) => group.toString(16)).join(":")}::/64`;
}
function groupsOf(ip) {
  const [head = "", tail] = ip.replace(/%.*/, "").split("::");
  const [first, last] = [numbersOf(head), numbersOf(tail ?? "")];
  return [...first, ...Array(Math.max(0, 8 - first.length - last.length)).fill(0), ...last];
}
var numbersOf = (text) => text.split(":").filter(Boolean).flatMap((group) => {
  if (!group.includes(".")) return parseInt(group, 16);
  const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
  return [a << 8 | b, c << 8 | d];
});

// packages/server/src/engines/sfu/child/counts.ts
var Counts = class {
  #counts = /* @__PURE__ */ new Map();
  #max;
  constructor(max) {
    this.#max = max;
  }
  isFull(key) {
    return (this.#counts.get(key) ?? 0) >= this.#max;
  }
  add(key) {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }
  remove(key) {
    const count2 = (this.#counts.get(key) ?? 0) - 1;
    if (count2 > 0) this.#counts.set(key, count2);
    else this.#counts.delete(key);
  }
};

// packages/server/src/engines/sfu/child/tcp-places.ts
var MEMBERS_MAX = 2e3;
var MEMBERS_PER_ADDRESS_MAX = 500;
var PER_MEMBER_MAX = 32;
var WAITING_MAX = 512;
var WAITING_PER_ADDRESS_MAX = 64;
function createTcpPlaces() {
  const waiting = /* @__PURE__ */ new Set();
  const waitingAt = new Counts(WAITING_PER_ADDRESS_MAX);
  const membersAt = new Counts(MEMBERS_PER_ADDRESS_MAX);
  const ofMember = new Counts(PER_MEMBER_MAX);
  let members = 0;
  function makeRoom(address) {
    const isAddressFull = waitingAt.isFull(address);
    if (!isAddressFull && waiting.size < WAITING_MAX) return;
    for (const oldest of waiting) if (!isAddressFull || oldest.address === address) return oldest.end();
  }
  return {
    count: () => waiting.size + members,
    /** `end` must call `leave`. */
    enter(ip, end2) {
      const address = limitedAddress(ip);
      makeRoom(address);
      const entry = { address, end: end2 };
      waiting.add(entry);
      waitingAt.add(address);
      let member;
      const stopWaiting = () => waiting.delete(entry) && waitingAt.remove(address);
      return {
        admit(name) {
          if (members >= MEMBERS_MAX || membersAt.isFull(address) || ofMember.isFull(name)) return false;
          stopWaiting();
          member = name;
          members++;
          membersAt.add(address);
          ofMember.add(name);
          return true;
        },
        leave() {
          stopWaiting();
          if (member === void 0) return;
          members--;
          membersAt.remove(address);
          ofMember.remove(member);
          member = void 0;
        }
      };
    }
  };
}

// packages/server/src/engines/sfu/child/ice-tcp.ts
var FIRST_FRAME_TIMEOUT_MS = 5e3;
var FRAME_BYTES_MAX = 1500;
var QUEUED_BYTES_MAX = 64 * 1024;
var LENGTH_BYTES = 2;
var IDLE_MS = 3e4;
function createIceTcp(engine, passwords2) {
  const places = createTcpPlaces();
  const server = createServer((socket) => {
    if (socket.remoteAddress === void 0) return void socket.destroy();
    const { remoteAddress } = socket;
    bridge(socket, engine, passwords2, (end2) => places.enter(remoteAddress, end2));
  });
  server.on("error", () => {
  });
  return { server, connections: places.count };
}
function bridge(socket, engine, passwords2, enter) {
  const udp = createSocket(isIPv6(engine.address) ? "udp6" : "udp4");
  let received = Buffer.alloc(0);
  let isKnown = false;
  let isOver = false;
  socket.setNoDelay(true);
  socket.setTimeout(IDLE_MS, end2);
  const timer = setTimeout(() => !isKnown && end2(), FIRST_FRAME_TIMEOUT_MS);
  const place = enter(end2);
  function end2() {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    socket.destroy();
    udp.close();
    place.leave();
  }
  socket.on("data", (data) => {
    received = received.length > 0 ? Buffer.concat([received, data]) : data;
    while (received.length >= LENGTH_BYTES) {
      const length = received.readUInt16BE(0);
      if (length === 0 || length > FRAME_BYTES_MAX) return end2();
      if (received.length < LENGTH_BYTES + length) return;
      const frame = received.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
      received = received.subarray(LENGTH_BYTES + length);
      if (!isKnown) {
        const request = readBindingRequest(frame, passwords2);
        isKnown = request !== void 0 && place.admit(request.name);
        if (!isKnown) return end2();
      }
      udp.send(frame, engine.port(), engine.address);
    }
  });
  udp.on("message", (message) => {
    if (isOver || socket.writableLength > QUEUED_BYTES_MAX) return;
    const frame = Buffer.allocUnsafe(LENGTH_BYTES + message.length);
    frame.writeUInt16BE(message.length, 0);
    message.copy(frame, LENGTH_BYTES);
    socket.write(frame);
  });
  udp.on("error", end2);
  socket.on("error", end2);
  socket.on("close", end2);
  udp.bind(0, engine.address);
}

// packages/server/src/engines/sfu/child/ports.ts
import { createSocket as createSocket2 } from "node:dgram";
import { once } from "node:events";
import { isIPv6 as isIPv62 } from "node:net";
var TRIES_MAX = 20;
async function bindPorts(server, { host: host2, wanted, needsNext }) {
  for (let tries = 0; ; tries++) {
    const port2 = await listen(server, host2, tries === 0 ? wanted : 0);
    const udp = port2 === void 0 ? void 0 : await bindUdp(host2, port2);
    if (port2 !== void 0 && udp) {
      const repair2 = needsNext ? await bindUdp(host2, port2 + 1) : void 0;
      await new Promise((resolve) => udp.close(resolve));
      if (!needsNext || repair2) return { port: port2, repair: repair2 };
    }
    if (tries >= TRIES_MAX) throw new Error(`no port of ${host2} is free for voice`);
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
}
async function listen(server, host2, port2) {
  try {
    server.listen(port2, host2);
    await once(server, "listening");
    return server.address().port;
  } catch {
    return void 0;
  }
}
async function bindUdp(host2, port2) {
  const socket = createSocket2(isIPv62(host2) ? "udp6" : "udp4");
  socket.on("error", () => {
  });
  try {
    socket.bind(port2, host2);
    await once(socket, "listening");
    return socket;
  } catch {
    socket.close();
    return void 0;
  }
}

// packages/server/src/engines/sfu/child/turn-limit.ts
var TURN_MAX_MS = 500;
var TurnLimit = class {
  #startedAtMs;
  /** False: packets have been forwarded for too long in this turn. */
  admits(nowMs) {
    if (this.#startedAtMs === void 0) {
      this.#startedAtMs = nowMs;
      setImmediate(() => this.#startedAtMs = void 0);
    }
    return nowMs - this.#startedAtMs <= TURN_MAX_MS;
  }
};

// packages/server/src/engines/sfu/child/turn-repair.ts
import { createSocket as createSocket3 } from "node:dgram";
import { isIPv6 as isIPv63 } from "node:net";
import { crc32 } from "node:zlib";
var IDLE_MS2 = 3e4;
var SWEEP_MS = 5e3;
var CLIENTS_MAX = 2e3;
var CLIENTS_PER_MEMBER_MAX = 32;
var FINGERPRINT_XOR = 1398035790;
function openTurnRepair(socket, engine, passwords2) {
  const clients = /* @__PURE__ */ new Map();
  const ofMember = new Counts(CLIENTS_PER_MEMBER_MAX);
  const ignoreErrors = () => {
  };
  socket.on("error", ignoreErrors);
  function newClient(name, address, port2) {
    if (clients.size >= CLIENTS_MAX || ofMember.isFull(name)) return void 0;
    const upstream = createSocket3(isIPv63(engine.address) ? "udp6" : "udp4");
    upstream.on("message", (answer2) => socket.send(answer2, port2, address, ignoreErrors));
    upstream.on("error", ignoreErrors);
    const client = { upstream, usedAtMs: 0, name };
    clients.set(`${address} ${port2}`, client);
    ofMember.add(name);
    return client;
  }
  socket.on("message", (message, { address, port: port2 }) => {
    if (port2 === 0) return;
    const request = readBindingRequest(message, passwords2);
    if (!request && isBindingRequest(message)) return;
    const client = clients.get(`${address} ${port2}`) ?? (request && newClient(request.name, address, port2));
    if (!client) return;
    client.usedAtMs = performance.now();
    const forwarded = request ? repaired(message, request) : message;
    client.upstream.send(forwarded, engine.port, engine.address, ignoreErrors);
  });
  setInterval(() => {
    for (const [key, { upstream, usedAtMs, name }] of clients) {
      if (performance.now() - usedAtMs < IDLE_MS2) continue;
      upstream.close();
      clients.delete(key);
      ofMember.remove(name);
    }
  }, SWEEP_MS).unref();
}
function repaired(message, { password, tieBreakerAt, integrityAt, fingerprintAt }) {
  if (tieBreakerAt < 0 || message.readBigUInt64BE(tieBreakerAt + 4) !== 0n) return message;
  const changed = Buffer.from(message);
  changed.writeBigUInt64BE(1n, tieBreakerAt + 4);
  integrityOf(changed, integrityAt, password).copy(changed, integrityAt + 4);
  if (fingerprintAt >= 0) {
    const checksum = (crc32(changed.subarray(0, fingerprintAt)) ^ FINGERPRINT_XOR) >>> 0;
    changed.writeUInt32BE(checksum, fingerprintAt + 4);
  }
  return changed;
}

// packages/server/src/engines/sfu/child/main.ts
var settings = JSON.parse(process.argv[2] ?? "");
var { slots } = settings;
var { address: host } = await lookup(settings.host);
var SPEAKERS_INTERVAL_MS = 200;
var calls = /* @__PURE__ */ new Map();
var changedCalls = /* @__PURE__ */ new Set();
var traffic = newTraffic();
var turn = new TurnLimit();
var passwords = /* @__PURE__ */ new Map();
var loopDelay = monitorEventLoopDelay({ resolution: 10 });
loopDelay.enable();
var loopback2 = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host];
var engineAddress = loopback2 ?? host;
var tcp = createIceTcp({ address: engineAddress, port: () => port }, passwords);
var { port, repair } = await bindPorts(tcp.server, {
  host,
  wanted: settings.port,
  needsNext: settings.repairsTurn
});
var keepsPort = openPeer({ host, port });
await keepsPort.offer(1);
if (repair) openTurnRepair(repair, { address: engineAddress, port }, passwords);
function send(message) {
  if (process.connected) process.send?.(message, void 0, void 0, () => {
  });
}
async function admit({ callId, memberId, offer, canSpeak, address, ptime }, requestId) {
  const { sdp, payloadType, levelId } = readOffer(offer);
  const call = calls.get(callId) ?? newCall(callId);
  call.remove(memberId);
  const peer = openPeer({ host, port });
  const member = call.add(memberId, peer, { requestId, canSpeak, payloadType, levelId });
  const isCurrent = () => call.members.get(memberId) === member;
  peer.onFailed = () => {
    if (!isCurrent()) return;
    remove({ callId, memberId });
    send({ event: "gone", callId, memberId });
  };
  try {
    const announced = { address: loopback2 ? address : host, port, repairPort: repair && port + 1 };
    const ours = (text) => withCandidates(opusOnly(text, ptime), announced);
    const answer2 = await peer.publish(sdp).catch(refusedByEngine);
    rememberPassword(answer2, peer);
    const offered = await peer.offer(slots);
    if (!isCurrent()) throw new Error("replaced or removed meanwhile");
    return { answer: ours(answer2), offer: ours(offered) };
  } catch (error) {
    if (isCurrent()) remove({ callId, memberId });
    throw error;
  }
}
function newCall(callId) {
  const call = new Call(slots, traffic, turn, performance.now(), () => changedCalls.add(callId));
  calls.set(callId, call);
  return call;
}
function rememberPassword(sdp, peer) {
  const { name, password } = iceCredentialsOf(sdp);
  passwords.set(name, password);
  const { close } = peer;
  peer.close = () => {
    passwords.delete(name);
    close();
  };
}
function answer({ callId, memberId, sdp }) {
  const member = calls.get(callId)?.members.get(memberId);
  if (!member) throw new Error("there is no such member");
  const checked = readAnswer(sdp, slots);
  try {
    member.peer.answer(checked);
  } catch (error) {
    refusedByEngine(error);
  }
  member.isReady = true;
  return null;
}
function refusedByEngine(error) {
  throw new InvalidDescription(`is refused: ${error instanceof Error ? error.message : "unknown reason"}`);
}
function remove({ callId, memberId }) {
  const call = calls.get(callId);
  call?.remove(memberId);
  if (call?.members.size === 0) calls.delete(callId);
}
function cancel({ callId, memberId, id }) {
  const member = calls.get(callId)?.members.get(memberId);
  if (member?.requestId === id) remove({ callId, memberId });
}
function end(callId) {
  calls.get(callId)?.close();
  calls.delete(callId);
}
function expire(callId, call) {
  const memberIds = [...call.members.keys()];
  end(callId);
  for (const memberId of memberIds) send({ event: "gone", callId, memberId });
}
function renew(callIds) {
  for (const callId of callIds) {
    const call = calls.get(callId);
    if (call) call.renewedAtMs = performance.now();
  }
}
function run(command) {
  switch (command.do) {
    case "setCanSpeak":
      return calls.get(command.callId)?.setCanSpeak(command.memberId, command.canSpeak);
    case "setSpeaking":
      return calls.get(command.callId)?.setSpeaking(command.memberId, command.speaking);
    case "remove":
      return remove(command);
    case "cancel":
      return cancel(command);
    case "renew":
      return renew(command.callIds);
    case "end":
      return end(command.callId);
  }
}
async function respond(request) {
  const { id } = request;
  try {
    const value = request.do === "admit" ? await admit(request, id) : answer(request);
    send({ event: "answer", id, value });
  } catch (error) {
    if (error instanceof InvalidDescription) return send({ event: "refused", id, problem: error.message });
    send({ event: "failed", id, reason: error instanceof Error ? error.message : "unknown" });
  }
}
process.on("message", (message) => {
  if (message.do === "admit" || message.do === "answer") void respond(message);
  else run(message);
});
process.on("disconnect", () => process.exit(0));
process.on("SIGINT", () => {
});
setInterval(() => {
  const nowMs = performance.now();
  for (const [callId, call] of calls) {
    call.freeQuietSlots(nowMs);
    if (changedCalls.has(callId)) send({ event: "speakers", callId, slots: call.speakers });
  }
  changedCalls.clear();
}, SPEAKERS_INTERVAL_MS);
setInterval(() => {
  const nowMs = performance.now();
  let members = 0;
  for (const [callId, call] of calls) {
    if (nowMs - call.renewedAtMs > settings.leaseMs) expire(callId, call);
    else members += call.members.size;
  }
  const { user, system } = process.cpuUsage();
  send({
    event: "report",
    calls: calls.size,
    members,
    ...traffic,
    cpuMs: (user + system) / 1e3,
    residentBytes: process.memoryUsage.rss(),
    loopDelayMs: loopDelay.percentile(99) / 1e6,
    tcpConnections: tcp.connections()
  });
  loopDelay.reset();
}, settings.reportMs);
send({ event: "ready", port });
