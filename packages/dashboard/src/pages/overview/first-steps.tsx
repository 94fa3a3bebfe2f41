import { useState } from 'preact/hooks'

import type { Route } from '../../route.ts'
import { setUpCommands } from '../../set-up.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { DoneIcon, OpenIcon, TodoIcon } from '../../ui/icons.ts'
import { Snippet } from '../../ui/parts.tsx'

type Done = { key: boolean; config: boolean; version: boolean; room: boolean }
type Step = {
  title: string
  about: string
  isDone: boolean
  code: string
  label: string
  page?: [string, string]
}

/** What to do next, with a line to copy. Steps are done by facts, not by a click. */
export function FirstSteps({ route, done }: { route: Route; done: Done }) {
  const steps = route.env === 'production' ? productionSteps(done) : developmentSteps(route, done)
  const next = steps.findIndex(({ isDone }) => !isDone)
  const [chosen, choose] = useState<number | null>(null)
  const at = chosen ?? Math.max(0, next)
  const step = steps[at]
  const count = steps.filter(({ isDone }) => isDone).length
  return (
    <section class="card steps">
      <div class="steps-list">
        <div class="steps-head">
          <h2>First steps</h2>
          <span class="tiny faint tabular">
            {count} of {steps.length}
          </span>
        </div>
        <span class="meter" aria-hidden="true">
          <span style={{ width: `${(count / steps.length) * 100}%` }} />
        </span>
        <ol>
          {steps.map(({ title, isDone }, index) => (
            <li key={title}>
              <button
                type="button"
                aria-current={index === at ? 'step' : undefined}
                onClick={() => choose(index)}
              >
                <Icon of={isDone ? DoneIcon : TodoIcon} size={18} class={isDone ? 'is-good' : 'faint'} />
                <span class={isDone ? 'soft' : ''}>{title}</span>
                {isDone && <span class="visually-hidden">(done)</span>}
              </button>
            </li>
          ))}
        </ol>
      </div>
      {step && (
        <div class="steps-one">
          <h3>{step.title}</h3>
          <p class="soft">{step.about}</p>
          <Snippet code={step.code} label={step.label} />
          <div class="row">
            {step.page && (
              <LinkButton kind="main" href={route.href(step.page[0])}>
                {step.page[1]}
              </LinkButton>
            )}
            <a class="button plain" href="/docs" target="_blank" rel="noreferrer">
              <span>Open the docs</span>
              <Icon of={OpenIcon} size={14} />
            </a>
            {at < steps.length - 1 && (
              <Button kind="quiet" onClick={() => choose(at + 1)}>
                Next
              </Button>
            )}
          </div>
        </div>
      )}
    </section>
  )
}

const developmentSteps = ({ project }: Route, done: Done): Step[] => [
  {
    title: 'Create a project',
    about: `${project.name} has a development and a production environment, each with its own keys, players and config. Its URLs start with ${project.slug}. Run this in a new folder or in your app’s folder: it installs the CLI, and adds the SDK and the keys.`,
    isDone: true,
    code: setUpCommands(project.slug),
    label: 'Set up a folder',
  },
  {
    title: 'Enable features',
    about:
      'Every feature is off until the config enables it. Push a file or edit the config here; all problems are listed with their paths.',
    isDone: done.config,
    code: `{ "version": 1,\n  "features": { "saves": true, "stats": true,\n                "multiplayer": true, "hosting": true } }`,
    label: 'svc.config.json',
    page: ['config', 'Open Config'],
  },
  {
    title: 'Create your first player',
    about:
      'Guests need no sign-up. A page hosted by svc finds the service and its key automatically; elsewhere pass { url, key } with the publishable key.',
    isDone: done.key,
    code: `import { connect } from '/.svc/sdk.js'\n\nconst svc = await connect()\nconsole.log('hello', svc.player.displayName)`,
    label: 'First player',
    page: ['playground', 'Try it in the Playground'],
  },
  {
    title: 'Deploy your game',
    about: 'Set up a folder once, then deploy. Only changed files are uploaded, and one command rolls back.',
    isDone: done.version,
    code: `${setUpCommands(project.slug)}\nsvc deploy public\nsvc rollback`,
    label: 'Deploy',
    page: ['hosting', 'Open Hosting'],
  },
  {
    title: 'See two players in a room',
    about: 'Open the page in two browsers. The room appears on the Live page.',
    isDone: done.room,
    code: `const room = await svc.rooms.quickMatch('default')\nroom.on('player_joined', (player) => console.log(player.displayName))\nroom.setMyState({ x: 1, y: 2 })`,
    label: 'A room',
    page: ['live', 'Open Live'],
  },
]

const productionSteps = (done: Done): Step[] => [
  {
    title: 'Promote to production',
    about:
      'Copies the live version and the config from development to production. You see the differences first and confirm.',
    isDone: done.config && done.version,
    code: 'svc promote --to production',
    label: 'Promote',
    page: ['hosting', 'Open Hosting'],
  },
  {
    title: 'Use your production keys',
    about:
      'An app hosted by svc finds its key automatically. Elsewhere, put the production publishable key in the page.',
    isDone: done.key,
    code: `const svc = await connect({ url: '${location.origin}', key: 'pk_…' })`,
    label: 'Connect',
    page: ['keys', 'Open Keys'],
  },
  {
    title: 'See your first player',
    about: 'Production has its own players, saves and stats. No development data is copied.',
    isDone: false,
    code: 'svc players find --env production',
    label: 'Find players',
  },
]
