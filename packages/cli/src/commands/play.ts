import { LIMITS } from '@svc/contract/common/limits'

import type { CommandGroup } from '../command-line/command-group.ts'
import { text } from '../command-line/command-options.ts'
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
    `open the game for several players in one window, each with latency, loss and a pause: the dashboard’s Playground (${PLAYERS_BY_DEFAULT} players by default, at most ${PLAYERS_MAX})`,
    play,
    {
      page: text(
        '--page <url>',
        'a page on this machine, like http://localhost:5173 (default: the deployed game)',
      ),
    },
  )
}

/** Prints the URL, too: a machine without a browser is not an error. */
async function play(context: Context, options: { page?: string }, given = String(PLAYERS_BY_DEFAULT)) {
  const { calls, out, env, url, resolveEnvironment } = context
  const players = playersIn(given)
  const page = options.page === undefined ? undefined : localPage(options.page, url)
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
  if (page === undefined && !(await liveVersionIfHosted(context, env)))
    throw new Failure('failed', 'No version of the game is live in development.', {
      fix: 'Run: svc deploy, or name a page on this machine: svc play --page http://localhost:5173',
    })

  const query = new URLSearchParams({ players: String(players), ...(page !== undefined && { page }) })
  const playground = `${url}/dashboard/${project.slug}/${env}/playground?${query.toString()}`
  out.info(`${players === 1 ? '1 player' : `${players} players`}: ${playground}`)
  if (out.isTerminal) openInBrowser(playground)
  return { url: playground, players }
}

function playersIn(given: string): number {
  if (/^[1-9]$/.test(given) && Number(given) <= PLAYERS_MAX) return Number(given)
  throw new Failure('usage', `"${given}" is not a number of players from 1 to ${PLAYERS_MAX}.`, {
    fix: 'For example: svc play 4',
  })
}

/** The dashboard shows no other pages: a link to it must not show a page of somebody else in it. */
function localPage(given: string, serviceUrl: string): string {
  const page = URL.canParse(given) ? new URL(given) : undefined
  const isShown =
    page && /^https?:$/.test(page.protocol) && /^(?:(?:.+\.)?localhost|127\.0\.0\.1)$/.test(page.hostname)
  if (page && isShown && page.origin !== serviceUrl) return page.href
  throw new Failure('usage', `${given} is not the URL of a page on this machine.`, {
    fix: 'Write it like http://localhost:5173.',
  })
}
