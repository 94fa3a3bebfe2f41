/** An app whose built-in browser shows the page. */
export type InAppBrowser = 'x' | 'instagram' | 'facebook' | 'line' | 'tiktok'

const SIGNS: [InAppBrowser, RegExp][] = [
  ['x', /\bTwitter for i(Phone|Pad)\b|\bTwitterAndroid\b/],
  ['instagram', /\bInstagram \d/],
  ['facebook', /\bFB(AN|AV|_IAB)\//],
  ['line', /\bLine\/\d/],
  ['tiktok', /\b(musical_ly|BytedanceWebview|TikTok|trill)[_/ ]/],
]

/**
 * The app that shows the page in its built-in browser, which has no saved passwords and no other tabs, and may lose the session.
 */
export const inAppBrowserOf = (userAgent: string): InAppBrowser | undefined =>
  SIGNS.find(([, sign]) => sign.test(userAgent))?.[0]

/** A URL that opens the browser of the device from the app; the URL of the page if there is none. */
export function leavingUrl(url: string, userAgent: string): string {
  if (inAppBrowserOf(userAgent) === 'line') {
    const external = new URL(url)
    external.searchParams.set('openExternalBrowser', '1')
    return external.href
  }
  if (/\bAndroid\b/.test(userAgent)) {
    const [scheme = '', rest = ''] = url.split('://')
    return `intent://${rest}#Intent;scheme=${scheme};action=android.intent.action.VIEW;end`
  }
  return /\b(iPhone|iPad|iPod)\b/.test(userAgent) ? `x-safari-${url}` : url
}
