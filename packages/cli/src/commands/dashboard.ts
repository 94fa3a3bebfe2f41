import type { CommandGroup } from '../command-line/command-group.ts'
import type { Context } from '../context.ts'
import { openInBrowser } from '../output/open-browser.ts'
import { printable } from '../output/output.ts'
import { requireAccount } from './account.ts'

/** Adds `svc dashboard`. */
export function addDashboardCommand(program: CommandGroup) {
  program.command('dashboard', 'open the dashboard in your browser, signed in', openDashboard)
}

/** Prints the URL, too: a machine without a browser is not an error. */
async function openDashboard(context: Context) {
  const { calls, out, url, env, workspace } = context
  await requireAccount(context)
  const { developer } = await calls.developer('readMe', {})
  const { code, expiresIn } = await calls.developer('createBrowserCode', {})
  const path = workspace.slug === undefined ? '' : `/${workspace.slug}/${env}/overview`
  // Browsers do not send the fragment, so no log contains the code.
  const link = `${url}/dashboard${path}#code=${code}`
  out.info(`the dashboard, signed in as ${printable(developer.email)}; works once, within ${expiresIn} s:`)
  out.line(link)
  if (out.isTerminal) openInBrowser(link)
  return { url: link, email: developer.email, expiresIn }
}
