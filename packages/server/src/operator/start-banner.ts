import { relative } from 'node:path'

import type { SandboxLevel } from '../platform/ports/functions-engine.ts'
import type { Settings } from '../settings.ts'
import { VERSION } from '../version.ts'

/** The text that is printed when the service has started. */
export function startBanner(
  settings: Settings,
  tookMs: number,
  functions: SandboxLevel,
  { setupLink, lacksOperator }: { setupLink: string | undefined; lacksOperator: boolean },
): string {
  const { baseUrl, dataDir, databaseUrl, redisUrl, mail, warnings } = settings
  const rows = [
    [
      'Dashboard',
      setupLink ? `${setupLink} (one-time link: creates the operator’s account)` : `${baseUrl}/dashboard`,
    ],
    ['API', `${baseUrl}/v1`],
    ['Docs', `${baseUrl}/docs`],
    ['Database', databaseUrl ? 'PostgreSQL' : `SQLite in ${fromHere(dataDir)}`],
    ...(redisUrl ? [['Nodes', 'joined by Redis']] : []),
    ['Mail', mail.smtpUrl ? 'sent by SMTP' : 'not sent; read it with: svc mail'],
    ['Functions', functionsText(functions)],
  ]
  return [
    '',
    `  svc ${VERSION}  ready in ${(tookMs / 1_000).toFixed(1)} s`,
    ...rows.map(([name = '', value = '']) => `  ${name.padEnd(10)} ${value}`),
    ...[...warnings, ...(lacksOperator ? [NO_OPERATOR] : [])].map((warning) => `  ! ${warning}`),
    '',
  ].join('\n')
}

const NO_OPERATOR =
  'This service has accounts, but no operator. Make one of them the operator: svc-server developers operator <email>'

function functionsText(found: SandboxLevel): string {
  if (found.level === 'none') return `not available: ${found.reason}`
  const account = found.account === 'own' ? 'an account of their own' : 'the account of the service'
  switch (found.level) {
    case 'bubblewrap':
      return `run in a sandbox (bubblewrap), with ${account}`
    case 'uid':
      return `run without a full sandbox, with ${account}: install bubblewrap`
    case 'plain':
      return `run without a sandbox, with ${account}: install bubblewrap before you run code of others`
  }
}

const fromHere = (path: string): string => {
  const way = relative(process.cwd(), path)
  return way.startsWith('..') ? path : `./${way}`
}
