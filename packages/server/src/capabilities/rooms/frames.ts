import * as peerToPeerContract from '@svc/contract/realtime/peer-to-peer'
import * as contract from '@svc/contract/realtime/rooms'

import type { OnFrame } from '../../edge/realtime/frames.ts'
import type { Matchmaking } from './matchmaking.ts'
import type { PeerToPeer } from './peer-to-peer.ts'
import type { Rooms } from './rooms.ts'

export function roomFrames(
  on: OnFrame,
  { rooms, matchmaking, peerToPeer }: { rooms: Rooms; matchmaking: Matchmaking; peerToPeer: PeerToPeer },
) {
  on(contract.create, (caller) => rooms.create(caller, caller.fields, caller.raw))
  on(contract.join, (caller) => rooms.join(caller, caller.fields))
  on(contract.resume, (caller) => rooms.resume(caller, caller.fields.roomId))
  on(contract.leave, (caller) => rooms.leave(caller, caller.fields))
  on(contract.quickMatch, (caller) => matchmaking.quickMatch(caller, caller.fields))
  on(contract.cancelMatch, (caller) => matchmaking.cancelMatch(caller))
  on(contract.send, (caller) => rooms.send(caller, caller.fields, caller.raw))
  on(contract.setState, (caller) => rooms.setState(caller, caller.members))
  on(contract.setMyState, (caller) => rooms.setMyState(caller, caller.members))
  on(contract.lock, (caller) => rooms.lock(caller, caller.fields.locked))
  on(peerToPeerContract.signal, (caller) => peerToPeer.signal(caller, caller.fields, caller.raw))
  on(peerToPeerContract.iceServers, (caller) => peerToPeer.iceServers(caller))
}
