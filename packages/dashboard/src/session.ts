import { signal } from '@preact/signals'

import { nowMs } from './platform.ts'

/**
 * The session token (kds_…) of this browser: in `localStorage` for all tabs if the developer stays signed in, otherwise in
 * `sessionStorage`. No cookie: the API reads only the header, so no other site can use it.
 */
const NAME = 'svc.developer'
const SINCE = 'svc.developer.since'
const FRESH_MS = 15 * 60_000

/** The token of this tab, or null before the sign-in. */
export const token = signal<string | null>(localStorage.getItem(NAME) ?? sessionStorage.getItem(NAME))

/** After a sign-in. */
export function keepToken(value: string, staySignedIn: boolean) {
  const storage = staySignedIn ? localStorage : sessionStorage
  storage.setItem(NAME, value)
  storage.setItem(SINCE, String(nowMs()))
  token.value = value
}

/** The same developer has proven their identity again. */
export const replaceToken = (value: string) => keepToken(value, localStorage.getItem(NAME) !== null)

/** After a sign-out, in all tabs. */
export function forgetToken() {
  for (const storage of [localStorage, sessionStorage]) {
    storage.removeItem(NAME)
    storage.removeItem(SINCE)
  }
  token.value = null
}

/** Whether the developer has signed in or proven their identity in the last 15 minutes. */
export const isFresh = (): boolean =>
  nowMs() - Number(localStorage.getItem(SINCE) ?? sessionStorage.getItem(SINCE) ?? 0) < FRESH_MS

/** A sign-in or sign-out in one tab applies to all tabs. */
export function followOtherTabs() {
  addEventListener('storage', (event) => {
    if (event.key !== NAME || sessionStorage.getItem(NAME)) return
    token.value = event.newValue
  })
}
