import { spawn } from 'node:child_process'

/** Opens a URL that is also printed: a machine without a browser is not an error. */
export function openInBrowser(url: string) {
  if (!/^https?:/.test(url)) return
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(program ?? '', [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
