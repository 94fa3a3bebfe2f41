import { type Static, Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { Nullable, Timestamp } from '../common/schemas.ts'
import { DeveloperSession } from './developers.ts'

/** Sign-in of a command line: it shows a one-time code, and a signed-in developer confirms the code in the dashboard. */

/** Digits and letters without I, L, O and U, which are easy to misread; `ABCD-EFGH`. */
const Code = Type.String({
  minLength: 8,
  maxLength: 32,
  description: 'the 8 characters that the command line shows; case, spaces and dashes are ignored',
})

/** A new device code. */
export type DeviceCode = Static<typeof DeviceCode>
/** `deviceSecret` is returned only here: the service stores its hash. */
export const DeviceCode = Type.Object({
  code: Type.String({ description: 'the code to type in the dashboard' }),
  deviceSecret: Type.String({
    description: 'proves that the session is collected by the client that asked for it',
  }),
  url: Type.String({ description: 'the page of the dashboard where the code is confirmed' }),
  expiresIn: Type.Integer({ description: 'seconds' }),
  intervalSeconds: Type.Integer({ description: 'seconds to wait between two calls' }),
})

/** Start the sign-in of a command line. */
export const createDeviceCode = endpoint('POST /v1/x/developers/device-codes', {
  summary:
    'Start the sign-in of a command line; returns a code that a signed-in developer confirms in the dashboard',
  caller: 'none',
  signIn: true,
  response: DeviceCode,
  status: 201,
})

/** The state of the sign-in of a command line. */
export type DeviceSignIn = Static<typeof DeviceSignIn>
/** `session` is null unless `status` is `confirmed`. */
export const DeviceSignIn = Type.Object({
  status: Type.Union([Type.Literal('pending'), Type.Literal('confirmed'), Type.Literal('refused')]),
  session: Nullable(DeveloperSession),
})

/** Collect the session of a confirmed code, once. */
export const collectDeviceSession = endpoint('POST /v1/x/developers/device-codes/session', {
  summary: 'Collect the session once the code is confirmed; works once, within 10 minutes of the start',
  caller: 'none',
  body: Type.Object({ deviceSecret: Type.String({ minLength: 1, maxLength: 128 }) }),
  response: DeviceSignIn,
  errors: ['invalid_or_expired_token'],
})

/** Who asks for a session. */
export type DeviceRequest = Static<typeof DeviceRequest>
/** `isYourAddress` is false if the request came from another network than this call. */
export const DeviceRequest = Type.Object({
  code: Type.String(),
  address: Type.String({ description: 'the IP address that requested the code' }),
  isYourAddress: Type.Boolean({ description: 'whether this request comes from the same IP address' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})

/** Show who asks for a session. */
export const findDeviceCode = endpoint('POST /v1/x/developers/device-codes/lookup', {
  summary: 'Show who is asking for a session; before you confirm the code',
  caller: 'developer',
  role: 'account',
  body: Type.Object({ code: Code }),
  response: DeviceRequest,
  errors: ['invalid_code'],
})

/** Confirm or refuse a code. */
export const decideDeviceCode = endpoint('POST /v1/x/developers/device-codes/decision', {
  summary: 'Confirm or refuse a code; confirming it signs the command line in to your account',
  caller: 'developer',
  role: 'account',
  body: Type.Object({ code: Code, confirm: Type.Boolean() }),
  response: Type.Object({ confirmed: Type.Boolean() }),
  errors: ['invalid_code'],
})
