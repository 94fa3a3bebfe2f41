import type { ProjectEntry } from '@svc/contract/developers/projects'
import { LocationProvider, useLocation } from 'preact-iso'
import { useEffect } from 'preact/hooks'

import { lazy } from './lazy.tsx'
import { forgetAnswers, useCall } from './queries.ts'
import { address, BASE, usePath, useRoute } from './route.ts'
import { token } from './session.ts'
import { AccountShell } from './shell/account-shell.tsx'
import { ACCOUNT_PAGES, preloadPage, UNLISTED_PAGES } from './shell/pages.ts'
import { Shell } from './shell/shell.tsx'
import { Messages } from './ui/messages.tsx'
import { ErrorNotice } from './ui/states.tsx'

const SignIn = lazy(() => import('./pages/sign-in/sign-in.tsx'))
const NewProject = lazy(() => import('./pages/projects/new-project.tsx'))

/** `slug/environment` that was last open in this browser. */
const LAST_ENVIRONMENT = 'svc.place'

/** The whole app: the sign-in, or the pages of the developer. */
export const App = () => (
  <LocationProvider scope={BASE}>
    {token.value === null ? <SignIn /> : <SignedIn key={token.value} />}
    <Messages />
  </LocationProvider>
)

function SignedIn() {
  const { data, error, again } = useCall('listProjects', {})
  const path = usePath()
  const [first = '', second = ''] = path
  useEffect(() => {
    preloadPage(path[2] ?? 'overview')
    return forgetAnswers
  }, [])

  const { route: goTo } = useLocation()
  // A mail about a transfer knows the id of the project, not its slug.
  const mailed = first === 'projects' && data?.projects.find(({ id }) => id === second)
  useEffect(() => {
    if (mailed) goTo(address([mailed.slug, 'development', 'team']), true)
  }, [mailed])

  const isProjectAddress = second === 'development' || second === 'production'
  if (!isProjectAddress && [...ACCOUNT_PAGES, ...UNLISTED_PAGES].some(({ id }) => id === first))
    return <AccountShell page={first} />
  if (!data)
    return (
      <main class="alone" aria-busy="true">
        <h1 class="visually-hidden">Dashboard</h1>
        {error && <ErrorNotice error={error} again={again} />}
      </main>
    )
  if (data.projects.length === 0 || first === 'new') return <NewProject first={data.projects.length === 0} />
  return <InProject projects={data.projects} />
}

function InProject({ projects }: { projects: readonly ProjectEntry[] }) {
  const route = useRoute(projects)
  const { route: goTo } = useLocation()
  const path = usePath()
  useEffect(() => {
    if (route) return localStorage.setItem(LAST_ENVIRONMENT, `${route.project.slug}/${route.env}`)
    // An address of a project that is gone, or not this developer's.
    if (path.length > 1) return goTo(address(['projects']), true)
    const [slug, env = 'development'] = (localStorage.getItem(LAST_ENVIRONMENT) ?? '').split('/')
    const project = projects.find((one) => one.slug === (path[0] ?? slug)) ?? projects[0]
    if (project) goTo(address([project.slug, env, 'overview']), true)
  }, [route?.project.slug, route?.env, path.join('/')])
  return route ? <Shell route={route} /> : <main class="alone" aria-busy="true" />
}
