import { LIMITS } from '@svc/contract/common/limits'

import type { CommandGroup } from '../command-line/command-group.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { openInBrowser } from '../output/open-browser.ts'
import { liveVersionIfHosted } from '../site/live-version.ts'

const PLAYERS_BY_DEFAULT = 2
const PLAYERS_MAX = LIMITS.playgroundPlayersMax

/** Adds `svc play`. */
export function addPlayCommand(program: CommandGroup) {
  program.command(
    'play [players]',
    `open the dashboard’s Playground with several simulated players in one window (${PLAYERS_BY_DEFAULT} by default, at most ${PLAYERS_MAX})`,
    play,
  )
}

/** Prints the URL, too: a machine without a browser is not an error. */
async function play(context: Context, _options: object, given = String(PLAYERS_BY_DEFAULT)) {
  const { calls, out, env, url, resolveEnvironment } = context
  const players = playersIn(given)
  if (env !== 'development')
    throw new Failure('usage', 'The Playground exists only in development.', {
      fix: 'Run the command without --env.',
    })
  const { projectId } = await resolveEnvironment()
  const { projects } = await calls.developer('listProjects', {})
  const project = projects.find(({ id }) => id === projectId)
  if (!project)
    throw new Failure('usage', `This account has no project ${projectId}.`, {
      fix: `It has: ${projects.map(({ slug }) => slug).join(', ') || 'none'}`,
    })
  if (!(await liveVersionIfHosted(context, env)))
    throw new Failure('failed', 'No version of the game is live in development.', { fix: 'Run: svc deploy' })

  const playground = `${url}/dashboard/${project.slug}/${env}/playground?players=${players}`
  out.info(`${players === 1 ? '1 player' : `${players} players`}: ${playground}`)
  if (out.isTerminal) openInBrowser(playground)
  return { url: playground, players }
}

function playersIn(text: string): number {
  if (/^[1-9]$/.test(text) && Number(text) <= PLAYERS_MAX) return Number(text)
  throw new Failure('usage', `"${text}" is not a number of players from 1 to ${PLAYERS_MAX}.`, {
    fix: 'For example: svc play 4',
  })
}
