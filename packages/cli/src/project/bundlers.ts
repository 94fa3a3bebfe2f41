import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { keyName } from './keys-file.ts'
import type { Manifest } from './manifest.ts'

/** How the pages of a folder are built, and the code and commands for it. */
export type Bundler = {
  name: 'vite' | 'next' | 'plain'
  title: string
  /** Prefix of variables that the bundler includes in the page; undefined without a bundler. */
  prefix?: string
  /** Code to add to the page. */
  code: string[]
  /** The folder with the built app. */
  output: string
  /** Command that deploys the app. */
  deploy: string
}

const PUBLISHABLE = keyName('development', 'publishable')

/** The development server of the bundler needs URL and key; an app that svc hosts needs neither. */
const connecting = (start: string, isDevelopment: string, variables: string, prefix: string) => [
  `${start}connect(`,
  `  ${isDevelopment}`,
  '    ? {',
  `        url: ${variables}.${prefix}SVC_URL,`,
  `        key: ${variables}.${prefix}${PUBLISHABLE},`,
  '      }',
  '    : {},',
  ')',
]

const VITE: Bundler = {
  name: 'vite',
  title: 'Vite',
  prefix: 'VITE_',
  code: [
    "import { connect } from '@svc/sdk'",
    '',
    ...connecting('const svc = await ', 'import.meta.env.DEV', 'import.meta.env', 'VITE_'),
    'console.log(svc.player.displayName)',
  ],
  output: 'dist',
  deploy: 'npm run build && svc deploy dist',
}

const NEXT: Bundler = {
  name: 'next',
  title: 'Next.js',
  prefix: 'NEXT_PUBLIC_',
  code: [
    "'use client' // call connectSvc in useEffect: it needs a browser",
    "import { connect } from '@svc/sdk'",
    '',
    ...connecting(
      'export const connectSvc = () => ',
      "process.env.NODE_ENV === 'development'",
      'process.env',
      'NEXT_PUBLIC_',
    ),
  ],
  output: 'out',
  deploy: "npm run build && svc deploy out   (needs output: 'export' in the config of Next.js)",
}

const plain = (output: string): Bundler => ({
  name: 'plain',
  title: 'plain HTML',
  code: [
    '<script type="module">',
    "  import { connect } from '/.svc/sdk.js'",
    '  const svc = await connect()',
    '  console.log(svc.player.displayName)',
    '</script>',
  ],
  output,
  deploy: `svc deploy ${output}`,
})

/** Recognizes the bundler by a dependency in package.json, or by its config file. */
export function bundlerOf(folder: string, { dependencies, devDependencies }: Manifest = {}): Bundler {
  const names = new Set(Object.keys({ ...dependencies, ...devDependencies }))
  const files = readdirSync(folder)
  const uses = (name: string) =>
    names.has(name) || files.some((file) => new RegExp(`^${name}\\.config\\.[cm]?[jt]s$`).test(file))
  if (uses('next')) return NEXT
  if (uses('vite')) return VITE
  const isRoot = existsSync(join(folder, 'index.html')) && !existsSync(join(folder, 'public'))
  return plain(isRoot ? '.' : 'public')
}
